import type { JsonSchema } from './json-schema.ts';

/** Both failure shapes. @see [Failure envelope](../../../docs/service-interface.md#failure-envelope) */
export const failureSchemas: Readonly<Record<string, JsonSchema>> = {
  Failure: {
    type: 'object',
    properties: {
      success: { type: 'boolean', const: false },
      error: {
        type: 'object',
        properties: {
          code: { type: 'string', examples: ['VALIDATION_ERROR', 'INVOICE_ALREADY_EXISTS'] },
          message: { type: 'string' },
          details: { anyOf: [{ type: 'object' }, { type: 'null' }] },
        },
        required: ['code', 'message'],
      },
    },
    required: ['success', 'error'],
  },
  FailureDetail: {
    type: 'object',
    properties: {
      detail: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            loc: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
            msg: { type: 'string' },
            type: { type: 'string' },
          },
          required: ['loc', 'msg', 'type'],
        },
      },
    },
    required: ['detail'],
  },
};

const header = (name: string, description: string): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const headers = [
  header('X-Webhook-Id', 'Delivery id; the same for repeats of one delivery.'),
  header('X-Webhook-Signature', 'HMAC-SHA256 over "{timestamp}.{raw_body}".'),
  header('X-Webhook-Timestamp', 'Timestamp included in the signed string.'),
];

const decimal = { type: 'string', examples: ['25.00'] };

function event(summary: string, properties: JsonSchema, required: readonly string[]): JsonSchema {
  return {
    post: {
      summary,
      parameters: headers,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { type: 'object', properties, required } } },
      },
      responses: { '2XX': { description: 'Acknowledged. Anything else is repeated.' } },
    },
  };
}

/**
 * The terminal webhook of an invoice; the member with the merchant's order id is not named.
 * @see [Events](../../../docs/service-interface.md#events)
 */
export const webhookDescriptions: Readonly<Record<string, JsonSchema>> = {
  'invoice.paid': event(
    'The invoice ended in success.',
    {
      invoice_uuid: { type: 'string' },
      status: { type: 'string', const: 'success' },
      amount: { ...decimal, description: 'The fiat actually paid.' },
      credited_usdt: { ...decimal, description: 'USDT credited: fulfil against this.' },
      adjusted: { type: 'boolean' },
      original_amount: { ...decimal, description: 'Present only when adjusted is true.' },
    },
    ['invoice_uuid', 'status', 'amount', 'credited_usdt', 'adjusted'],
  ),
  'invoice.canceled': event(
    'The invoice ended in expired, canceled or fail.',
    {
      invoice_uuid: { type: 'string' },
      status: { type: 'string', enum: ['expired', 'canceled', 'fail'] },
      amount: { ...decimal, description: 'The original order amount.' },
    },
    ['invoice_uuid', 'status', 'amount'],
  ),
};
