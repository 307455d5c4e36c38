import { describe, expect, it } from 'vitest';
import { document, inShort } from './in-short.ts';

// The schemas of the OpenAPI document beside the tables of the interface's "Resources", typed by hand.

/** Its members, each with `*` where it may be absent. */
function membersOf(name: string): Record<string, string> {
  const { properties = {}, required } = document.components.schemas[name] ?? {};
  return Object.fromEntries(
    Object.entries(properties).map(([key, member]) => [required?.includes(key) ? key : `${key}*`, inShort(member)]),
  );
}

const created = {
  uuid: 'string',
  external_id: 'string',
  customer_id: 'string',
  'purpose*': 'string?',
  amount: 'decimal',
  'amount_to_send*': 'decimal?',
  currency: '-> Currency',
  status: 'string of pending success fail expired canceled',
  'callback_url*': 'string?',
  'success_url*': 'string?',
  'fail_url*': 'string?',
  payment_url: 'string',
  created_at: 'date-time',
  expires_at: 'date-time',
};

const SCHEMAS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Currency: { id: 'integer', code: 'string', name: 'string', symbol: 'string' },
  CreatedInvoice: created,
  InvoicePaymentMethod: { name: 'string', 'logo_url*': 'string?' },
  InvoiceAdjustment: {
    expected_amount_fiat: 'decimal',
    actual_amount_fiat: 'decimal',
    expected_amount_usdt: 'decimal',
    actual_amount_usdt: 'decimal',
  },
  Invoice: {
    ...created,
    'finished_at*': 'date-time?',
    'payment_method*': '-> InvoicePaymentMethod?',
    'rate*': 'decimal?',
    'settled_amount_usdt*': 'decimal?',
    is_adjusted: 'boolean',
    'adjustment*': '-> InvoiceAdjustment?',
  },
  PaymentMethod: {
    id: 'integer',
    name: 'string',
    currency: '-> Currency',
    min_amount: 'decimal',
    max_amount: 'decimal',
    total_commission_percent: 'decimal',
    client_commission_percent: 'decimal',
    merchant_commission_percent: 'decimal',
    'logo_url*': 'string?',
  },
  Rate: {
    platform: 'string',
    asset: 'string',
    fiat: 'string',
    side: 'string of buy sell',
    price: 'decimal',
    'min_amount*': 'decimal?',
    'max_amount*': 'decimal?',
  },
  Withdrawal: {
    uuid: 'string',
    status: 'string of pending approved rejected',
    ...Object.fromEntries(
      ['actor', 'balance_type', 'token', 'network', 'address', 'logo_url', 'tx_hash', 'reject_reason'].map((name) => [
        `${name}*`,
        'string?',
      ]),
    ),
    'amount*': 'decimal?',
    'network_commission*': 'decimal?',
    'amount_to_send*': 'decimal?',
    'created_at*': 'date-time?',
    'processed_at*': 'date-time?',
  },
  WebhookDelivery: {
    id: 'string',
    status: 'string of pending delivering delivered failed',
    attempt_log:
      'list of { status_code*: any, success*: any, error*: any, duration_ms*: any, triggered_by*: any, created_at*: any }',
    ...Object.fromEntries(
      ['event_type', 'attempts', 'max_attempts', 'last_http_status', 'next_retry_at', 'delivered_at'].map((name) => [
        `${name}*`,
        'any',
      ]),
    ),
  },
  Failure: {
    success: 'boolean const false',
    error: '{ code: string of VALIDATION_ERROR INVOICE_ALREADY_EXISTS, message: string, details*: object? }',
  },
  FailureDetail: { detail: 'list of { loc: list of string or integer, msg: string, type: string }' },
};

describe('the resources', () => {
  it.each(Object.entries(SCHEMAS))('%s', (name, members) => {
    expect(membersOf(name)).toEqual(members);
    expect(document.components.schemas[name]?.type).toBe('object');
  });

  it('are all that there are', () => {
    expect(Object.keys(document.components.schemas).sort()).toEqual(Object.keys(SCHEMAS).sort());
  });

  it('lists known words as examples and in words, because more may come', () => {
    expect(document.components.schemas['Withdrawal']?.properties?.['status']).toEqual({
      type: 'string',
      examples: ['pending', 'approved', 'rejected'],
      description: 'Known values: pending, approved, rejected.',
    });
  });

  it('writes times as text', () => {
    expect(document.components.schemas['Invoice']?.properties?.['created_at']).toEqual({
      type: 'string',
      format: 'date-time',
    });
  });

  it('bounds the length of a decimal in an answer', () => {
    expect(document.components.schemas['Rate']?.properties?.['price']).toMatchObject({ maxLength: 150 });
  });

  it.each([
    [
      'Rate',
      'price',
      ['25.00', '-1', '0', '0.000000000000000001', '0E-8', '1E+2', '1e5', '1'.repeat(40)],
      ['', '1e100', '1e', '.5', '5.', '1,5', ' 1', '1x', '0x1f', 'NaN'],
    ],
    ['body', 'amount', ['25.00', '1', '0.5'], ['', '-1', '25.001', '1e5', '25.', 'x1']],
  ])('the pattern of %s.%s takes what it should', (schema, member, right, wrong) => {
    const body =
      document.paths['/api/v1/external/invoices']?.['post']?.requestBody?.content['application/json']?.schema;
    const found = (schema === 'body' ? body : document.components.schemas[schema])?.properties?.[member];
    const pattern = new RegExp(found?.pattern ?? 'none');
    expect(right.filter((text) => !pattern.test(text))).toEqual([]);
    expect(wrong.filter((text) => pattern.test(text))).toEqual([]);
    expect(found).toMatchObject({ type: 'string', examples: ['25.00'] });
  });
});
