import type { Dialect } from './dialect.ts';

export type { Dialect } from './dialect.ts';

/** One row of the table of dialects. @experimental */
export interface DialectEntry<Value extends string | number = string | number> {
  /** Every value that the sandbox can play, the default first. */
  readonly values: readonly [Value, ...Value[]];
  readonly default: Value;
  /** The heading of the service interface that leaves it unsaid. */
  readonly section: string;
  /** What is unsaid, in a few words. */
  readonly unsaid: string;
  /** How a merchant pins it or copes with it; null where nothing has to be done, whatever the value. */
  readonly pin: string | null;
}

/** What each dialect can be. */
export type DialectTable = { readonly [Name in keyof Dialect]: DialectEntry<Dialect[Name]> };

function entry<const Values extends readonly [string | number, ...(string | number)[]]>(
  section: string,
  unsaid: string,
  values: Values,
  pin: string | null = null,
): DialectEntry<Values[number]> & { readonly values: Values } {
  return { values, default: values[0], section, unsaid, pin };
}

const CREATE = 'POST /api/v1/external/invoices';
const READ = 'GET /api/v1/external/invoices/{ident}';
const RESEND = 'POST /api/v1/external/invoices/{ident}/resend-webhook';
const HISTORY = 'GET /api/v1/external/invoices/{ident}/webhooks';
const WITHDRAWALS = 'GET /api/v1/external/withdrawals';
const WITHDRAWAL = 'GET /api/v1/external/withdrawals/{withdrawal_uuid}';
const RATES = 'GET /api/v1/external/rates';
const RECORD = 'Webhook delivery record';
const AUTH = 'Authentication';
const CODES = 'Known codes';
const GROUPS = 'Error groups';
const PAYLOAD = 'Payload members';
const HEADERS = 'Headers on every delivery';
const ENVELOPE = 'Response envelope';
const CONVENTIONS = 'What the service does';

const BODIES = ['envelope', 'bare', 'detail', 'html', 'empty'] as const;
const NOTHINGS = ['null', 'absent', 'empty', 'mixed'] as const;
const SOME = ['none', 'some'] as const;
const BY_KIND = 'match `error.kind`, or `error.code` where you know it';
const QUERY = 'client option `withdrawalQuery`';

/** All dialects as data: the table in docs/decisions.md and the shuffled test runs are made from it. @experimental */
export const DIALECTS: DialectTable = {
  createStatus: entry(CREATE, 'HTTP status of a successful creation', [201, 200, 202]),
  conflictStatus: entry(CODES, 'HTTP status of INVOICE_ALREADY_EXISTS', [409, 400, 403, 422, 500, 200]),
  conflictDetails: entry(CODES, 'form of its details', ['full', 'extra', 'nested', 'null', 'absent']),
  conflictStatusMember: entry(CODES, 'where its details name the status', [
    'status',
    'existing_status',
    'invoice_status',
  ]),
  conflictIdMember: entry(CODES, 'where its details name the external_id', ['external_id', 'order_id']),
  validationShape: entry('Failure envelope', 'shape of a 422', [
    'envelope',
    'detail',
    'both',
    'detail_text',
    'texts',
    'no_details',
  ]),
  authStatus: entry(AUTH, 'HTTP status for a missing or invalid key', [401, 403, 400], BY_KIND),
  authCode: entry(
    AUTH,
    'code for a missing or invalid key',
    ['UNAUTHORIZED', 'INVALID_API_KEY', 'AUTHENTICATION_FAILED', 'FORBIDDEN'],
    BY_KIND,
  ),
  authBody: entry(AUTH, 'body of that failure', BODIES, BY_KIND),
  notFoundStatus: entry(GROUPS, 'HTTP status of what is not found', [404, 410, 400], BY_KIND),
  notFoundCode: entry(GROUPS, 'code of what is not found', ['general', 'specific'], BY_KIND),
  notFoundBody: entry(GROUPS, 'body of that failure', BODIES, BY_KIND),
  rateLimitStatus: entry(GROUPS, 'HTTP status of a rate limit', [429, 503, 403], 'client option `retry`'),
  rateLimitCode: entry(
    GROUPS,
    'code of a rate limit',
    ['RATE_LIMIT_EXCEEDED', 'RATE_LIMITED', 'TOO_MANY_REQUESTS', 'THROTTLED'],
    'client option `retry`',
  ),
  rateLimitBody: entry(GROUPS, 'body of a rate limit', BODIES, 'client option `retry`'),
  retryAfterForm: entry(
    GROUPS,
    'whether and how a rate limit says when',
    ['seconds', 'http_date', 'absent'],
    'client option `retry`',
  ),
  dateHeader: entry(
    CONVENTIONS,
    'whether answers tell the time of the service',
    ['present', 'absent'],
    'keep your clock right',
  ),
  serverStatus: entry(GROUPS, 'HTTP status of a server-side error', [503, 500, 502, 504], 'client option `retry`'),
  serverCode: entry(
    GROUPS,
    'code of a server-side error',
    ['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR', 'INTERNAL_SERVER_ERROR'],
    BY_KIND,
  ),
  serverBody: entry(GROUPS, 'body of a server-side error', BODIES, BY_KIND),
  successFlag: entry(ENVELOPE, 'whether `success: true` is written, being the default', ['present', 'absent']),
  invoiceRead: entry(READ, 'shape of a single read', ['envelope', 'bare', 'named']),
  invoiceReadForm: entry(
    READ,
    'members of a single read',
    ['full', 'creation'],
    'read the other members from `invoices.list`',
  ),
  invoiceReadIdent: entry(
    READ,
    'accepted forms of {ident}',
    ['both', 'uuid', 'external_id'],
    'give `invoices.get` the form that is accepted',
  ),
  identRefusal: entry(READ, 'answer to a form that is not accepted', ['not_found', 'invalid'], BY_KIND),
  withdrawalRead: entry(WITHDRAWAL, 'shape of a single read', ['envelope', 'bare', 'named']),
  deliveriesShape: entry(HISTORY, 'pages and envelope of the history', ['list', 'page', 'named', 'bare']),
  deliveryNames: entry(RECORD, 'member names of the record', ['long', 'short', 'counted']),
  deliveryNulls: entry(RECORD, 'members that do not apply', NOTHINGS),
  attemptNumbers: entry(RECORD, 'types of status_code and duration_ms', ['number', 'text']),
  attemptFlags: entry(RECORD, 'type of `success` in the attempt log', ['boolean', 'number', 'text']),
  attemptErrors: entry(RECORD, 'type of `error` in the attempt log', ['text', 'object']),
  attemptNulls: entry(RECORD, 'members of the attempt log that do not apply', NOTHINGS),
  waitingDelivery: entry('Webhook delivery states and moves', 'state between two attempts', ['pending', 'delivering']),
  resendStatus: entry(RESEND, 'HTTP status', [200, 202]),
  resendBody: entry(RESEND, 'response body', ['delivery', 'null', 'message', 'flag', 'text', 'empty']),
  signatureEncoding: entry(
    AUTH,
    'encoding of the signature',
    ['hex', 'hex_upper', 'base64', 'base64_unpadded', 'base64url'],
    '`encoding` of `verifyWebhook`',
  ),
  signaturePrefix: entry(AUTH, 'prefix of the signature', ['', 'sha256=', 'sha256:', 'hmac-sha256=', 'v1=']),
  timestampFormat: entry(
    AUTH,
    'format of the timestamp header',
    ['seconds', 'seconds_fraction', 'milliseconds', 'iso', 'iso_offset'],
    '`timestampFormat` of `verifyWebhook`',
  ),
  timestampPer: entry(
    HEADERS,
    'whether each attempt has its own timestamp',
    ['attempt', 'delivery'],
    '`tolerance` of `verifyWebhook`; `handler.catchUp`',
  ),
  webhookHeaders: entry(HEADERS, 'further headers', SOME),
  webhookBody: entry(PAYLOAD, 'whether the members stand in an envelope', ['flat', 'data']),
  orderIdMember: entry(
    PAYLOAD,
    "name of the merchant's order id",
    ['external_id', 'order_id', 'order.id', 'merchant_order_id', 'invoice_external_id', 'merchant_reference'],
    '`orderIdMember` of `verifyWebhook`',
  ),
  eventName: entry(PAYLOAD, 'where the event is named', ['event', 'event_type', 'type', 'header', 'nowhere']),
  eventSpelling: entry(
    PAYLOAD,
    'how the event is spelled there',
    ['plain', 'upper', 'namespaced', 'versioned', 'other'],
    '`eventNames` of `verifyWebhook`, for `other`',
  ),
  eventNulls: entry(PAYLOAD, 'members of the other event', ['absent', 'null']),
  adjustedFlag: entry(PAYLOAD, '`adjusted` of an exact payment', ['always', 'when_true']),
  withoutCallback: entry(
    'Emission',
    'an end without any callback URL',
    ['nothing', 'failed_delivery'],
    '`handler.catchUp` plays what no webhook told you',
  ),
  withdrawalStatus: entry(WITHDRAWALS, 'query name of the status', ['status', 'state', 'withdrawal_status'], QUERY),
  withdrawalPage: entry(WITHDRAWALS, 'query name of the page', ['page', 'page_number', 'p'], QUERY),
  withdrawalPageSize: entry(WITHDRAWALS, 'query name of the page size', ['per_page', 'page_size', 'limit'], QUERY),
  withdrawalDefaultSize: entry(WITHDRAWALS, 'default page size', [20, 10, 50], 'give `per_page`'),
  unknownQuery: entry(WITHDRAWALS, 'what an unknown query name does', ['ignored', 'refused'], QUERY),
  withdrawalNulls: entry('Withdrawal', 'members that do not apply', NOTHINGS, 'check for `null` before use'),
  invoiceNulls: entry('Invoice', '"no, nullable": null or absent', ['null', 'absent', 'mixed']),
  amountToSendAtCreation: entry('Invoice', 'amount_to_send at creation', ['null', 'value']),
  listOrder: entry(
    'GET /api/v1/external/invoices',
    'order of the lists',
    ['newest', 'oldest'],
    'sort what you collect',
  ),
  pastEnd: entry(
    ENVELOPE,
    'a page beyond the last',
    ['empty', 'last', 'not_found', 'invalid'],
    'walk with `for await`',
  ),
  emptyPages: entry(ENVELOPE, 'total_pages of an empty list', [0, 1], 'look at `items.length`'),
  timeForm: entry(CONVENTIONS, 'how a date-time is written', [
    'z',
    'offset',
    'micros',
    'zoneless',
    'whole_seconds',
    'blank',
  ]),
  decimalForm: entry(CONVENTIONS, 'how many decimals an amount has', ['as_given', 'padded', 'trimmed']),
  staleRates: entry(RATES, 'a pair without fresh data', ['omitted', 'null', 'absent']),
  rateLimits: entry(
    RATES,
    'limits that a source does not give',
    ['present', 'null', 'absent'],
    'check for `null` before use',
  ),
  extraMembers: entry('Versioning', 'members that a later version adds', SOME),
  newWords: entry('Versioning', 'states and words that a later version adds', SOME),
};
