/**
 * One row of the table of dialects: a point that the service interface leaves open.
 *
 * @experimental
 */
export interface DialectEntry<Value extends string | number = string | number> {
  /** Every value that the sandbox supports, the default first. */
  readonly values: readonly [Value, ...Value[]];
  readonly default: Value;
  /** The heading of the service interface that leaves the point open. */
  readonly section: string;
  /** The open point, in a few words. */
  readonly unsaid: string;
  /** The meaning of the values, or null if their names are clear. */
  readonly meaning: string | null;
  /** How a merchant pins or handles the value, or null if nothing has to be done. */
  readonly pin: string | null;
}

/** A row whose first value is the default. */
export function entry<const Value extends string | number>(
  section: string,
  unsaid: string,
  values: readonly [Value, ...Value[]],
  { pin = null, meaning = null }: Partial<Pick<DialectEntry, 'pin' | 'meaning'>> = {},
): DialectEntry<Value> {
  return { values, default: values[0], section, unsaid, meaning, pin };
}

/** Headings of the service interface. */
export const SECTIONS = {
  auth: 'Authentication',
  codes: 'Known codes',
  conventions: 'What the service does',
  create: 'POST /api/v1/external/invoices',
  deliveryRecord: 'Webhook delivery record',
  deliveryStates: 'Webhook delivery states and moves',
  emission: 'Emission',
  envelope: 'Response envelope',
  failure: 'Failure envelope',
  groups: 'Error groups',
  headers: 'Headers on every delivery',
  history: 'GET /api/v1/external/invoices/{ident}/webhooks',
  invoice: 'Invoice',
  list: 'GET /api/v1/external/invoices',
  payload: 'Payload members',
  rates: 'GET /api/v1/external/rates',
  read: 'GET /api/v1/external/invoices/{ident}',
  resend: 'POST /api/v1/external/invoices/{ident}/resend-webhook',
  versioning: 'Versioning',
  withdrawal: 'Withdrawal',
  withdrawalRead: 'GET /api/v1/external/withdrawals/{withdrawal_uuid}',
  withdrawals: 'GET /api/v1/external/withdrawals',
} as const;

export const FAILURE_BODIES = ['envelope', 'bare', 'detail', 'html', 'empty'] as const;
export const FAILURE_BODIES_MEANING =
  'the failure envelope, its error alone, `{ "detail": text }`, an HTML page, or no body';
export const NULL_FORMS = ['null', 'absent', 'empty', 'mixed'] as const;
export const NULL_FORMS_MEANING = '`mixed`: null and absent alternately';

/** The body of a failure whose form the interface does not show. */
export type FailureBody = (typeof FAILURE_BODIES)[number];
/** How a member without a value is written. */
export type NullForm = (typeof NULL_FORMS)[number];
