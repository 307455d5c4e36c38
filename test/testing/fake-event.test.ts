import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  FAKE_WEBHOOK_SECRET,
  fakeCanceledEvent,
  fakePaidEvent,
  fakeUnknownEvent,
  seedFakes,
  signedDelivery,
  signedRequest,
} from '../../src/testing/index.ts';
import {
  createWebhookHandler,
  type InvoiceEvent,
  memoryStore,
  parseInvoiceEvent,
  toFetchHandler,
  verifyWebhook,
} from '../../src/webhooks/index.ts';

const NOW = '2026-01-31T09:30:00.000Z';
beforeEach(() => seedFakes(0, { now: NOW }));

const texts = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('fakePaidEvent', () => {
  it('is what verifyWebhook returns for a body as the interface shows it', () => {
    expect(texts(fakePaidEvent())).toEqual({
      type: 'invoice.paid',
      source: 'webhook',
      id: 'fa4e0000-d000-4000-8000-000000000001',
      invoice_uuid: 'fa4e0000-0000-4000-8000-000000000001',
      external_id: 'order-1',
      status: 'success',
      amount: '25',
      credited_usdt: '26.861298',
      adjusted: false,
      original_amount: null,
      signed_at: NOW,
      secretIndex: 0,
      raw: {
        event: 'invoice.paid',
        invoice_uuid: 'fa4e0000-0000-4000-8000-000000000001',
        external_id: 'order-1',
        status: 'success',
        amount: '25.00',
        credited_usdt: '26.861298',
        adjusted: false,
      },
    });
  });

  it.each<[object, object]>([
    [{ adjusted: true }, { amount: '17', original_amount: '25', credited_usdt: '18.265682' }],
    [{ original_amount: '50.00' }, { amount: '34', original_amount: '50', adjusted: true }],
    [
      { adjusted: true, amount: '10.00' },
      { amount: '10', original_amount: '15' },
    ],
    [{ amount: '100.00' }, { amount: '100', original_amount: null, credited_usdt: '107.445192' }],
    [{ credited_usdt: '1.5' }, { amount: '25', credited_usdt: '1.5' }],
    [{ source: 'catch_up' }, { source: 'catch_up', id: null, signed_at: null, secretIndex: null }],
  ])('completes %o', (overrides, expected) => {
    expect(texts(fakePaidEvent(overrides))).toMatchObject(expected);
  });

  it.each<[() => unknown, RegExp]>([
    [() => fakePaidEvent({ external: 'a' } as object), /no "external"/],
    [() => fakePaidEvent({ status: 'expired' } as object), /no "status"/],
    [() => fakePaidEvent({ amount: 25 } as object), /amount must be text/],
    [() => fakeCanceledEvent({ credited_usdt: '1' } as object), /no "credited_usdt"/],
    [() => fakeCanceledEvent({ status: 'success' } as object), /status must be one of fail, expired, canceled/],
    [
      () => fakeUnknownEvent({ event_name: null, status: 'success', credited_usdt: '1' }),
      /known: use the fake of invoice.paid/,
    ],
  ])('refuses what does not fit (%#)', (make, message) => {
    expect(make).toThrow(message);
  });

  it('goes through a queue and back', () => {
    for (const event of [fakePaidEvent({ adjusted: true }), fakeCanceledEvent(), fakeUnknownEvent()])
      expect(parseInvoiceEvent(texts(event))).toStrictEqual(event);
  });
});

describe('a signed fake', () => {
  const functions = {
    onPaid: vi.fn<(event: InvoiceEvent) => void>(),
    onCanceled: vi.fn<(event: InvoiceEvent) => void>(),
    onUnknown: vi.fn<(event: InvoiceEvent) => void>(),
  };
  const handlerOf = () => createWebhookHandler({ secret: FAKE_WEBHOOK_SECRET, store: memoryStore(), ...functions });
  beforeEach(() => vi.clearAllMocks());

  it.each([
    ['a paid event', fakePaidEvent],
    ['an adjusted event', () => fakePaidEvent({ adjusted: true })],
    ['a canceled event', () => fakeCanceledEvent({ status: 'fail' })],
    ['an unknown event', () => fakeUnknownEvent({ credited_usdt: '3' })],
  ] as const)('of %s is verified as the same event', async (_, make) => {
    const event = make();
    const { headers, body } = await signedDelivery(event);
    const verified = await verifyWebhook(body, headers, FAKE_WEBHOOK_SECRET);
    expect({ ...verified, signed_at: null, raw: null }).toStrictEqual({ ...event, signed_at: null, raw: null });
    expect(Math.abs(Number(verified.signed_at) - Date.now())).toBeLessThan(60_000);
  });

  it('runs onPaid once, as a request and as plain data', async () => {
    const handler = handlerOf();
    const event = fakePaidEvent({ external_id: 'order-1042' });
    const response = await toFetchHandler(handler)(await signedRequest(event));
    expect([response.status, await response.text()]).toEqual([200, 'done']);
    expect((await handler.handle(await signedDelivery(event))).body).toBe('duplicate');
    expect(functions.onPaid).toHaveBeenCalledTimes(1);
    expect(functions.onPaid.mock.calls[0]?.[0]).toMatchObject({ external_id: 'order-1042', id: event.id });
  });

  it('runs the function of each event', async () => {
    const handler = handlerOf();
    for (const event of [fakeCanceledEvent(), fakeUnknownEvent()])
      expect((await handler.handle(await signedDelivery(event))).status).toBe(200);
    expect([functions.onCanceled, functions.onUnknown].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  it('sends an event that was changed with a spread as changed', async () => {
    const changed = {
      ...fakePaidEvent(),
      external_id: 'order-9',
      credited_usdt: fakePaidEvent().credited_usdt.times(2),
    };
    const { headers, body } = await signedDelivery(changed);
    const verified = await verifyWebhook(body, headers, FAKE_WEBHOOK_SECRET);
    expect(texts(verified)).toMatchObject({ external_id: 'order-9', credited_usdt: '53.722596' });
  });

  it('takes members of an event, exact text and bytes', async () => {
    const text = '{"invoice_uuid":"u","external_id":"o","status":"expired","amount":"1"}';
    for (const content of [{ external_id: 'o' }, text, new TextEncoder().encode(text)]) {
      const { headers, body } = await signedDelivery(content);
      expect((await verifyWebhook(body, headers, FAKE_WEBHOOK_SECRET)).external_id).toBe('o');
    }
    const request = await signedRequest(new TextEncoder().encode(text));
    expect(await request.text()).toBe(text);
  });

  it('is signed with the given secret, at the given time and address, and refused with another', async () => {
    const request = await signedRequest(fakePaidEvent(), {
      secret: 'whsec_mine',
      url: 'https://shop.example/hook',
      timestamp: new Date(NOW),
    });
    expect([request.url, request.headers.get('x-webhook-timestamp')]).toEqual([
      'https://shop.example/hook',
      '1769851800',
    ]);
    expect((await toFetchHandler(handlerOf())(request)).status).toBe(401);
    expect(functions.onPaid).not.toHaveBeenCalled();
  });

  it.each<[unknown, object, RegExp]>([
    [null, {}, /needs an event, members of one, or a body, not null/],
    [7, {}, /not 7/],
    [{ externalId: 'a' }, {}, /no "externalId"/],
    ['x', { secret: '' }, /secret/],
    ['x', { sign: true }, /no "sign"/],
  ])('refuses %o with %o', async (content, options, message) => {
    await expect(signedRequest(content as string, options)).rejects.toThrow(message);
  });
});
