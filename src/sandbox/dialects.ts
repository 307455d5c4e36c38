// Where the service interface leaves a point open, services differ. This file holds the points for which a merchant's code
// or the client must behave otherwise, and how the sandbox writes values by them. Imports only errors and checks.
import { ConfigurationError } from '../errors/classes.ts';
import { shown } from './option-checks.ts';

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
  /** The code that a test with the other values tests. */
  readonly tests: string;
}

/** A row whose first value is the default. */
function entry<const Value extends string | number>(
  section: string,
  unsaid: string,
  values: readonly [Value, ...Value[]],
  { tests, meaning }: { readonly tests: string; readonly meaning?: string },
): DialectEntry<Value> {
  return { values, default: values[0], section, unsaid, meaning: meaning ?? null, tests };
}

/**
 * All dialects as data. The type `Dialect`, the table of the docs and a page of the dashboard are made from it.
 *
 * @experimental
 */
export const DIALECTS = {
  createStatus: entry('POST /api/v1/external/invoices', 'HTTP status of a successful creation', [201, 200, 202], {
    tests: 'code of yours that looks at the status instead of the result',
  }),
  unpayableAmount: entry(
    'POST /api/v1/external/invoices',
    'an amount that no payment method takes',
    ['refused', 'accepted'],
    {
      meaning: '`refused`: a 422, `accepted`: an invoice that cannot be paid',
      tests: 'your check of `paymentMethods.forCharge` before a creation',
    },
  ),
  conflictStatus: entry('Known codes', 'HTTP status of INVOICE_ALREADY_EXISTS', [409, 400, 422, 200], {
    meaning: '200 is a success status with `success: false`',
    tests: 'your handling of `InvoiceAlreadyExistsError`: by `kind` or `code`, not by status',
  }),
  conflictDetails: entry('Known codes', 'form of its details', ['full', 'renamed', 'nested', 'absent'], {
    meaning: '`renamed`: `order_id` and `existing_status`, `nested`: inside an `invoice`',
    tests: 'your use of `existingStatus`, which is null under `absent`',
  }),
  validationShape: entry(
    'Failure envelope',
    'shape of a 422',
    ['envelope', 'detail', 'both', 'detail_text', 'no_details'],
    {
      meaning: 'the failure envelope, the `detail` list, both, `detail` as text, or no details',
      tests: 'your use of `fields` and `issues`, which name no field under the last two',
    },
  ),
  failureCodes: entry('Error groups', 'codes and statuses of these groups', ['general', 'specific'], {
    meaning:
      '`general`: UNAUTHORIZED 401, NOT_FOUND 404, RATE_LIMIT_EXCEEDED 429, SERVICE_UNAVAILABLE 503; `specific`: INVALID_API_KEY 403, INVOICE_NOT_FOUND and so on 410, TOO_MANY_REQUESTS 503, INTERNAL_ERROR 500',
    tests: 'your handling of errors: by `kind`, not by `code`',
  }),
  failureBody: entry('Error groups', 'body of these groups', ['envelope', 'bare', 'detail', 'html', 'empty'], {
    meaning: 'the failure envelope, its error alone, `{ "detail": text }`, an HTML page, or no body',
    tests: 'your handling of errors: the code is `SDK_HTTP_…` under the last three',
  }),
  retryAfterForm: entry('Error groups', 'whether and how a rate limit says when', ['seconds', 'http_date', 'absent'], {
    tests: 'the client option `retry`, and your use of `retryAfter`',
  }),
  readShape: entry(
    'GET /api/v1/external/invoices/{ident}',
    'shape of single reads and of the delivery history',
    ['envelope', 'bare', 'named'],
    {
      meaning: '`named`: in the envelope under the name of the resource, and the history as a page',
      tests: 'the decoders of the client; code of yours that uses `response.raw`',
    },
  ),
  invoiceReadForm: entry('GET /api/v1/external/invoices/{ident}', 'members of a single read', ['full', 'creation'], {
    meaning: 'all members, or those of the creation response',
    tests: '`handler.catchUp`, which takes the rest from the lists; your use of the members of an end',
  }),
  invoiceReadIdent: entry(
    'GET /api/v1/external/invoices/{ident}',
    'accepted forms of {ident}',
    ['both', 'uuid', 'external_id'],
    { tests: 'whether you store the uuid, and give `invoices.get` and `catchUp` the form that is accepted' },
  ),
  deliveryRecord: entry('Webhook delivery record', 'member names and types', ['long', 'short', 'counted'], {
    meaning:
      '`long`: such as `id` and `attempt_log`; `short`: `delivery_id`, `attempts`, numbers as text; `counted`: `webhook_id`, `attempt_history`, errors as objects',
    tests: '`webhooks.deliveries`',
  }),
  nulls: entry('Withdrawal', 'members that do not apply', ['null', 'absent', 'empty', 'mixed'], {
    meaning: '`empty`: `""` where the interface does not say null, `mixed`: null and absent alternately',
    tests: 'your checks for null before use',
  }),
  withdrawalQuery: entry(
    'GET /api/v1/external/withdrawals',
    'names of the query parameters',
    ['as_invoices', 'other', 'strict'],
    {
      meaning:
        '`other`: `state`, `page_number` and `limit`; `strict`: the same, and an unknown name is a 422 in any list',
      tests: 'the client option `withdrawalQuery`',
    },
  ),
  listOrder: entry('GET /api/v1/external/invoices', 'order of the lists', ['newest', 'oldest'], {
    tests: 'code of yours that takes the first row for the newest',
  }),
  pastEnd: entry('Response envelope', 'a page beyond the last', ['empty', 'last', 'not_found', 'invalid'], {
    meaning: 'an empty page, the last page, not found, or a 422',
    tests: 'loops of yours over page numbers: `for await` handles all',
  }),
  decimalForm: entry('What the service does', 'how many decimals an amount has', ['as_given', 'padded', 'trimmed'], {
    meaning: '`padded`: always 8, `trimmed`: no zeros at the end',
    tests: 'your comparison of amounts: by `Decimal`, not as text',
  }),
  laterVersion: entry('Versioning', 'members, states and words that a later version adds', ['none', 'some'], {
    meaning: '`some`: members in answers and webhooks, and a `refunded` invoice initially',
    tests: 'the default branch of your `switch` over a status; the client option `onDrift`',
  }),
  signatureEncoding: entry('Authentication', 'encoding of the signature', ['hex', 'base64', 'base64url'], {
    tests: 'the option `encoding` of your verifier',
  }),
  signaturePrefix: entry('Authentication', 'prefix of the signature', ['', 'sha256=', 'v1='], {
    tests: 'a verifier of your own',
  }),
  timestampFormat: entry('Authentication', 'format of the timestamp header', ['seconds', 'milliseconds', 'iso'], {
    tests: 'the option `timestampFormat` of your verifier',
  }),
  timestampPer: entry(
    'Headers on every delivery',
    'whether each attempt has a new timestamp',
    ['attempt', 'delivery'],
    {
      meaning: '`delivery`: every attempt repeats the timestamp of the first',
      tests: 'the option `tolerance` of your verifier, and `handler.catchUp` for what is refused as too old',
    },
  ),
  webhookBody: entry('Payload members', 'whether the members are in an envelope', ['flat', 'data'], {
    meaning: '`data`: they are in the member `data`',
    tests: 'code of yours that reads the payload itself',
  }),
  orderIdMember: entry(
    'Payload members',
    "name of the merchant's order id",
    ['external_id', 'order_id', 'order.id', 'merchant_order_id'],
    {
      meaning: '`order.id`: the member `id` of an object `order`',
      tests: 'the option `orderIdMember` of your verifier, which the second and third need',
    },
  ),
  eventName: entry('Payload members', 'where the event is named', ['event', 'type', 'header', 'nowhere'], {
    meaning: 'a member of the body, the header X-Webhook-Event, or nowhere',
    tests: 'code of yours that reads the payload itself: the status decides the event',
  }),
};

/**
 * How the sandbox fills in what the service interface leaves open, one member per point. `DIALECTS` says of each member
 * what its values mean, and which code they test.
 *
 * The defaults are the likeliest reading, not knowledge. Run your tests over the others before you go live.
 *
 * @example
 * const sandbox = createSandbox({ dialect: { createStatus: 200, signatureEncoding: 'base64' } });
 * @experimental
 */
export type Dialect = { readonly [Name in keyof typeof DIALECTS]: (typeof DIALECTS)[Name]['default'] };

/**
 * The given values over the defaults.
 *
 * @throws ConfigurationError for a name or value that is not in the table.
 */
export function dialectFrom(given: { readonly [Name in keyof Dialect]?: Dialect[Name] | undefined } = {}): Dialect {
  const table: Readonly<Record<string, DialectEntry>> = DIALECTS;
  const chosen = Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row.default]));
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (row === undefined) {
      throw new ConfigurationError(`dialect has no ${shown(name)}, only ${Object.keys(table).join(', ')}`);
    }
    if (!row.values.includes(value)) {
      const values = row.values.map(shown).join(', ');
      throw new ConfigurationError(`dialect.${name} must be one of ${values}, not ${shown(value)}`);
    }
    chosen[name] = value;
  }
  return chosen as unknown as Dialect; // every name of the table has a value of its list
}

/** Members that carry a decimal, wherever they stand. */
const DECIMALS: ReadonlySet<string> = new Set([
  'amount',
  'amount_to_send',
  'rate',
  'settled_amount_usdt',
  'expected_amount_fiat',
  'actual_amount_fiat',
  'expected_amount_usdt',
  'actual_amount_usdt',
  'min_amount',
  'max_amount',
  'total_commission_percent',
  'client_commission_percent',
  'merchant_commission_percent',
  'price',
  'network_commission',
  'credited_usdt',
  'original_amount',
]);

type Fields = Readonly<Record<string, unknown>>;

/** A resource as the dialect writes it: decimals, members without a value, unknown members. */
export function wireForm(dialect: Dialect, fields: object, nulls: Dialect['nulls'] = 'null'): Fields {
  const written = withNulls(withDecimals(dialect, fields), nulls);
  return dialect.laterVersion === 'none' ? written : { ...written, risk_score: '0.10', tags: ['sandbox'] };
}

/** Decimals alone, inner objects included. */
export function withDecimals({ decimalForm }: Pick<Dialect, 'decimalForm'>, fields: object): Fields {
  if (decimalForm === 'as_given') return { ...fields };
  const written = (name: string, value: unknown): unknown => {
    if (typeof value === 'string' && DECIMALS.has(name)) return decimalText(value, decimalForm);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return withDecimals({ decimalForm }, value);
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, written(name, value)]));
}

/** Writes the members that are null as the dialect does. */
export function withNulls(fields: object, nulls: Dialect['nulls']): Fields {
  if (nulls === 'null') return { ...fields };
  let count = 0;
  const entries = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (value !== null) return [[name, value]];
    count += 1;
    if (nulls === 'empty') return [[name, '']];
    return nulls === 'mixed' && count % 2 === 1 ? [[name, null]] : [];
  });
  return Object.fromEntries(entries);
}

/** The same amount with more zeros at its end, or without any. */
function decimalText(text: string, form: Dialect['decimalForm']): string {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const [whole = '', fraction = ''] = text.split('.');
  if (form === 'padded') return `${whole}.${fraction.padEnd(8, '0')}`;
  const short = fraction.replace(/0+$/, '');
  return short === '' ? whole : `${whole}.${short}`;
}
