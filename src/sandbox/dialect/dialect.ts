/** The body of a failure whose form is not shown: the envelope, its error alone, `{ detail: text }`, a page, or nothing. */
export type FailureBody = 'envelope' | 'bare' | 'detail' | 'html' | 'empty';
/** How a member without a value is shown; `mixed`: null and absent in turn. */
export type NullForm = 'null' | 'absent' | 'empty' | 'mixed';

/**
 * How the sandbox fills in what the service interface leaves unsaid, one member per point. The defaults are the
 * likeliest reading, not knowledge: run your tests over the others before you go live.
 * @experimental
 */
export interface Dialect {
  /** HTTP status of a successful creation. */
  readonly createStatus: 201 | 200 | 202;
  /** HTTP status of INVOICE_ALREADY_EXISTS. 200 is a success status with `success: false`. */
  readonly conflictStatus: 409 | 400 | 403 | 422 | 500 | 200;
  /** Details of the conflict: both members, with others beside them, inside an `invoice`, null, or none. */
  readonly conflictDetails: 'full' | 'extra' | 'nested' | 'null' | 'absent';
  /** Name of the member that carries the existing invoice's status in the conflict's details. */
  readonly conflictStatusMember: 'status' | 'existing_status' | 'invoice_status';
  /** Name of the member that carries the conflicting external_id. */
  readonly conflictIdMember: 'external_id' | 'order_id';
  /**
   * Shape of a 422: the failure envelope, the `detail` list, both at once, `detail` as plain text, an envelope whose
   * details have one text per field, or one without details.
   */
  readonly validationShape: 'envelope' | 'detail' | 'both' | 'detail_text' | 'texts' | 'no_details';
  readonly authStatus: 401 | 403 | 400;
  readonly authCode: 'UNAUTHORIZED' | 'INVALID_API_KEY' | 'AUTHENTICATION_FAILED' | 'FORBIDDEN';
  readonly authBody: FailureBody;
  readonly notFoundStatus: 404 | 410 | 400;
  /** One code for everything that is not found, or one for each kind, such as INVOICE_NOT_FOUND. */
  readonly notFoundCode: 'general' | 'specific';
  readonly notFoundBody: FailureBody;
  readonly rateLimitStatus: 429 | 503 | 403;
  readonly rateLimitCode: 'RATE_LIMIT_EXCEEDED' | 'RATE_LIMITED' | 'TOO_MANY_REQUESTS' | 'THROTTLED';
  readonly rateLimitBody: FailureBody;
  /** How a Retry-After given as a number of seconds is written; `absent`: not at all. */
  readonly retryAfterForm: 'seconds' | 'http_date' | 'absent';
  /** Whether answers carry the Date header, with the sandbox's own time. */
  readonly dateHeader: 'present' | 'absent';
  /** HTTP status of a failure of the service, where the fault that asks for it names none. */
  readonly serverStatus: 503 | 500 | 502 | 504;
  readonly serverCode: 'SERVICE_UNAVAILABLE' | 'INTERNAL_ERROR' | 'INTERNAL_SERVER_ERROR';
  readonly serverBody: FailureBody;
  /** Whether `success: true` is written, being the default. */
  readonly successFlag: 'present' | 'absent';
  /** Shape of a single read: in the envelope, bare, or in the envelope under the name `invoice`. */
  readonly invoiceRead: 'envelope' | 'bare' | 'named';
  /** Members of a single read: the full form, or the creation fields only. */
  readonly invoiceReadForm: 'full' | 'creation';
  /** What a single read accepts as {ident}. */
  readonly invoiceReadIdent: 'both' | 'uuid' | 'external_id';
  /** Answer to an {ident} of a form that is not accepted: not found, or a 422. */
  readonly identRefusal: 'not_found' | 'invalid';
  /** As invoiceRead; the name is `withdrawal`. */
  readonly withdrawalRead: 'envelope' | 'bare' | 'named';
  /** Envelope with a list, envelope with a page, envelope with `{ deliveries: [] }`, or a bare list. */
  readonly deliveriesShape: 'list' | 'page' | 'named' | 'bare';
  /** `long`: id, event_type, last_http_status, attempt_log …; `short`: delivery_id, event, last_status_code, attempts (the log) …; `counted`: webhook_id, attempt_count, attempt_history … */
  readonly deliveryNames: 'long' | 'short' | 'counted';
  /** How the record shows a member that does not apply. */
  readonly deliveryNulls: NullForm;
  /** Whether numbers of the attempt log are JSON numbers or text. */
  readonly attemptNumbers: 'number' | 'text';
  /** How the attempt log writes `success`: a boolean, 1 and 0, or text. */
  readonly attemptFlags: 'boolean' | 'number' | 'text';
  /** `error` of the attempt log: a text, or an object with `type` and `message`. */
  readonly attemptErrors: 'text' | 'object';
  /** How the attempt log shows a member that does not apply. */
  readonly attemptNulls: NullForm;
  /** Status of a delivery that waits for its next retry. */
  readonly waitingDelivery: 'pending' | 'delivering';
  /** HTTP status of the answer to a resend, unless it has no body. */
  readonly resendStatus: 200 | 202;
  /** Answer to a resend: the delivery in an envelope, an empty envelope, a message, the flag alone, plain text, or no body at all (204). */
  readonly resendBody: 'delivery' | 'null' | 'message' | 'flag' | 'text' | 'empty';
  readonly signatureEncoding: 'hex' | 'hex_upper' | 'base64' | 'base64_unpadded' | 'base64url';
  readonly signaturePrefix: '' | 'sha256=' | 'sha256:' | 'hmac-sha256=' | 'v1=';
  /** `seconds_fraction`: seconds with milliseconds behind a dot; `iso`: with `Z` and milliseconds; `iso_offset`: with `+00:00` and microseconds. */
  readonly timestampFormat: 'seconds' | 'seconds_fraction' | 'milliseconds' | 'iso' | 'iso_offset';
  /** Whether every attempt gets its own X-Webhook-Timestamp, or repeats that of the first. */
  readonly timestampPer: 'attempt' | 'delivery';
  /** Whether a delivery carries headers that the interface does not list. */
  readonly webhookHeaders: 'none' | 'some';
  /** Whether the members of a webhook are the body's own, or stand under `data`. */
  readonly webhookBody: 'flat' | 'data';
  /** Name of the webhook member that carries the merchant's order id; `order.id`: in an object. */
  readonly orderIdMember:
    | 'external_id'
    | 'order_id'
    | 'order.id'
    | 'merchant_order_id'
    | 'invoice_external_id'
    | 'merchant_reference';
  /** Where a webhook names its event: a body member, the header X-Webhook-Event, or nowhere. */
  readonly eventName: 'event' | 'event_type' | 'type' | 'header' | 'nowhere';
  /** `INVOICE_PAID`, `com.merchant.invoice.paid`, `invoice.paid.v1`, or other words: `payment.settled`, `payment.dropped`. */
  readonly eventSpelling: 'plain' | 'upper' | 'namespaced' | 'versioned' | 'other';
  /** Whether a webhook shows members of the other event, and original_amount of an exact payment, as null. */
  readonly eventNulls: 'absent' | 'null';
  /** Whether a webhook says `adjusted: false`, or `adjusted` only when it is true. */
  readonly adjustedFlag: 'always' | 'when_true';
  /** What an end without any callback URL leaves in the delivery history. */
  readonly withoutCallback: 'nothing' | 'failed_delivery';
  /** Query names of the withdrawals list. */
  readonly withdrawalStatus: 'status' | 'state' | 'withdrawal_status';
  readonly withdrawalPage: 'page' | 'page_number' | 'p';
  readonly withdrawalPageSize: 'per_page' | 'page_size' | 'limit';
  readonly withdrawalDefaultSize: 20 | 10 | 50;
  /** What a list does with a query name that it does not know: nothing, or a 422. */
  readonly unknownQuery: 'ignored' | 'refused';
  /** How a withdrawal shows a member that does not apply. */
  readonly withdrawalNulls: NullForm;
  /** How an invoice shows a nullable member without a value. */
  readonly invoiceNulls: 'null' | 'absent' | 'mixed';
  /** Whether the creation response already has an amount_to_send. */
  readonly amountToSendAtCreation: 'null' | 'value';
  readonly listOrder: 'newest' | 'oldest';
  /** Answer to a page beyond the last: an empty one, the last one, not found, or a 422. */
  readonly pastEnd: 'empty' | 'last' | 'not_found' | 'invalid';
  /** `total_pages` of an empty list. */
  readonly emptyPages: 0 | 1;
  /** ISO 8601 in UTC: `…:05.120Z`, `…:05.120+00:00`, `…:05.120000Z`, `…:05.120`, `…:05Z`, and with a blank for the T. */
  readonly timeForm: 'z' | 'offset' | 'micros' | 'zoneless' | 'whole_seconds' | 'blank';
  /** How many decimals amounts have: as they were given, always 8, or no zeros at the end. */
  readonly decimalForm: 'as_given' | 'padded' | 'trimmed';
  /** What a rate without fresh data looks like: not in the list, with a null price, or without that member. */
  readonly staleRates: 'omitted' | 'null' | 'absent';
  /** What a source shows that gives no smallest and largest order. */
  readonly rateLimits: 'present' | 'null' | 'absent';
  /** Whether answers and webhooks have members that the interface does not list, as a later version may add. */
  readonly extraMembers: 'none' | 'some';
  /** Whether there is, from the start, an invoice, a withdrawal and a rate with a word that is not listed; a delivery that waits then is `queued`. */
  readonly newWords: 'none' | 'some';
}
