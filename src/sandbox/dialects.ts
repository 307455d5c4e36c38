import { ConfigurationError } from '../errors.ts';
import { shown } from './duration.ts';

/**
 * How the sandbox fills in what the service interface leaves unsaid, one member per "not shown". The defaults are the
 * likeliest reading, not knowledge: run your tests over the others before you go live.
 */
export interface Dialect {
  /** HTTP status of a successful creation. */
  readonly createStatus: 201 | 200;
  /** HTTP status of INVOICE_ALREADY_EXISTS. 200 is a success status with `success: false`. */
  readonly conflictStatus: 409 | 400 | 422 | 200;
  /** Name of the member that carries the existing invoice's status in the conflict's details. */
  readonly conflictStatusMember: 'status' | 'existing_status' | 'invoice_status';
  /** Shape of a 422: the failure envelope, or the `detail` list. */
  readonly validationShape: 'envelope' | 'detail';
  readonly authStatus: 401 | 403;
  readonly authCode: 'UNAUTHORIZED' | 'INVALID_API_KEY' | 'AUTHENTICATION_FAILED';
  /** One code for everything that is not found, or one for each kind, such as INVOICE_NOT_FOUND. */
  readonly notFoundCode: 'general' | 'specific';
  readonly rateLimitStatus: 429 | 503;
  readonly rateLimitCode: 'RATE_LIMIT_EXCEEDED' | 'RATE_LIMITED' | 'TOO_MANY_REQUESTS';
  /** How a Retry-After given as a number of seconds is written. */
  readonly retryAfterForm: 'seconds' | 'http_date';
  /** Whether `success: true` is written, being the default. */
  readonly successFlag: 'present' | 'absent';
  readonly invoiceRead: 'envelope' | 'bare';
  /** Members of a single read: the full form, or the creation fields only. */
  readonly invoiceReadForm: 'full' | 'creation';
  /** What a single read accepts as {ident}. */
  readonly invoiceReadIdent: 'both' | 'uuid' | 'external_id';
  readonly withdrawalRead: 'envelope' | 'bare';
  /** Envelope with a list, envelope with a page, envelope with `{ deliveries: [] }`, or a bare list. */
  readonly deliveriesShape: 'list' | 'page' | 'named' | 'bare';
  /** `long`: id, event_type, last_http_status, attempt_log …; `short`: delivery_id, event, last_status_code, attempts (the log) … */
  readonly deliveryNames: 'long' | 'short';
  /** Whether numbers of the attempt log are JSON numbers or text. */
  readonly attemptNumbers: 'number' | 'text';
  /** Status of a delivery that waits for its next retry. */
  readonly waitingDelivery: 'pending' | 'delivering';
  /** Answer to a resend: the delivery in an envelope, an empty envelope, a message, or no body at all (204). */
  readonly resendBody: 'delivery' | 'null' | 'message' | 'empty';
  readonly signatureEncoding: 'hex' | 'base64';
  readonly signaturePrefix: '' | 'sha256=';
  readonly timestampFormat: 'seconds' | 'milliseconds' | 'iso';
  /** Whether every attempt gets its own X-Webhook-Timestamp, or repeats that of the first. */
  readonly timestampPer: 'attempt' | 'delivery';
  /** Name of the webhook member that carries the merchant's order id. */
  readonly orderIdMember: 'external_id' | 'order_id' | 'merchant_order_id';
  /** Where a webhook names its event: a body member, the header X-Webhook-Event, or nowhere. */
  readonly eventName: 'event' | 'event_type' | 'type' | 'header' | 'nowhere';
  /** What an end without any callback URL leaves in the delivery history. */
  readonly withoutCallback: 'nothing' | 'failed_delivery';
  /** Query names of the withdrawals list: status, page and this one. */
  readonly withdrawalPageSize: 'per_page' | 'page_size' | 'limit';
  readonly withdrawalDefaultSize: 20 | 10 | 50;
  /** How a withdrawal shows a member that does not apply. */
  readonly withdrawalNulls: 'null' | 'absent' | 'empty';
  /** How an invoice shows a nullable member without a value. */
  readonly invoiceNulls: 'null' | 'absent';
  /** Whether the creation response already has an amount_to_send. */
  readonly amountToSendAtCreation: 'null' | 'value';
  readonly listOrder: 'newest' | 'oldest';
  /** ISO 8601 in UTC, four ways: `…:05.120Z`, `…:05.120+00:00`, `…:05.120000Z`, `…:05.120` without a zone. */
  readonly timeForm: 'z' | 'offset' | 'micros' | 'zoneless';
  /** Whether answers have members that the interface does not list, as a later version may add. */
  readonly extraMembers: 'none' | 'some';
}

/** One row of the table of dialects. */
export interface DialectEntry<Value extends string | number = string | number> {
  /** Every value that the sandbox can play. */
  readonly values: readonly Value[];
  readonly default: Value;
  /** The heading of the service interface that leaves it unsaid. */
  readonly section: string;
}

type DialectTable = { readonly [Name in keyof Dialect]: DialectEntry<Dialect[Name]> };

const CREATE = 'POST /api/v1/external/invoices';
const READ = 'GET /api/v1/external/invoices/{ident}';
const RESEND = 'POST /api/v1/external/invoices/{ident}/resend-webhook';
const HISTORY = 'GET /api/v1/external/invoices/{ident}/webhooks';
const WITHDRAWALS = 'GET /api/v1/external/withdrawals';
const GROUPS = 'Error groups';

/** All dialects as data: the table in the docs and the shuffled test runs are made from it. */
export const DIALECTS: DialectTable = {
  createStatus: { values: [201, 200], default: 201, section: CREATE },
  conflictStatus: { values: [409, 400, 422, 200], default: 409, section: 'Known codes' },
  conflictStatusMember: {
    values: ['status', 'existing_status', 'invoice_status'],
    default: 'status',
    section: 'Known codes',
  },
  validationShape: { values: ['envelope', 'detail'], default: 'envelope', section: 'Failure envelope' },
  authStatus: { values: [401, 403], default: 401, section: 'Authentication' },
  authCode: {
    values: ['UNAUTHORIZED', 'INVALID_API_KEY', 'AUTHENTICATION_FAILED'],
    default: 'UNAUTHORIZED',
    section: 'Authentication',
  },
  notFoundCode: { values: ['general', 'specific'], default: 'general', section: GROUPS },
  rateLimitStatus: { values: [429, 503], default: 429, section: GROUPS },
  rateLimitCode: {
    values: ['RATE_LIMIT_EXCEEDED', 'RATE_LIMITED', 'TOO_MANY_REQUESTS'],
    default: 'RATE_LIMIT_EXCEEDED',
    section: GROUPS,
  },
  retryAfterForm: { values: ['seconds', 'http_date'], default: 'seconds', section: GROUPS },
  successFlag: { values: ['present', 'absent'], default: 'present', section: 'Response envelope' },
  invoiceRead: { values: ['envelope', 'bare'], default: 'envelope', section: READ },
  invoiceReadForm: { values: ['full', 'creation'], default: 'full', section: READ },
  invoiceReadIdent: { values: ['both', 'uuid', 'external_id'], default: 'both', section: READ },
  withdrawalRead: {
    values: ['envelope', 'bare'],
    default: 'envelope',
    section: 'GET /api/v1/external/withdrawals/{withdrawal_uuid}',
  },
  deliveriesShape: { values: ['list', 'page', 'named', 'bare'], default: 'list', section: HISTORY },
  deliveryNames: { values: ['long', 'short'], default: 'long', section: 'Webhook delivery record' },
  attemptNumbers: { values: ['number', 'text'], default: 'number', section: 'Webhook delivery record' },
  waitingDelivery: {
    values: ['pending', 'delivering'],
    default: 'pending',
    section: 'Webhook delivery states and moves',
  },
  resendBody: { values: ['delivery', 'null', 'message', 'empty'], default: 'delivery', section: RESEND },
  signatureEncoding: { values: ['hex', 'base64'], default: 'hex', section: 'Authentication' },
  signaturePrefix: { values: ['', 'sha256='], default: '', section: 'Authentication' },
  timestampFormat: { values: ['seconds', 'milliseconds', 'iso'], default: 'seconds', section: 'Authentication' },
  timestampPer: { values: ['attempt', 'delivery'], default: 'attempt', section: 'Headers on every delivery' },
  orderIdMember: {
    values: ['external_id', 'order_id', 'merchant_order_id'],
    default: 'external_id',
    section: 'Payload members',
  },
  eventName: {
    values: ['event', 'event_type', 'type', 'header', 'nowhere'],
    default: 'event',
    section: 'Payload members',
  },
  withoutCallback: { values: ['nothing', 'failed_delivery'], default: 'nothing', section: 'Emission' },
  withdrawalPageSize: { values: ['per_page', 'page_size', 'limit'], default: 'per_page', section: WITHDRAWALS },
  withdrawalDefaultSize: { values: [20, 10, 50], default: 20, section: WITHDRAWALS },
  withdrawalNulls: { values: ['null', 'absent', 'empty'], default: 'null', section: 'Withdrawal' },
  invoiceNulls: { values: ['null', 'absent'], default: 'null', section: 'Invoice' },
  amountToSendAtCreation: { values: ['null', 'value'], default: 'null', section: 'Invoice' },
  listOrder: { values: ['newest', 'oldest'], default: 'newest', section: 'GET /api/v1/external/invoices' },
  timeForm: { values: ['z', 'offset', 'micros', 'zoneless'], default: 'z', section: 'What the service does' },
  extraMembers: { values: ['none', 'some'], default: 'none', section: 'Versioning' },
};

/** The given values over the defaults. Throws a ConfigurationError for a name or value that is not in the table. */
export function dialectFrom(given: Partial<Dialect> = {}): Dialect {
  const table: Readonly<Record<string, DialectEntry>> = DIALECTS;
  const chosen = Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, entry.default]));
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const entry = Object.hasOwn(table, name) ? table[name] : undefined;
    if (entry === undefined) {
      throw new ConfigurationError(`dialect has no ${shown(name)}; it has ${Object.keys(table).join(', ')}`);
    }
    if (!entry.values.includes(value)) {
      const values = entry.values.map(shown).join(', ');
      throw new ConfigurationError(`dialect.${name} must be one of ${values}; got ${shown(value)}`);
    }
    chosen[name] = value;
  }
  return chosen as unknown as Dialect; // every name of the table was given a value of its own list
}
