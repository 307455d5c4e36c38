import { entry, SECTIONS } from './dialect-entry.ts';

const { auth, emission, headers, payload } = SECTIONS;

/** Open points of the webhooks: signature, headers and payload. */
export const WEBHOOK_DIALECTS = {
  signatureEncoding: entry(
    auth,
    'encoding of the signature',
    ['hex', 'hex_upper', 'base64', 'base64_unpadded', 'base64url'],
    { pin: '`encoding` of `verifyWebhook`' },
  ),
  signaturePrefix: entry(auth, 'prefix of the signature', ['', 'sha256=', 'sha256:', 'hmac-sha256=', 'v1=']),
  timestampFormat: entry(
    auth,
    'format of the timestamp header',
    ['seconds', 'seconds_fraction', 'milliseconds', 'iso', 'iso_offset'],
    {
      pin: '`timestampFormat` of `verifyWebhook`',
      meaning:
        '`seconds_fraction`: with milliseconds after a dot, `iso`: with `Z` and milliseconds, `iso_offset`: with `+00:00` and microseconds',
    },
  ),
  timestampPer: entry(headers, 'whether each attempt has a new timestamp', ['attempt', 'delivery'], {
    pin: '`tolerance` of `verifyWebhook`, or `handler.catchUp`',
    meaning: '`delivery`: every attempt repeats the timestamp of the first',
  }),
  webhookHeaders: entry(headers, 'further headers', ['none', 'some']),
  webhookBody: entry(payload, 'whether the members are in an envelope', ['flat', 'data'], {
    meaning: '`data`: they are in the member `data`',
  }),
  orderIdMember: entry(
    payload,
    "name of the merchant's order id",
    ['external_id', 'order_id', 'order.id', 'merchant_order_id', 'invoice_external_id', 'merchant_reference'],
    { pin: '`orderIdMember` of `verifyWebhook`', meaning: '`order.id`: the member `id` of an object `order`' },
  ),
  eventName: entry(payload, 'where the event is named', ['event', 'event_type', 'type', 'header', 'nowhere'], {
    meaning: 'a member of the body, the header X-Webhook-Event, or nowhere',
  }),
  eventSpelling: entry(payload, 'how the event is spelled there', ['plain', 'upper', 'namespaced', 'versioned'], {
    meaning: '`invoice.paid`, `INVOICE_PAID`, `com.merchant.invoice.paid`, or `invoice.paid.v1`',
  }),
  eventNulls: entry(payload, 'members of the other event', ['absent', 'null'], {
    meaning: '`null`: they are null, and so is original_amount of an exact payment',
  }),
  adjustedFlag: entry(payload, '`adjusted` of an exact payment', ['always', 'when_true'], {
    meaning: '`adjusted: false`, or no such member',
  }),
  withoutCallback: entry(emission, 'an end without any callback URL', ['nothing', 'failed_delivery'], {
    pin: '`handler.catchUp` handles the events that had no webhook',
    meaning: 'what it leaves in the delivery history',
  }),
};
