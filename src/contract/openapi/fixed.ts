import { statusesOf } from '../statuses.ts';
import type { JsonSchema } from './json-schema.ts';

const text = { type: 'string' };

function object(properties: JsonSchema, required: readonly string[] = Object.keys(properties)): JsonSchema {
  return { type: 'object', properties, required };
}

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** Both shapes of a failure. @see [Failure envelope](../../../docs/service-interface.md#failure-envelope) */
export const failureSchemas: Readonly<Record<string, JsonSchema>> = {
  Failure: object({
    success: { type: 'boolean', const: false },
    error: object(
      {
        code: { ...text, examples: ['VALIDATION_ERROR', 'INVOICE_ALREADY_EXISTS'] },
        message: text,
        details: { anyOf: [{ type: 'object' }, { type: 'null' }] },
      },
      ['code', 'message'],
    ),
  }),
  FailureDetail: object({
    detail: list(object({ loc: list({ anyOf: [text, { type: 'integer' }] }), msg: text, type: text })),
  }),
};

const header = (name: string, description: string): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: text,
});

const headers = [
  header('X-Webhook-Id', 'Delivery id, the same for repeats of one delivery.'),
  header('X-Webhook-Signature', 'HMAC-SHA256 over "{timestamp}.{raw_body}".'),
  header('X-Webhook-Timestamp', 'Timestamp included in the signed string.'),
];

const decimal = { ...text, examples: ['25.00'] };

function event(summary: string, properties: JsonSchema, required?: readonly string[]): JsonSchema {
  return {
    post: {
      summary,
      parameters: headers,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: object(properties, required) } },
      },
      responses: { '2XX': { description: 'Acknowledged. Anything else is repeated.' } },
    },
  };
}

/**
 * The terminal webhook of an invoice. The interface does not name the member with the merchant's order id.
 * @see [Events](../../../docs/service-interface.md#events)
 */
export const webhookDescriptions: Readonly<Record<string, JsonSchema>> = {
  'invoice.paid': event(
    'The invoice ended in success.',
    {
      invoice_uuid: text,
      status: { ...text, const: 'success' },
      amount: { ...decimal, description: 'The fiat actually paid.' },
      credited_usdt: { ...decimal, description: 'USDT credited: fulfil against this.' },
      adjusted: { type: 'boolean' },
      original_amount: { ...decimal, description: 'Present only when adjusted is true.' },
    },
    ['invoice_uuid', 'status', 'amount', 'credited_usdt', 'adjusted'],
  ),
  'invoice.canceled': event('The invoice ended in fail, expired or canceled.', {
    invoice_uuid: text,
    status: { ...text, enum: statusesOf('invoice.canceled') },
    amount: { ...decimal, description: 'The original order amount.' },
  }),
};
