import {
  entry,
  FAILURE_BODIES,
  FAILURE_BODIES_MEANING,
  NULL_FORMS,
  NULL_FORMS_MEANING,
  SECTIONS,
} from './dialect-entry.ts';

const { auth, codes, conventions, create, deliveryRecord, deliveryStates, envelope, failure } = SECTIONS;
const { groups, history, read, resend, withdrawalRead } = SECTIONS;

const BY_KIND = { pin: 'match `error.kind`, or `error.code` where you know it' };
const BODY = { meaning: FAILURE_BODIES_MEANING };
const NULLS = { meaning: NULL_FORMS_MEANING };
const RETRY = { pin: 'client option `retry`' };

/** Open points of the answers to single requests: statuses, codes, shapes and the delivery record. */
export const ANSWER_DIALECTS = {
  createStatus: entry(create, 'HTTP status of a successful creation', [201, 200, 202]),
  unpayableAmount: entry(create, 'an amount that no payment method takes', ['refused', 'accepted'], {
    pin: 'call `paymentMethods.forCharge` before you create',
    meaning: '`refused`: a 422, `accepted`: an invoice that cannot be paid',
  }),
  conflictStatus: entry(codes, 'HTTP status of INVOICE_ALREADY_EXISTS', [409, 400, 403, 422, 500, 200], {
    meaning: '200 is a success status with `success: false`',
  }),
  conflictDetails: entry(codes, 'form of its details', ['full', 'extra', 'nested', 'null', 'absent'], {
    meaning: 'both members, further members next to them, both inside an `invoice`, null, or no details',
  }),
  conflictStatusMember: entry(codes, 'where its details name the status of the existing invoice', [
    'status',
    'existing_status',
    'invoice_status',
  ]),
  conflictIdMember: entry(codes, 'where its details name the external_id', ['external_id', 'order_id']),
  validationShape: entry(
    failure,
    'shape of a 422',
    ['envelope', 'detail', 'both', 'detail_text', 'texts', 'no_details'],
    {
      meaning:
        'the failure envelope, the `detail` list, both, `detail` as text, details with one text per field, or no details',
    },
  ),
  authStatus: entry(auth, 'HTTP status for a missing or invalid key', [401, 403, 400], BY_KIND),
  authCode: entry(
    auth,
    'code for a missing or invalid key',
    ['UNAUTHORIZED', 'INVALID_API_KEY', 'AUTHENTICATION_FAILED', 'FORBIDDEN'],
    BY_KIND,
  ),
  authBody: entry(auth, 'body of that failure', FAILURE_BODIES, { ...BY_KIND, ...BODY }),
  notFoundStatus: entry(groups, 'HTTP status of what is not found', [404, 410, 400], BY_KIND),
  notFoundCode: entry(groups, 'code of what is not found', ['general', 'specific'], {
    ...BY_KIND,
    meaning: 'one code for everything, or one for each resource, such as INVOICE_NOT_FOUND',
  }),
  notFoundBody: entry(groups, 'body of that failure', FAILURE_BODIES, { ...BY_KIND, ...BODY }),
  rateLimitStatus: entry(groups, 'HTTP status of a rate limit', [429, 503, 403], RETRY),
  rateLimitCode: entry(
    groups,
    'code of a rate limit',
    ['RATE_LIMIT_EXCEEDED', 'RATE_LIMITED', 'TOO_MANY_REQUESTS', 'THROTTLED'],
    RETRY,
  ),
  rateLimitBody: entry(groups, 'body of a rate limit', FAILURE_BODIES, { ...RETRY, ...BODY }),
  retryAfterForm: entry(groups, 'whether and how a rate limit says when', ['seconds', 'http_date', 'absent'], RETRY),
  dateHeader: entry(conventions, 'whether answers tell the time of the service', ['present', 'absent'], {
    pin: 'keep your clock right',
  }),
  serverStatus: entry(groups, 'HTTP status of a server-side error', [503, 500, 502, 504], RETRY),
  serverCode: entry(
    groups,
    'code of a server-side error',
    ['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR', 'INTERNAL_SERVER_ERROR'],
    BY_KIND,
  ),
  serverBody: entry(groups, 'body of a server-side error', FAILURE_BODIES, { ...BY_KIND, ...BODY }),
  successFlag: entry(envelope, 'whether `success: true` is written, being the default', ['present', 'absent']),
  invoiceRead: entry(read, 'shape of a single read', ['envelope', 'bare', 'named'], {
    meaning: '`named`: in the envelope under the name `invoice`',
  }),
  invoiceReadForm: entry(read, 'members of a single read', ['full', 'creation'], {
    pin: 'read the other members from `invoices.list`',
    meaning: 'all members, or those of the creation response',
  }),
  invoiceReadIdent: entry(read, 'accepted forms of {ident}', ['both', 'uuid', 'external_id'], {
    pin: 'give `invoices.get` the form that is accepted',
  }),
  identRefusal: entry(read, 'answer to a form that is not accepted', ['not_found', 'invalid'], {
    ...BY_KIND,
    meaning: '`invalid`: a 422',
  }),
  withdrawalRead: entry(withdrawalRead, 'shape of a single read', ['envelope', 'bare', 'named'], {
    meaning: '`named`: in the envelope under the name `withdrawal`',
  }),
  deliveriesShape: entry(history, 'pages and envelope of the history', ['list', 'page', 'named', 'bare'], {
    meaning: 'in the envelope: a list, a page or `{ "deliveries": [] }`, or a list without envelope',
  }),
  deliveryNames: entry(deliveryRecord, 'member names of the record', ['long', 'short', 'counted'], {
    meaning:
      '`long`: such as `id` and `attempt_log`, `short`: `delivery_id` and `attempts`, `counted`: `webhook_id` and `attempt_history`',
  }),
  deliveryNulls: entry(deliveryRecord, 'members that do not apply', NULL_FORMS, NULLS),
  attemptNumbers: entry(deliveryRecord, 'types of status_code and duration_ms', ['number', 'text']),
  attemptFlags: entry(deliveryRecord, 'type of `success` in the attempt log', ['boolean', 'number', 'text'], {
    meaning: '`number`: 1 and 0',
  }),
  attemptErrors: entry(deliveryRecord, 'type of `error` in the attempt log', ['text', 'object'], {
    meaning: '`object`: with `type` and `message`',
  }),
  attemptNulls: entry(deliveryRecord, 'members of the attempt log that do not apply', NULL_FORMS, NULLS),
  waitingDelivery: entry(deliveryStates, 'state between two attempts', ['pending', 'delivering']),
  resendStatus: entry(resend, 'HTTP status', [200, 202]),
  resendBody: entry(resend, 'response body', ['delivery', 'null', 'message', 'flag', 'text', 'empty'], {
    meaning:
      'the delivery in an envelope, an empty envelope, a message, the flag alone, plain text, or a 204 without body',
  }),
};
