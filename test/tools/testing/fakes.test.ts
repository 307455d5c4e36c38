import { describe, expect, it, vi } from 'vitest';
import { hasCode, hasKind } from '../../../src/errors/guards.ts';
import {
  Decimal,
  FAKE_WEBHOOK_SECRET,
  type FakeInvoiceOverrides,
  type FakePaidEventOverrides,
  fakeAdjustedEvent,
  fakeCanceledEvent,
  fakeError,
  fakeInvoice,
  fakePaidEvent,
  signedRequest,
} from '../../../src/tools/testing/index.ts';
import {
  createWebhookHandler,
  type InvoiceEvent,
  memoryStore,
  parseInvoiceEvent,
  toFetchHandler,
  verifyWebhook,
} from '../../../src/webhooks/index.ts';
import { closedPort, type Step, serve } from '../../support/fault-server.ts';
import { answer, ok, redirect, refuse, resetAfterReading } from '../../support/fault-steps.ts';
import { createdInvoice, successInvoice } from '../../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../../support/test-client.ts';

const texts = (value: unknown) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>; // of an object

it('equal Decimals are equal for toEqual, toStrictEqual and toMatchObject, and others are not', () => {
  for (const [one, other] of [
    ['25', '25.00'],
    ['0', '0E-8'],
    ['1234567.89', '1234567.890'],
  ] as const) {
    expect(new Decimal(one)).toEqual(new Decimal(other));
    expect({ amount: new Decimal(one) }).toStrictEqual({ amount: new Decimal(other) });
    expect({ amount: new Decimal(one), id: 1 }).toMatchObject({ amount: new Decimal(other) });
  }
  expect(new Decimal('25.01')).not.toEqual(new Decimal('25'));
  expect(new Decimal('-25')).not.toEqual(new Decimal('25'));
  expect(new Decimal('25')).not.toEqual(25);
});

describe('fakeInvoice', () => {
  it('has the members of a listed invoice', () => {
    expect(Object.keys(fakeInvoice()).sort()).toEqual(Object.keys(successInvoice).sort());
  });

  it.each<[FakeInvoiceOverrides, object]>([
    [{}, { status: 'pending', amount: '25', finished_at: null, settled_amount_usdt: null, payment_method: null }],
    [{ status: 'success' }, { settled_amount_usdt: '26.861298', is_adjusted: false, adjustment: null, rate: '0.9214' }],
    [{ settled_amount_usdt: '1.5' }, { status: 'success', settled_amount_usdt: '1.5' }],
    [{ finished_at: '2026-01-31T09:30:00Z' }, { status: 'success', finished_at: '2026-01-31T09:30:00.000Z' }],
    [{ status: 'expired' }, { settled_amount_usdt: null, payment_method: null, finished_at: expect.any(String) }],
    [
      { is_adjusted: true, amount: '100.00' },
      { status: 'success', settled_amount_usdt: '73.06273', adjustment: { actual_amount_fiat: '68' } },
    ],
    [
      { adjustment: { actual_amount_fiat: '17.00' } },
      {
        is_adjusted: true,
        settled_amount_usdt: '18.265682',
        adjustment: {
          expected_amount_fiat: '25',
          actual_amount_fiat: '17',
          expected_amount_usdt: '26.861298',
          actual_amount_usdt: '18.265682',
        },
      },
    ],
    [
      { currency: 'TRY', amount: new Decimal('7.5') },
      { currency: { code: 'TRY' }, amount: '7.5' },
    ],
    [{ currency: { code: 'USD', symbol: '$' } }, { currency: { code: 'USD', symbol: '$', name: 'USD' } }],
    [{ payment_method: { name: 'Bank' } }, { payment_method: { name: 'Bank', logo_url: null } }],
    [{ created_at: '2026-01-31T09:30:00Z' }, { expires_at: '2026-01-31T10:00:00.000Z' }],
    [
      { external_id: 'order-7', purpose: null },
      { external_id: 'order-7', purpose: null },
    ],
  ])('completes %o', (overrides, expected) => {
    expect(texts(fakeInvoice(overrides))).toMatchObject(expected);
  });

  it('has other ids each time', () => {
    const [one, other] = [fakeInvoice(), fakeInvoice()];
    expect([one.uuid, one.external_id]).not.toEqual([other.uuid, other.external_id]);
  });
});

describe('the event of a fake', () => {
  it('has what verifyWebhook returns', () => {
    expect(texts(fakePaidEvent({ external_id: 'order-1' }))).toEqual({
      type: 'invoice.paid',
      source: 'webhook',
      id: expect.any(String),
      invoice_uuid: expect.any(String),
      external_id: 'order-1',
      order: 'order-1',
      renewal: 0,
      status: 'success',
      amount: '25',
      credited_usdt: '26.861298',
      adjusted: false,
      original_amount: null,
      signed_at: expect.any(String),
      secretIndex: 0,
      raw: expect.objectContaining({ event: 'invoice.paid', status: 'success', amount: '25.00' }),
    });
    expect(texts(fakeCanceledEvent())).toMatchObject({ type: 'invoice.canceled', status: 'expired', amount: '25' });
  });

  it.each<[object, object]>([
    [{ amount: '100.00' }, { amount: '100', original_amount: null, credited_usdt: '107.445192' }],
    [{ order: 'order-7' }, { external_id: 'order-7', order: 'order-7', renewal: 0 }],
    [
      { order: 'order-7', renewal: 2 },
      { external_id: 'order-7--2', order: 'order-7', renewal: 2 },
    ],
    [{ renewal: 1 }, { external_id: expect.stringMatching(/^order-\d+--1$/), renewal: 1 }],
    [{ external_id: 'order-7--49' }, { order: 'order-7', renewal: 49 }],
    [{ source: 'catch_up' }, { source: 'catch_up', id: null, signed_at: null, secretIndex: null }],
  ])('completes %o', (overrides, expected) => {
    expect(texts(fakePaidEvent(overrides))).toMatchObject(expected);
  });

  it.each<[FakePaidEventOverrides]>([
    [{ external_id: 'order-7', order: 'order-8' }],
    [{ external_id: 'order-7--1', order: 'order-7--1' }],
    [{ external_id: 'order-7', renewal: 1 }],
    [{ order: 'order-7--1' }],
    [{ renewal: 100 }],
    [{ renewal: -1 }],
  ])('refuses %o, whose external_id is of another order or renewal', (overrides) => {
    for (const fake of [fakePaidEvent, fakeAdjustedEvent, fakeCanceledEvent])
      expect(() => fake(overrides)).toThrow('order and renewal must fit it');
  });

  it.each<[object, object]>([
    [{}, { amount: '17', original_amount: '25', credited_usdt: '18.265682', adjusted: true }],
    [{ original_amount: '50.00' }, { amount: '34', original_amount: '50' }],
    [{ amount: '10.00' }, { amount: '10', original_amount: '15' }],
    [{ original_amount: null }, { amount: '17', original_amount: null, adjusted: true }],
  ])('completes an adjusted event of %o', (overrides, expected) => {
    expect(texts(fakeAdjustedEvent(overrides))).toMatchObject(expected);
  });

  it('goes through a queue and back', () => {
    for (const event of [fakeAdjustedEvent(), fakeCanceledEvent()])
      expect(parseInvoiceEvent(texts(event))).toStrictEqual(event);
  });
});

it.each<[() => unknown, RegExp]>([
  [() => fakeInvoice({ externalId: 'a' } as object), /no "externalId"/],
  [() => fakeInvoice({ amount: 25 } as object), /amount must be a decimal string, such as "25\.00"/],
  [() => fakeInvoice({ amount: '-1' }), /amount must not be negative/],
  [() => fakeInvoice({ created_at: 'yesterday' }), /created_at must be/],
  [() => fakeInvoice({ created_at: new Date('x') }), /created_at is an invalid Date/],
  [() => fakeInvoice({ adjustment: { actual: '1' } as object }), /no "actual"/],
  [() => fakePaidEvent({ status: 'expired' } as object), /no "status"/],
  [() => fakeCanceledEvent({ credited_usdt: '1' } as object), /no "credited_usdt"/],
  [
    () => fakeInvoice({ status: 'paid' } as object),
    /status must be .*"success".* A paid invoice is success\. For another/,
  ],
  [() => fakeInvoice({ status: 'Success' } as object), /status must be/],
  [() => fakeCanceledEvent({ status: 'success' } as object), /status must be one of fail, expired, canceled/],
  [() => fakeError('SDK_NONE' as string), /"SDK_NONE" is not a code of this package/],
  [
    () => fakeError('NOT_FOUND' as string),
    /the status decides the class of "NOT_FOUND": give it, such as \{ status: 404 \}/,
  ],
  [() => fakeError('SDK_TLS', { reason: 1 } as object), /no "reason"/],
])('a fake refuses what does not fit (%#)', (make, message) => {
  expect(make).toThrow(message);
});

/** A request as its parts, for test clients that take no Request. */
async function sent(request: Promise<Request>): Promise<{ headers: Record<string, string>; body: string }> {
  const { headers } = await request;
  return { headers: Object.fromEntries(headers), body: await (await request).text() };
}

describe('a signed fake', () => {
  it.each([
    ['a paid event', fakePaidEvent],
    ['an adjusted event', fakeAdjustedEvent],
    ['a canceled event', () => fakeCanceledEvent({ status: 'fail' })],
  ] as const)('of %s is verified as the same event', async (_, make) => {
    const event = make();
    const { headers, body } = await sent(signedRequest(event));
    const verified = await verifyWebhook(body, headers, FAKE_WEBHOOK_SECRET);
    expect({ ...verified, signed_at: null, raw: null }).toStrictEqual({ ...event, signed_at: null, raw: null });
  });

  it('runs the function once, as a request and as its parts', async () => {
    const onPaid = vi.fn<(event: InvoiceEvent) => void>();
    const store = memoryStore();
    const handler = createWebhookHandler({
      secret: FAKE_WEBHOOK_SECRET,
      store,
      onPaid,
      onAdjusted: () => {},
      onCanceled: () => {},
    });
    const event = fakePaidEvent({ external_id: 'order-1042' });
    const response = await toFetchHandler(handler)(await signedRequest(event));
    expect([response.status, await response.text()]).toEqual([200, 'done']);
    expect((await handler.handle({ method: 'POST', ...(await sent(signedRequest(event))) })).body).toBe('duplicate');
    expect(onPaid).toHaveBeenCalledTimes(1);
    expect(onPaid.mock.calls[0]?.[0]).toMatchObject({ external_id: 'order-1042', id: event.id });
  });

  it('is sent as changed by a spread, and takes members, text and bytes', async () => {
    const text = '{"invoice_uuid":"u","external_id":"o","status":"expired","amount":"1"}';
    const changed = { ...fakePaidEvent(), external_id: 'o' };
    for (const content of [changed, { external_id: 'o' }, text, new TextEncoder().encode(text)]) {
      const { headers, body } = await sent(signedRequest(content));
      expect((await verifyWebhook(body, headers, FAKE_WEBHOOK_SECRET)).external_id).toBe('o');
    }
    expect(await (await signedRequest(new TextEncoder().encode(text))).text()).toBe(text);
    await expect(signedRequest(5 as never)).rejects.toMatchObject({ kind: 'configuration' });
  });

  it('is signed with the given secret, at the given time and address', async () => {
    const timestamp = new Date('2026-01-31T09:30:00Z');
    const request = await signedRequest(fakePaidEvent(), {
      secret: 'whsec_mine',
      url: 'https://a.example/b',
      timestamp,
    });
    expect([request.url, request.method]).toEqual(['https://a.example/b', 'POST']);
    const body = await request.text();
    const now = () => Number(timestamp);
    expect((await verifyWebhook(body, request.headers, 'whsec_mine', { now })).signed_at).toEqual(timestamp);
    await expect(verifyWebhook(body, request.headers, FAKE_WEBHOOK_SECRET, { now })).rejects.toMatchObject({
      reason: 'signature_mismatch',
    });
  });
});

describe('fakeError has the class, the kind, the status and the outcome that the client gives', () => {
  const create = (merchant: ReturnType<typeof clientOf>) => merchant.invoices.create(order);
  const read = (merchant: ReturnType<typeof clientOf>) => merchant.invoices.get('order-1042');
  it.each<[Parameters<typeof fakeError>[0], typeof create | typeof read, Step]>([
    ['VALIDATION_ERROR', create, refuse(422, 'VALIDATION_ERROR', { amount: ['must be above 0'] })],
    ['INVOICE_ALREADY_EXISTS', create, refuse(409, 'INVOICE_ALREADY_EXISTS', { status: 'pending' })],
    ['SDK_HTTP_400', create, refuse(400, null)],
    ['SDK_HTTP_401', create, refuse(401, null)],
    ['SDK_HTTP_404', read, refuse(404, null)],
    ['SDK_HTTP_408', create, refuse(408, null)],
    ['SDK_HTTP_429', create, refuse(429, null)],
    ['SDK_HTTP_500', create, refuse(500, null)],
    ['SDK_CONNECTION', create, resetAfterReading],
    ['SDK_REDIRECT', create, redirect(302, 'https://other.example/')],
    ['SDK_UNREADABLE_BODY', create, answer(200, '<html>')],
    ['SDK_CONTRACT', create, ok({ ...createdInvoice, amount: undefined })],
  ])('%s (%#)', async (code, use, step) => {
    const server = await serve(step);
    const real = await errorOf(use(clientOf(server.url)));
    const shape = (of: typeof real) => {
      const { name, kind, code, status, outcome, operation } = of;
      return { name, kind, code, status, outcome, operation };
    };
    const fake = fakeError(code as 'SDK_HTTP_400'); // any of the known codes
    expect(shape(fake)).toEqual(shape(real));
    expect(hasCode(fake, code as string) && hasKind(fake, real.kind)).toBe(true);
  });

  it.each([
    ['SDK_TLS', 'connection', 'not_sent'],
    ['SDK_ATTEMPT_TIMEOUT', 'timeout', 'unknown'],
    ['SDK_DEADLINE', 'timeout', 'unknown'],
    ['SDK_ABORTED', 'aborted', 'unknown'],
    ['SDK_PAGE', 'unexpected_response', 'rejected'],
    ['SDK_API_KEY', 'configuration', 'not_sent'],
    ['SDK_CONFIGURATION', 'configuration', 'not_sent'],
    ['SDK_INVALID_ARGUMENT', 'configuration', 'not_sent'],
    ['SDK_INVOICE_MISMATCH', 'mismatch', 'rejected'],
    ['SDK_WEBHOOK_SIGNATURE_MISMATCH', 'webhook', 'not_sent'],
  ] as const)('%s', (code, kind, outcome) => {
    expect(fakeError(code)).toMatchObject({ code, kind, outcome });
  });

  it('a refused connection may be given as such, and so may a code of the service', async () => {
    const real = await errorOf(clientOf(await closedPort()).invoices.create(order));
    expect(fakeError('SDK_CONNECTION', { outcome: 'not_sent' })).toMatchObject({
      kind: real.kind,
      outcome: real.outcome,
    });
    const frozen = fakeError('ACCOUNT_FROZEN' as string, { status: 403 });
    expect(frozen).toMatchObject({ kind: 'authentication', status: 403, answeredBy: 'service' });
    const server = await serve(refuse(404, 'NOT_FOUND'));
    const { name, kind, status, outcome, operation } = await errorOf(read(clientOf(server.url)));
    const missing = fakeError('NOT_FOUND' as string, { status: 404 });
    expect(missing).toMatchObject({ name, kind, status, outcome, operation, code: 'NOT_FOUND' });
    const conflict = fakeError('INVOICE_ALREADY_EXISTS', {
      details: { external_id: 'order-1042', status: 'success' },
      externalId: 'order-1042',
    });
    expect(conflict).toMatchObject({ externalId: 'order-1042', existingStatus: 'success' });
    expect(fakeError('INVOICE_ALREADY_EXISTS').existingStatus).toBe('pending');
  });
});
