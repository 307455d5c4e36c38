import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../src/errors/classes.ts';
import { createWebhookHandler, memoryStore, type WebhookStore } from '../../../src/webhooks/index.ts';
import { canceledBody, deferred, endpoint, paidBody, request, send } from '../endpoint.ts';
import { ManualClock, settle } from '../manual-clock.ts';
import { RUNTIMES } from '../runtimes.ts';
import { SECRET, UUID } from '../vectors.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const down = (move: string) => async (): Promise<never> => {
  throw new Error(`${move}: the database is down`);
};

describe.each(RUNTIMES)('a delivery with $runtime', ({ enter }) => {
  beforeEach(enter);

  it('is handled once, by the function for its type', async () => {
    const shop = endpoint();
    expect(await send(shop)).toMatchObject({ status: 200, body: 'done' });
    expect(await send(shop, { ...canceledBody, invoice_uuid: 'other' })).toMatchObject({ status: 200, body: 'done' });
    expect(shop.calls).toEqual(['paid order-1042', 'canceled order-1042']);
    expect(shop.reports).toEqual([]);
    expect(shop.clock.pending).toBe(0);
  });

  it('comes with a context', async () => {
    const seen: unknown[] = [];
    const shop = endpoint({ onPaid: (event, context) => void seen.push(event.type, { ...context }) });
    await send(shop, { ...paidBody, invoice_uuid: UUID.toUpperCase() });
    expect(seen).toEqual([
      'invoice.paid',
      { signal: expect.any(AbortSignal), deliveryId: 'dlv_1', dedupeKey: `${UUID}:paid`, takenOver: false },
    ]);
  });

  it('that repeats a done one is not handled, whatever its delivery id or the case of its uuid', async () => {
    const shop = endpoint();
    await send(shop);
    expect(await send(shop, { ...paidBody, invoice_uuid: UUID.toUpperCase() }, 'dlv_2')).toMatchObject({
      status: 200,
      body: 'duplicate',
    });
    expect(shop.calls).toHaveLength(1);
    expect(shop.reports).toEqual([
      {
        reason: 'duplicate',
        message: expect.any(String),
        status: 200,
        deliveryId: 'dlv_2',
        ageMs: 0,
        key: `${UUID}:paid`,
        external_id: 'order-1042',
      },
    ]);
  });

  it.each([
    ['amount', { amount: '24.00' }],
    ['credited_usdt', { credited_usdt: '1' }],
    ['adjusted', { adjusted: true, original_amount: '25.00' }],
  ])('that repeats a done one with another %s is reported', async (_name, members) => {
    const shop = endpoint();
    await send(shop);
    expect(await send(shop, { ...paidBody, ...members })).toMatchObject({ status: 200 });
    expect(shop.reasons()).toEqual(['duplicate_differs']);
    expect(shop.calls).toHaveLength(1);
  });
});

describe('paid and canceled', () => {
  it('of one invoice are two events', async () => {
    const shop = endpoint();
    await send(shop);
    await send(shop, canceledBody);
    expect(shop.calls).toEqual(['paid order-1042', 'canceled order-1042']);
  });
});

describe('an unknown event', () => {
  it('without onUnknown is acknowledged, reported, and not remembered', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ now: clock.now });
    const shop = endpoint({ store }, clock);
    expect(await send(shop, { ...canceledBody, status: 'held' })).toMatchObject({ status: 200, body: 'no_handler' });
    expect(shop.reasons()).toEqual(['no_handler']);
    expect(store.size).toBe(0);
  });

  it.each([
    ['success of another member', { ...canceledBody, status: 'held', check: 'success' }],
    ['a credit of null', { ...canceledBody, status: 'held', credited_usdt: null }],
    [
      'members of null, and a status that is no text',
      { ...canceledBody, status: 'held', note: null, part: { status: 7 } },
    ],
  ])('is not taken for a payment: %s', async (_name, body) => {
    expect(await send(endpoint(), { ...body, event: 'order.held' })).toMatchObject({ status: 200, body: 'no_handler' });
  });

  it.each([
    ['another name and status success', { ...canceledBody, event: 'order.settled', status: 'success' }],
    ['a test with status success', { ...paidBody, event: 'test' }],
    ['status success in another spelling', { ...canceledBody, status: ' SUCCESS' }],
    ['another status, and an amount that was credited', { ...canceledBody, status: 'held', credited_usdt: '26.91' }],
    [
      'another status, and a credited amount that cannot be read',
      { ...canceledBody, status: 'held', credited_usdt: {} },
    ],
    [
      'an amount that was credited, in the envelope',
      { event: 'order.settled', credited_usdt: '26.91', data: { ...canceledBody, status: 'held' } },
    ],
    [
      'status success in the envelope',
      { event: 'order.settled', status: 'success', data: { ...canceledBody, status: 'held' } },
    ],
    [
      'a paid invoice in an envelope with an id and a status of its own',
      { status: 'ok', invoice_uuid: UUID, data: { object: paidBody } },
    ],
    ['the same in an envelope', { data: { ...canceledBody, status: 'held', credited_usdt: '26.91' } }],
  ])(
    'without onUnknown that may be about money is answered 500, so that the service repeats it: %s',
    async (_name, body) => {
      const store = memoryStore();
      const shop = endpoint({ store });
      expect(await send(shop, body)).toMatchObject({ status: 500, body: 'unknown_payment' });
      expect(shop.reports).toMatchObject([
        { reason: 'unknown_payment', status: 500, message: expect.stringContaining('onUnknown') },
      ]);
      expect([shop.calls, store.size]).toEqual([[], 0]);
      const seen: unknown[] = [];
      const told = endpoint({ onUnknown: (event) => void seen.push(event.type) });
      expect(await send(told, body)).toMatchObject({ status: 200, body: 'done' });
      expect([told.calls, seen]).toEqual([[], ['unknown']]);
    },
  );
});

describe('the answer to', () => {
  const cases: [string, string, number, object][] = [
    ['GET', 'method_not_allowed', 405, { method: 'GET' }],
    ['a method that is no text', 'method_not_allowed', 405, { method: undefined }],
    ['a parsed body', 'body_already_parsed', 400, { body: paidBody }],
    ['no body', 'body_already_parsed', 400, { body: undefined }],
    ['a large body', 'body_too_large', 413, { body: 'x'.repeat(262_145) }],
    ['another body', 'signature_mismatch', 401, { body: '{}' }],
    ['no headers', 'missing_header', 401, { headers: {} }],
    ['headers that are none', 'missing_header', 401, { headers: null }],
  ];
  it.each(cases)('%s is %s', async (_name, reason, status, change) => {
    const shop = endpoint();
    const reply = await shop.handler.handle({ ...(await request(shop.clock)), ...change });
    expect(reply).toMatchObject({ status, body: reason });
    expect(shop.reports).toMatchObject([{ reason, status }]);
    expect(shop.calls).toEqual([]);
  });

  it.each([
    ['X-Webhook-Signature', 'zz', 'malformed_signature', 400],
    ['X-Webhook-Signature', `${'0'.repeat(64)}, ${'1'.repeat(64)}`, 'duplicate_header', 400],
    ['X-Webhook-Signature', '0'.repeat(64), 'signature_mismatch', 401],
    ['X-Webhook-Timestamp', 'today', 'malformed_timestamp', 400],
    ['X-Webhook-Id', '', 'missing_header', 401],
    ['Content-Encoding', 'identity, gzip', 'unsupported_media_type', 415],
    ['Content-Encoding', 'X-Gzip', 'unsupported_media_type', 415],
    ['Content-Encoding', 'utf-8, zstd', 'unsupported_media_type', 415],
  ])('%s: %s is %s', async (name, value, reason, status) => {
    const shop = endpoint();
    const { headers, ...rest } = await request(shop.clock);
    const reply = await shop.handler.handle({ ...rest, headers: { ...headers, [name]: value } as never });
    expect(reply).toMatchObject({ status, body: reason });
    expect(shop.reasons()).toEqual([reason]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', '', 'application/cloudevents+json', undefined])(
    'Content-Type %s is done',
    async (type) => {
      const shop = endpoint();
      const { headers, ...rest } = await request(shop.clock);
      const reply = await shop.handler.handle({ ...rest, headers: { ...headers, 'Content-Type': type } as never });
      expect(reply.status).toBe(200);
    },
  );

  it('an old or early delivery is 401, and its age is reported', async () => {
    for (const [offset, reason] of [
      [600_000, 'timestamp_too_old'],
      [-600_000, 'timestamp_too_new'],
    ] as const) {
      const shop = endpoint();
      const late = await request(shop.clock);
      shop.clock.time += offset;
      expect(await shop.handler.handle(late)).toMatchObject({ status: 401, body: reason });
      expect(shop.reports).toMatchObject([{ reason, ageMs: offset, deliveryId: 'dlv_1', key: null }]);
    }
  });

  it('a genuine payload that is malformed is 500, so that the service repeats', async () => {
    const shop = endpoint();
    expect(await send(shop, { ...paidBody, credited_usdt: null })).toMatchObject({ status: 500 });
    expect(shop.reports).toMatchObject([
      { reason: 'malformed_payload', message: expect.stringContaining('credited_usdt') },
    ]);
  });
});

describe('a function that fails', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('no stock');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('no stock');
      },
    ],
  ])('and %s gives the claim back, so that the repeat is handled', async (_name, fail) => {
    const clock = new ManualClock();
    let failing = true;
    const done: string[] = [];
    const shop = endpoint({ onPaid: () => (failing ? fail() : done.push('paid')) }, clock);
    expect(await send(shop)).toMatchObject({ status: 500, body: 'handler_failed' });
    expect(shop.reports).toMatchObject([{ reason: 'handler_failed', error: new Error('no stock') }]);
    failing = false;
    expect(await send(shop)).toMatchObject({ status: 200, body: 'done' });
    expect(done).toEqual(['paid']);
    expect(clock.pending).toBe(0);
  });
});

describe('while a function runs', () => {
  it('a repeat is answered 409 with a time to wait', async () => {
    const gate = deferred();
    const shop = endpoint({ onPaid: () => gate.promise });
    const first = send(shop);
    await settle();
    expect(await send(shop)).toMatchObject({
      status: 409,
      headers: { 'Retry-After': '50' },
      body: 'duplicate_running',
    });
    expect(shop.reasons()).toEqual(['duplicate_running']);
    gate.resolve();
    expect(await first).toMatchObject({ status: 200 });
  });
});

describe('the time limit', () => {
  it('answers 503, aborts the signal, and keeps the claim', async () => {
    const gate = deferred();
    let signal: AbortSignal | undefined;
    const shop = endpoint({
      onPaid: (_event, context) => {
        signal = context.signal;
        return gate.promise;
      },
    });
    const first = send(shop);
    await shop.clock.advance(11_999);
    expect(signal?.aborted).toBe(false);
    await shop.clock.advance(1);
    expect(await first).toMatchObject({ status: 503, body: 'time_limit' });
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' });

    await shop.clock.advance(48_000); // the first repeat, after a minute: the lease of 50 seconds was renewed
    expect(await send(shop)).toMatchObject({ status: 409 });
    gate.resolve();
    await settle();
    expect(await send(shop)).toMatchObject({ status: 200, body: 'duplicate' });
    expect(shop.reasons()).toEqual(['time_limit', 'duplicate_running', 'completed_late', 'duplicate']);
    expect(shop.clock.pending).toBe(0);
  });

  it('a failure after it gives the claim back', async () => {
    const gate = deferred();
    const onPaid = vi.fn().mockReturnValueOnce(gate.promise);
    const shop = endpoint({ onPaid });
    const first = send(shop);
    await shop.clock.advance(12_000);
    await first;
    gate.reject(new Error('too slow'));
    await settle();
    expect(shop.reports).toMatchObject([
      { reason: 'time_limit', status: 503 },
      { reason: 'handler_failed', status: null },
    ]);
    expect(await send(shop)).toMatchObject({ status: 200, body: 'done' });
    expect(onPaid).toHaveBeenCalledTimes(2);
  });

  it('covers a store that hangs: a claim that comes late is given back, and nothing runs', async () => {
    const clock = new ManualClock();
    const inner = memoryStore({ now: clock.now });
    const gate = deferred();
    const store: WebhookStore = {
      ...inner,
      async claim(claim) {
        await gate.promise;
        return await inner.claim(claim);
      },
    };
    const shop = endpoint({ store }, clock);
    const first = send(shop);
    await clock.advance(12_000);
    expect(await first).toMatchObject({ status: 503 });
    gate.resolve();
    await settle();
    expect(inner.size).toBe(0);
    expect(shop.calls).toEqual([]);
    expect(shop.reasons()).toEqual(['time_limit']);
  });

  it('ends the reading: a body that comes after it is not claimed', async () => {
    const claim = vi.fn(memoryStore().claim);
    const shop = endpoint({ store: { ...memoryStore(), claim } });
    const gate = deferred();
    const { body, ...rest } = await request(shop.clock);
    const first = shop.handler.handle({ ...rest, body: () => gate.promise.then(() => body as Uint8Array) });
    await shop.clock.advance(12_000);
    expect(await first).toMatchObject({ status: 503 });
    gate.resolve();
    await settle();
    expect(claim).not.toHaveBeenCalled();
    expect(shop.reasons()).toEqual(['time_limit']);
  });
});

describe('the lease', () => {
  it('is renewed for ten minutes and then left to end; the repeat takes over, and the late loser touches nothing', async () => {
    const slow = deferred();
    const taken: boolean[] = [];
    const winner = deferred();
    const shop = endpoint({
      onPaid: (_event, context) => {
        taken.push(context.takenOver);
        return taken.length === 1 ? slow.promise : winner.promise;
      },
    });
    const first = send(shop);
    await shop.clock.advance(640_000);
    await first;
    expect(await send(shop)).toMatchObject({ status: 409 });
    await shop.clock.advance(10_000);
    const second = send(shop);
    await settle();
    expect(taken).toEqual([false, true]);
    slow.resolve(); // the loser succeeds late
    await settle();
    expect(await send(shop)).toMatchObject({ status: 409 }); // the winner's claim still stands
    winner.resolve();
    expect(await second).toMatchObject({ status: 200, body: 'done' });
    expect(shop.reasons()).toEqual([
      'time_limit',
      'duplicate_running',
      'taken_over',
      'lease_lost',
      'duplicate_running',
    ]);
  });

  it('of a process that died is taken over when it ends, not before', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ now: clock.now });
    await store.claim({ key: `${UUID}:paid`, owner: 'dead', digest: 'd', lease: 50_000 });
    const shop = endpoint({ store }, clock);
    await clock.advance(49_999);
    expect(await send(shop)).toMatchObject({ status: 409 });
    await clock.advance(1);
    expect(await send(shop)).toMatchObject({ status: 200, body: 'done' });
    expect(shop.reports).toMatchObject([
      { reason: 'duplicate_running' },
      { reason: 'taken_over', status: null, message: expect.stringContaining('differ') },
    ]);
  });

  it('is not said to be of another event where it is of the same', async () => {
    const clock = new ManualClock();
    const store = { ...memoryStore({ now: clock.now }), release: async () => {} };
    await send(endpoint({ store, onPaid: () => Promise.reject(new Error('the first fails')) }, clock));
    const shop = endpoint({ store }, clock);
    await clock.advance(50_000);
    expect(await send(shop)).toMatchObject({ status: 200, body: 'done' });
    expect(shop.reports.at(-1)).toMatchObject({ reason: 'taken_over', message: expect.not.stringContaining('differ') });
  });
});

describe('a store that fails', () => {
  it('at the claim is 503, and nothing runs', async () => {
    const shop = endpoint({ store: { ...memoryStore(), claim: down('claim') } });
    expect(await send(shop)).toMatchObject({ status: 503, body: 'store_failed' });
    expect(shop.calls).toEqual([]);
    expect(shop.reports).toMatchObject([{ reason: 'store_failed', error: { message: 'claim: the database is down' } }]);
  });

  it('once at the completion is asked again', async () => {
    const clock = new ManualClock();
    const inner = memoryStore({ now: clock.now });
    let failures = 1;
    const store: WebhookStore = {
      ...inner,
      complete: (claim) => (failures-- > 0 ? down('complete')() : inner.complete(claim)),
    };
    const shop = endpoint({ store }, clock);
    expect(await send(shop)).toMatchObject({ status: 200 });
  });

  it('at the completion is 503 and keeps the claim: an immediate repeat would run twice', async () => {
    const clock = new ManualClock();
    const shop = endpoint({ store: { ...memoryStore({ now: clock.now }), complete: down('complete') } }, clock);
    expect(await send(shop)).toMatchObject({ status: 503, body: 'store_failed' });
    expect(await send(shop)).toMatchObject({ status: 409 });
    expect(shop.calls).toHaveLength(1);
  });
});

describe('a store with a transaction', () => {
  const transactional = (log: string[], held = true): WebhookStore<{ tx: string }> => ({
    ...memoryStore(),
    async release() {
      log.push('release');
    },
    async run(_claim, work) {
      log.push('begin');
      try {
        await work({ tx: 'T1' });
      } catch (error) {
        log.push('rollback');
        throw error;
      }
      log.push(held ? 'commit' : 'rollback');
      return held;
    },
  });
  const shopOver = (store: WebhookStore<{ tx: string }>, log: string[], fail = false) => {
    const clock = new ManualClock();
    const reasons: string[] = [];
    const handler = createWebhookHandler({
      secret: SECRET,
      store,
      onPaid: (_event, context) => {
        log.push(`work in ${context.tx}`);
        if (fail) throw new Error('no stock');
      },
      onAdjusted: () => {},
      onCanceled: () => {},
      onReport: ({ reason }) => reason === 'weak_secret' || reasons.push(reason),
      now: clock.now,
      timers: clock.timers,
    });
    return { handler, clock, reasons };
  };

  it('gives it to the function, and completes in it', async () => {
    const log: string[] = [];
    const complete = vi.fn();
    const shop = shopOver({ ...transactional(log), complete }, log);
    expect(await send(shop)).toMatchObject({ status: 200 });
    expect(log).toEqual(['begin', 'work in T1', 'commit']);
    expect(complete).not.toHaveBeenCalled();
  });

  it('rolls back when the function fails', async () => {
    const log: string[] = [];
    expect(await send(shopOver(transactional(log), log, true))).toMatchObject({ status: 500, body: 'handler_failed' });
    expect(log).toEqual(['begin', 'work in T1', 'rollback', 'release']);
  });

  it('that lost the claim answers 409', async () => {
    const log: string[] = [];
    const shop = shopOver(transactional(log, false), log);
    expect(await send(shop)).toMatchObject({ status: 409, body: 'lease_lost' });
    expect(shop.reasons).toEqual(['lease_lost']);
  });

  it('that cannot begin is 503 and gives the claim back; one that cannot commit keeps it', async () => {
    const log: string[] = [];
    const noBegin = { ...transactional(log), run: down('begin') };
    expect(await send(shopOver(noBegin, log))).toMatchObject({ status: 503 });
    expect(log).toEqual(['release']);
    const noCommit: WebhookStore<{ tx: string }> = {
      ...transactional(log),
      async run(_claim, work) {
        await work({ tx: 'T2' });
        throw new Error('commit: connection lost');
      },
    };
    expect(await send(shopOver(noCommit, log))).toMatchObject({ status: 503 });
    expect(log).toEqual(['release', 'work in T2']);
  });

  it('that swallows the function’s failure does not make it a success', async () => {
    const log: string[] = [];
    const swallowing: WebhookStore<{ tx: string }> = {
      ...transactional(log),
      async run(_claim, work) {
        await work({ tx: 'T3' }).catch(() => {});
        return true;
      },
    };
    expect(await send(shopOver(swallowing, log, true))).toMatchObject({ status: 500 });
  });
});

describe('onReport', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('log');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('log');
      },
    ],
    ['never settles', () => new Promise(() => {})],
    [
      'gives a thenable that throws',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
        then() {
          throw new Error('then');
        },
      }),
    ],
  ])('that %s changes nothing', async (_name, onReport) => {
    const shop = endpoint({ onReport });
    await send(shop);
    expect(await send(shop)).toMatchObject({ status: 200, body: 'duplicate' });
    const { body: _body, ...rest } = await request(shop.clock);
    expect(await shop.handler.handle({ ...rest, body: '{}' })).toMatchObject({ status: 401 });
  });

  it('holds neither body nor secret', async () => {
    const shop = endpoint();
    const { headers, body, method } = await request(shop.clock);
    await shop.handler.handle({ method, headers, body });
    await shop.handler.handle({ method, headers, body });
    await shop.handler.handle({ method, headers, body: JSON.stringify({ ...paidBody, amount: '1' }) });
    await shop.handler.handle({ method, headers, body: paidBody as never });
    const text = JSON.stringify(shop.reports);
    expect(shop.reports).toHaveLength(3);
    expect(text).not.toContain(paidBody.credited_usdt);
    expect(text).not.toContain(SECRET);
  });
});

describe('configuration', () => {
  const good = { secret: SECRET, store: memoryStore(), onPaid: () => {}, onAdjusted: () => {}, onCanceled: () => {} };
  it.each([
    ['secret', { secret: undefined }],
    ['secret', { secret: ' padded' }],
    ['store', { store: undefined }],
    ['store has no renew', { store: { claim() {}, complete() {}, release() {} } }],
    ['onPaid', { onPaid: undefined }],
    ['onCanceled', { onCanceled: 'log' }],
    ['onUnknown', { onUnknown: null }],
    ['onReport', { onReport: {} }],
    ['timeout', { timeout: 0 }],
    ['timeout', { timeout: 15_001 }],
    ['timeout', { timeout: Number.NaN }],
    ['tolerance', { tolerance: 1 }],
    ['encoding', { encoding: 'latin1' }],
    ['timestampFormat', { timestampFormat: 1 }],
    ['maxBodySize', { maxBodySize: 1.5 }],
    ['orderIdMember', { orderIdMember: '' }],
    ['now', { now: 5 }],
  ])('names %s', (name, change) => {
    const make = () => createWebhookHandler({ ...good, ...change } as never);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(new RegExp(name));
  });

  it('works with the real clock and timers', async () => {
    vi.useFakeTimers();
    try {
      const handler = createWebhookHandler({ ...good, onPaid: () => new Promise(() => {}) });
      const clock = new ManualClock();
      clock.time = Date.now();
      const reply = handler.handle(await request(clock));
      await vi.advanceTimersByTimeAsync(12_000);
      expect((await reply).status).toBe(503);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('options that are used for two handlers', () => {
  it('are read when a handler is made: the first keeps its own store and functions', async () => {
    const calls: string[] = [];
    const clock = new ManualClock();
    const options = {
      now: clock.now,
      secret: SECRET,
      store: memoryStore(),
      onPaid: () => void calls.push('first'),
      onAdjusted: () => {},
      onCanceled: () => {},
      onReport: (report: { reason: string }) => void calls.push(report.reason),
    };
    const first = createWebhookHandler(options);
    const stores = [options.store, memoryStore()] as const;
    Object.assign(options, { store: stores[1], onPaid: () => void calls.push('second'), onReport: undefined });
    createWebhookHandler(options);
    expect(await first.handle(await request(clock))).toMatchObject({ status: 200, body: 'done' });
    expect(calls).toEqual(['weak_secret', 'first']);
    expect(stores.map(({ size }) => size)).toEqual([1, 0]);
  });
});
