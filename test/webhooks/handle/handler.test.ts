import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../src/errors/classes.ts';
import {
  createWebhookHandler,
  memoryStore,
  signWebhook,
  type TransactionStore,
  type WebhookHandlerOptions,
  type WebhookReport,
  type WebhookSecret,
} from '../../../src/webhooks/index.ts';
import { canceledBody, deferred, endpoint, paidBody, request, send } from '../endpoint.ts';
import { ManualClock, settle } from '../manual-clock.ts';
import { RUNTIMES } from '../runtimes.ts';
import { SECRET, UUID } from '../vectors.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(RUNTIMES)('a delivery with $runtime', ({ enter }) => {
  beforeEach(enter);

  it('is handled once, by the function for its event', async () => {
    const shop = endpoint();
    expect(await send(shop)).toMatchObject({ status: 200, body: 'done' });
    expect(await send(shop, canceledBody)).toMatchObject({ status: 200, body: 'done' }); // of one invoice two events
    expect(await send(shop, { ...paidBody, invoice_uuid: 'other', adjusted: true })).toMatchObject({ body: 'done' });
    expect(shop.calls).toEqual(['paid order-1042', 'canceled order-1042', 'adjusted order-1042']);
    expect([shop.reports, shop.clock.pending]).toEqual([[], 0]);
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
    const repeat = { ...paidBody, invoice_uuid: UUID.toUpperCase() };
    expect(await send(shop, repeat, 'dlv_2')).toMatchObject({ status: 200, body: 'duplicate' });
    expect(shop.calls).toHaveLength(1);
    const report = { reason: 'duplicate', message: expect.any(String), status: 200, deliveryId: 'dlv_2', ageMs: 0 };
    const about = { key: `${UUID}:paid`, external_id: 'order-1042', order: 'order-1042' };
    expect(shop.reports).toEqual([{ ...report, ...about }]);
  });

  it.each<[string, object]>([
    ['amount', { amount: '24.00' }],
    ['credited_usdt', { credited_usdt: '1' }],
    ['adjusted', { adjusted: true, original_amount: '25.00' }],
  ])('that repeats a done one with another %s is reported', async (_name, members) => {
    const shop = endpoint();
    await send(shop);
    expect(await send(shop, { ...paidBody, ...members })).toMatchObject({ status: 200 });
    expect([shop.reasons(), shop.calls.length]).toEqual([['duplicate_differs'], 1]);
  });
});

// Genuine deliveries that no function is for: acknowledged, unless they may be about money.
const held = { ...canceledBody, status: 'held' };
it.each<[string, object, 'no_handler' | 'unknown_payment']>([
  ['a new status', held, 'no_handler'],
  ['success in another member', { ...held, event: 'order.held', check: 'success' }, 'no_handler'],
  ['a credit of null', { ...held, event: 'order.held', credited_usdt: null }, 'no_handler'],
  ['an empty credit', { ...held, event: 'order.held', credited_usdt: '' }, 'no_handler'],
  ['a status that is no text', { ...held, event: 'order.held', note: null, part: { status: 7 } }, 'no_handler'],
  ['another name and status success', { ...paidBody, event: 'order.settled' }, 'unknown_payment'],
  ['status success without a credit', { ...canceledBody, event: 'a.b', status: 'success' }, 'unknown_payment'],
  ['a test with status success', { ...paidBody, event: 'test' }, 'unknown_payment'],
  ['status success in another spelling', { ...canceledBody, status: ' SUCCESS' }, 'unknown_payment'],
  ['a credit', { ...held, credited_usdt: '26.91' }, 'unknown_payment'],
  ['a credit that cannot be read', { ...held, credited_usdt: {} }, 'unknown_payment'],
  ['a credit outside of it', { event: 'order.settled', credited_usdt: '26.91', data: held }, 'unknown_payment'],
  ['success outside of it', { event: 'order.settled', status: 'success', data: held }, 'unknown_payment'],
  ['a credit inside of it', { data: { ...held, credited_usdt: '26.91' } }, 'unknown_payment'],
  ['a paid invoice deep in it', { status: 'ok', invoice_uuid: UUID, data: { object: paidBody } }, 'unknown_payment'],
])('an unknown event with %s is handled by onUnknown alone', async (_title, body, reason) => {
  const store = memoryStore();
  const without = endpoint({ store });
  const status = reason === 'no_handler' ? 200 : 500; // the service repeats what may be a payment
  expect(await send(without, body)).toMatchObject({ status, body: reason });
  expect(without.reports).toMatchObject([{ reason, status, message: expect.stringContaining('onUnknown') }]);
  expect([without.calls, store.size]).toEqual([[], 0]);
  const seen: unknown[] = [];
  const shop = endpoint({ onUnknown: (event) => void seen.push(event.type) });
  expect(await send(shop, body)).toMatchObject({ status: 200, body: 'done' });
  expect([shop.calls, seen]).toEqual([[], ['unknown']]);
});

const headers = (changes: Record<string, unknown>) => ({ headers: changes });
it.each<[string, number, string, object, Partial<WebhookReport>?]>([
  ['GET', 405, 'method_not_allowed', { method: 'GET' }],
  ['a method that is no text', 405, 'method_not_allowed', { method: undefined }],
  ['a parsed body', 400, 'body_already_parsed', { body: paidBody }],
  ['no body', 400, 'body_already_parsed', { body: undefined }],
  ['a large body', 413, 'body_too_large', { body: 'x'.repeat(262_145) }],
  ['another body', 401, 'signature_mismatch', { body: '{}' }],
  ['no headers', 401, 'missing_header', { headers: null }],
  ['an empty id', 401, 'missing_header', headers({ 'X-Webhook-Id': '' })],
  ['a bad signature', 400, 'malformed_signature', headers({ 'X-Webhook-Signature': 'zz' })],
  ['two signatures', 400, 'duplicate_header', headers({ 'X-Webhook-Signature': `${'0'.repeat(64)}, x` })],
  ['a bad time', 400, 'malformed_timestamp', headers({ 'X-Webhook-Timestamp': 'today' })],
  ['gzip', 415, 'unsupported_media_type', headers({ 'Content-Encoding': 'identity, gzip' })],
  ['X-Gzip', 415, 'unsupported_media_type', headers({ 'Content-Encoding': 'X-Gzip' })],
  ['zstd', 415, 'unsupported_media_type', headers({ 'Content-Encoding': 'utf-8, zstd' })],
  ['an old delivery', 401, 'timestamp_too_old', { later: 600_000 }, { ageMs: 600_000 }],
  ['an early delivery', 401, 'timestamp_too_new', { later: -600_000 }, { ageMs: -600_000 }],
])(
  'the response to %s is %i %s',
  async (_name, status, reason, change: { headers?: object | null; later?: number }, told = {}) => {
    const shop = endpoint();
    const sent = await request(shop.clock);
    shop.clock.time += change.later ?? 0;
    const merged = change.headers === null ? {} : { ...sent.headers, ...change.headers };
    const reply = await shop.handler.handle({ ...sent, ...change, headers: merged as Record<string, string> }); // wrong on purpose
    expect(reply).toMatchObject({ status, body: reason });
    expect(reply.headers).toMatchObject({ 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' });
    expect(reply.headers['Allow']).toBe(status === 405 ? 'POST' : undefined);
    expect(shop.reports).toMatchObject([{ reason, status, key: null, ...told }]);
    expect(shop.calls).toEqual([]);
  },
);

it('a promise of headers is told as what it is', async () => {
  const shop = endpoint();
  const headers = signWebhook('{}', SECRET) as never; // the mistake: no await
  expect(await shop.handler.handle({ method: 'POST', headers, body: '{}' })).toMatchObject({ status: 500 });
  expect(shop.reports).toMatchObject([{ message: 'The headers are a promise: signWebhook(…) was not awaited.' }]);
});

it.each(['text/plain', 'application/x-www-form-urlencoded', '', 'application/cloudevents+json', undefined])(
  'the response to a genuine delivery of the Content-Type %s is 200',
  async (type) => {
    const shop = endpoint();
    const { headers: signed, ...rest } = await request(shop.clock);
    const typed = { ...(signed as Record<string, string>), 'Content-Type': type }; // endpoint.ts makes an object
    expect((await shop.handler.handle({ ...rest, headers: typed })).status).toBe(200);
  },
);

it('a genuine delivery that is malformed is answered 500, and its repeat in right form is handled', async () => {
  const shop = endpoint();
  expect(await send(shop, { ...paidBody, credited_usdt: null })).toMatchObject({ status: 500 });
  const message = expect.stringContaining('credited_usdt');
  expect(shop.reports).toMatchObject([{ reason: 'malformed_payload', message }]);
  expect(await send(shop)).toMatchObject({ status: 200, body: 'done' });
  expect(shop.calls).toHaveLength(1);
});

const failure = new Error('no stock');
const throwing = (): never => {
  throw failure;
};
const rejecting = () => Promise.reject(failure);
it.each<[string, () => unknown]>([
  ['throws', throwing],
  ['rejects', rejecting],
])('a function that %s gives the claim back, so that the repeat is handled', async (_name, fail) => {
  let isFailing = true;
  const shop = endpoint({ onPaid: () => (isFailing ? fail() : shop.calls.push('paid')) });
  expect(await send(shop)).toMatchObject({ status: 500, body: 'handler_failed' });
  expect(shop.reports).toMatchObject([{ reason: 'handler_failed', external_id: 'order-1042', error: failure }]);
  isFailing = false;
  expect(await send(shop)).toMatchObject({ status: 200, body: 'done' });
  expect([shop.calls, shop.clock.pending]).toEqual([['paid'], 0]);
});

const refusing = Response.json({}, { status: 503 });
it.each<[string, unknown, RegExp | null, unknown?]>([
  ['an error', failure, /returned an error.*Throw a failure/, failure],
  ['a Response', refusing, /response with the status 503/, refusing],
  ['what undici gives', { statusCode: 422 }, /response with the status 422/],
  ['an object with ok: false', { ok: false, error: 'no stock' }, /object with ok: false/],
  ['what allSettled gives', [{ status: 'rejected', reason: failure }], /rejected result of allSettled/, failure],
  ['a pipeline of ioredis', [[null, 'OK'], [failure]], /an error/, failure],
  ['false', false, null],
  ['a row', { ok: true, status: 'failed', code: 500, error: null }, null],
  ['rejected rows', [{ status: 'rejected', reason: 'limit', id: 7 }], null],
  ['a row with a number', [{ status: 1042 }, { status: 3, statusCode: 201 }], null],
  ['nothing', null, null],
])('a function that returns %s is judged by what that says of itself', async (_name, result, cause, error) => {
  for (const store of [memoryStore(), once()]) {
    const shop = endpoint({ store, onPaid: () => result as undefined }); // the types let anything pass
    const [verdict, status] = cause === null ? ['done', 200] : ['handler_failed', 500];
    expect(await send(shop)).toMatchObject({ status, body: verdict });
    expect(shop.reports.map(({ message }) => message)).toEqual(cause === null ? [] : [expect.stringMatching(cause)]);
    if (error !== undefined) expect(shop.reports[0]?.error).toMatchObject({ cause: error });
    expect((await send(shop)).body).toBe(cause === null ? 'duplicate' : 'handler_failed');
  }
});

/** A store that commits only where the work did not reject. */
function once(): TransactionStore {
  const done = new Map<string, string>();
  return {
    retention: null,
    async runOnce({ key, digest }, work) {
      const found = done.get(key);
      if (found !== undefined) return { state: 'done', digest: found };
      await work({});
      done.set(key, digest);
      return { state: 'committed' };
    },
  };
}

it('a function that throws is told that its writes outside of the transaction stay', async () => {
  const shop = endpoint({ onPaid: throwing });
  await send(shop);
  expect(shop.reports[0]?.message).toMatch(
    /wrote outside of context\.tx or commit stays, and the repeat writes it again/,
  );
});

it('a repeat while the function runs is answered 409 with a time to wait', async () => {
  const gate = deferred();
  const shop = endpoint({ onPaid: () => gate.promise });
  const first = send(shop);
  await settle();
  const waiting = { status: 409, headers: { 'Retry-After': '50' }, body: 'duplicate_running' };
  expect(await send(shop)).toMatchObject(waiting);
  const [began, free] = [0, 50_000].map((ms) => new Date(shop.clock.time + ms).toISOString());
  const said = `Its last sign of life was at ${began}. If its process has died, the event is free at ${free}.`;
  expect(shop.reports).toMatchObject([{ reason: 'duplicate_running', message: expect.stringContaining(said) }]);
  gate.resolve();
  expect(await first).toMatchObject({ status: 200 });
});

it.each([undefined, Number.NaN, 8.7e15])(
  'a store that says %s as the end of a lease does not break the report',
  async (leaseEnd) => {
    const store = { ...memoryStore(), claim: async () => ({ state: 'running', digest: 'd', leaseEnd }) as const };
    const shop = endpoint({ store });
    expect(await send(shop)).toMatchObject({ status: 409, body: 'duplicate_running' });
    expect(shop.reports).toMatchObject([{ message: expect.stringContaining('free 50 seconds later') }]);
  },
);

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
    expect(await first).toMatchObject({ status: 503, body: 'time_limit', headers: { 'Retry-After': '50' } });
    expect(signal).toMatchObject({ aborted: true, reason: { name: 'TimeoutError' } });
    await shop.clock.advance(48_000); // the first repeat, after a minute: the lease of 50 seconds was extended
    expect(await send(shop)).toMatchObject({ status: 409 });
    gate.resolve();
    await settle();
    expect(await send(shop)).toMatchObject({ status: 200, body: 'duplicate' });
    expect(shop.reasons()).toEqual(['time_limit', 'duplicate_running', 'completed_late', 'duplicate']);
    expect(shop.clock.pending).toBe(0);
  });

  it('is followed by a failure that gives the claim back', async () => {
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

  it.each(['body', 'claim'])('covers a %s that comes late: nothing runs, and nothing is kept', async (late) => {
    const clock = new ManualClock();
    const inner = memoryStore({ now: clock.now });
    const [gate, claim] = [deferred(), vi.fn(inner.claim)];
    const slow: typeof claim = vi.fn((given) => gate.promise.then(() => inner.claim(given)));
    const shop = endpoint({ store: { ...inner, claim: late === 'claim' ? slow : claim } }, clock);
    const { body, ...rest } = await request(clock);
    const lateBody = () => gate.promise.then(() => body as Uint8Array); // endpoint.ts makes bytes
    const reply = shop.handler.handle({ ...rest, body: late === 'body' ? lateBody : body });
    await clock.advance(12_000);
    expect(await reply).toMatchObject({ status: 503 });
    gate.resolve();
    await settle();
    expect(claim).not.toHaveBeenCalled();
    expect([inner.size, shop.calls, shop.reasons()]).toEqual([0, [], ['time_limit']]);
  });

  it('is kept by the clock and the timers of the machine where no others are given', async () => {
    vi.useFakeTimers();
    try {
      const forever = () => new Promise(() => {});
      const functions = { onPaid: forever, onAdjusted: forever, onCanceled: forever, onReport: () => {} };
      const handler = createWebhookHandler({ secret: SECRET, store: memoryStore(), ...functions });
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

describe('the lease', () => {
  it('is extended for ten minutes and then left to end; the repeat takes over, and the late loser touches nothing', async () => {
    const [slow, winner] = [deferred(), deferred()];
    const taken: boolean[] = [];
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
    const [taking, lost] = ['taken_over', 'lease_lost'];
    expect(shop.reasons()).toEqual(['time_limit', 'duplicate_running', taking, lost, 'duplicate_running']);
  });

  it('of a process that died is taken over when it ends, not before, and other amounts are named', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ now: clock.now });
    await store.claim({
      key: `${UUID}:paid`,
      owner: 'dead',
      digest: '2.bff83cdfb94d8087b6fd49cb20c427.0000000000000000000000000000000',
      lease: 50_000,
    });
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

  it('of an equal event is taken over without a word of other amounts', async () => {
    const clock = new ManualClock();
    const store = { ...memoryStore({ now: clock.now }), release: async () => {} };
    await send(endpoint({ store, onPaid: () => Promise.reject(new Error('the first fails')) }, clock));
    const shop = endpoint({ store }, clock);
    await clock.advance(50_000);
    expect(await send(shop)).toMatchObject({ status: 200, body: 'done' });
    expect(shop.reports.at(-1)).toMatchObject({ reason: 'taken_over', message: expect.not.stringContaining('differ') });
  });
});

it.each<[string, () => unknown]>([
  ['throws', throwing],
  ['rejects', rejecting],
  ['never settles', () => new Promise(() => {})],
  // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
  ['gives a thenable that throws', () => ({ then: throwing })],
])('an onReport that %s changes nothing', async (_name, onReport) => {
  const shop = endpoint({ onReport });
  await send(shop);
  expect(await send(shop)).toMatchObject({ status: 200, body: 'duplicate' });
  expect(await shop.handler.handle({ ...(await request(shop.clock)), body: '{}' })).toMatchObject({ status: 401 });
});

it('reports hold neither the body nor the secret', async () => {
  const shop = endpoint();
  const sent = await request(shop.clock);
  for (const body of [sent.body, sent.body, JSON.stringify({ ...paidBody, amount: '1' }), paidBody as never]) {
    await shop.handler.handle({ ...sent, body });
  }
  expect(shop.reports).toHaveLength(3);
  expect(JSON.stringify(shop.reports)).not.toContain(paidBody.credited_usdt);
  expect(JSON.stringify(shop.reports)).not.toContain(SECRET);
});

const good = { secret: SECRET, store: memoryStore(), onPaid() {}, onAdjusted() {}, onCanceled() {} };
it.each<[string, object]>([
  ['secret', { secret: undefined }],
  ['secret', { secret: ' padded' }],
  ['store', { store: undefined }],
  ['store has no extend', { store: { claim() {}, complete() {}, release() {} } }],
  ['onPaid', { onPaid: undefined }],
  ['onCanceled', { onCanceled: 'log' }],
  ['onUnknown', { onUnknown: null }],
  ['onReport', { onReport: {} }],
  ['timeout', { timeout: 0 }],
  ['timeout', { timeout: 15_001 }],
  ['timeout', { timeout: Number.NaN }],
  ['tolerance', { tolerance: 1 }], // the rest is checked as by verifyWebhook
  ['sandbox', { sandbox: 1 }],
])('createWebhookHandler names the unusable %s: %j', (name, change) => {
  const make = () => createWebhookHandler({ ...good, ...change } as WebhookHandlerOptions); // wrong on purpose
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(new RegExp(name));
});

it.each<[string, WebhookSecret, string[]]>([
  ['15 characters', 'x'.repeat(15), ['weak_secret']],
  ['16 characters', 'x'.repeat(16), []],
  ['15 bytes', new Uint8Array(15).fill(7), ['weak_secret']],
  ['16 characters, and a short one', ['x'.repeat(16), 'short'], ['weak_secret']],
  ['the sandbox, which is public anyway', 'whsec_sandbox', []],
])('a secret of %s is reported when the handler is made: %#', (_, secret, reasons) => {
  vi.spyOn(console, 'warn').mockImplementation(() => {}); // about the public secret
  const reports: string[] = [];
  createWebhookHandler({ ...good, secret, sandbox: true, onReport: ({ reason }) => void reports.push(reason) });
  expect(reports).toEqual(reasons);
});

it('options are read when a handler is made: the first of two keeps its own store and functions', async () => {
  const calls: string[] = [];
  const clock = new ManualClock();
  const stores = [memoryStore(), memoryStore()] as const;
  const onReport = ({ reason }: WebhookReport) => void calls.push(reason);
  const options = { ...good, now: clock.now, store: stores[0], onPaid: () => void calls.push('first'), onReport };
  const first = createWebhookHandler(options);
  createWebhookHandler(
    Object.assign(options, { store: stores[1], onPaid: () => void calls.push('second'), onReport: undefined }),
  );
  expect(await first.handle(await request(clock))).toMatchObject({ status: 200, body: 'done' });
  expect(calls).toEqual(['weak_secret', 'first']);
  expect(stores.map(({ size }) => size)).toEqual([1, 0]);
});
