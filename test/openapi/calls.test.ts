import { describe, expect, it } from 'vitest';
import { type Call, document, inShort } from './in-short.ts';

// The calls and webhooks of the OpenAPI document beside the interface's "Endpoints" and "Events", typed by hand.

const page = (item: string) =>
  '{ success*: boolean const true default true, data: { page: integer, per_page: integer, total_items: integer, ' +
  `total_pages: integer, has_next: boolean, has_prev: boolean, items: list of -> ${item} } }`;
const shown = (data: string) => `{ success*: boolean const true default true, data: ${data} }`;
const unsaid = (data: string) => `${shown(data)} or ${data}`;
const PAGE = ['query page?: integer minimum 1 default 1', 'query per_page?: integer minimum 1 maximum 100 default 20'];
// The names and defaults of the withdrawals list are not shown.
const OTHER_PAGE = ['query page?: integer minimum 1', 'query per_page?: integer minimum 1 maximum 100'];
/** The form of a single read is not shown: a service may answer what it answers to a creation. */
const READ = '-> Invoice or -> CreatedInvoice';
const IDENT = ['path ident: string minLength 1 maxLength 128'];

const CALLS: readonly (readonly [string, string, string, readonly string[], string])[] = [
  ['invoices.create', 'post', '', [], shown('-> CreatedInvoice')],
  [
    'invoices.list',
    'get',
    '',
    [
      'query status?: string enum pending,success,fail,expired,canceled',
      'query currency?: string minLength 1 maxLength 16',
      ...PAGE,
    ],
    page('Invoice'),
  ],
  ['invoices.get', 'get', '/{ident}', IDENT, `${shown(READ)} or ${READ}`],
  ['webhooks.resend', 'post', '/{ident}/resend-webhook', IDENT, ''],
  ['webhooks.deliveries', 'get', '/{ident}/webhooks', IDENT, unsaid('list of -> WebhookDelivery')],
];
const OTHERS: typeof CALLS = [
  [
    'withdrawals.list',
    'get',
    'withdrawals',
    ['query status?: string enum pending,approved,rejected', ...OTHER_PAGE],
    page('Withdrawal'),
  ],
  [
    'withdrawals.get',
    'get',
    'withdrawals/{withdrawal_uuid}',
    ['path withdrawal_uuid: string minLength 1 maxLength 128'],
    unsaid('-> Withdrawal'),
  ],
  ['paymentMethods.list', 'get', 'payment-methods', [], shown('list of -> PaymentMethod')],
  ['rates.list', 'get', 'rates', [], shown('list of -> Rate')],
];

describe('the calls', () => {
  it.each([
    ...CALLS.map(([id, method, path, ...rest]) => [id, method, `invoices${path}`, ...rest] as const),
    ...OTHERS,
  ])('%s', (id, method, path, parameters, answer) => {
    const call = document.paths[`/api/v1/external/${path}`]?.[method];
    expect(call?.operationId).toBe(id);
    expect(call?.tags).toEqual([id.split('.')[0]]);
    const given = call?.parameters?.map(
      ({ name, in: where, required, schema }) => `${where} ${name}${required ? '' : '?'}: ${inShort(schema)}`,
    );
    expect(given ?? []).toEqual(parameters);
    if (parameters.length === 0) expect(call).not.toHaveProperty('parameters');
    expect(Object.keys(call?.responses ?? {}).sort()).toEqual(['2XX', '422', 'default']);
    const success = call?.responses['2XX']?.content?.['application/json']?.schema;
    expect(success === undefined ? '' : inShort(success)).toBe(answer);
    const refused = call?.responses['422']?.content?.['application/json']?.schema;
    expect(inShort(refused ?? {})).toBe('-> Failure or -> FailureDetail');
    const failed = call?.responses['default']?.content?.['application/json']?.schema;
    expect(inShort(failed ?? {})).toBe('-> Failure');
    for (const { description } of Object.values(call?.responses ?? {})) expect(description).toMatch(/\w.*\.$/);
  });

  it('only a creation has a body', () => {
    const bodies = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ operationId, requestBody }) =>
        requestBody ? [[operationId, requestBody]] : [],
      ),
    );
    expect(bodies).toHaveLength(1);
    const [id, body] = bodies[0] as [string, NonNullable<Call['requestBody']>]; // the only one
    expect([id, body.required]).toEqual(['invoices.create', true]);
    const address = 'uri maxLength 512';
    expect(inShort(body.content['application/json']?.schema ?? {})).toBe(
      '{ external_id: string minLength 1 maxLength 128, customer_id: string minLength 1 maxLength 128, ' +
        'amount: decimal, currency: string minLength 2 maxLength 16, purpose*: string maxLength 255, ' +
        `callback_url*: ${address}, success_url*: ${address}, fail_url*: ${address} }`,
    );
    const { amount, callback_url } = body.content['application/json']?.schema.properties ?? {};
    expect(amount?.description).toBe('Greater than 0.');
    expect(callback_url).toMatchObject({ type: 'string', description: 'HTTPS.' });
  });
});

const NOTHING: Call = { operationId: '', tags: [], responses: {} };

describe('the webhooks', () => {
  it.each([
    [
      'invoice.paid',
      '{ invoice_uuid: string, status: string const success, amount: string of 25.00, credited_usdt: string of 25.00, ' +
        'adjusted: boolean, original_amount*: string of 25.00 }',
    ],
    [
      'invoice.canceled',
      '{ invoice_uuid: string, status: string enum fail,expired,canceled, amount: string of 25.00 }',
    ],
  ])('%s', (name, payload) => {
    const { parameters, requestBody, responses, ...rest } = document.webhooks[name]?.post ?? NOTHING;
    expect(parameters?.map((header) => [header.in, header.name, header.required, header.schema.type])).toEqual([
      ['header', 'X-Webhook-Id', true, 'string'],
      ['header', 'X-Webhook-Signature', true, 'string'],
      ['header', 'X-Webhook-Timestamp', true, 'string'],
    ]);
    expect(requestBody?.required).toBe(true);
    const schema = requestBody?.content['application/json']?.schema ?? {};
    expect(inShort(schema)).toBe(payload);
    expect(schema.type).toBe('object');
    expect(responses['2XX']?.description).toContain('Acknowledged');
    const texts = [rest, ...(parameters ?? []), ...Object.values(schema.properties ?? {})].flatMap((part) =>
      Object.entries(part).filter(([key]) => key === 'summary' || key === 'description'),
    );
    expect(texts.length).toBeGreaterThanOrEqual(5);
    for (const [, text] of texts) expect(text).toMatch(/\w.*\.$/);
  });
});

it('the key goes in its header, to every call', () => {
  expect(document.components.securitySchemes).toEqual({ apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } });
  expect(document.security).toEqual([{ apiKey: [] }]);
  expect(document.servers).toEqual([{ url: 'https://pay.example.com' }]);
  expect(document.info).toEqual({
    title: 'Merchant Invoicing Service',
    version: '0.1.0',
    description: 'Charge customers in fiat through hosted payment links, and be credited in USDT.',
    license: { name: 'MIT', identifier: 'MIT' },
  });
});
