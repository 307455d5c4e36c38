import { expect, it } from 'vitest';
import { hasKind } from '../../../src/errors/guards.ts';
import { createWebhookHandler, type InvoiceEvent, memoryStore, signWebhook } from '../../../src/webhooks/index.ts';
import { DAY, HOUR, livesOf, MINUTE, MovingService, ORDERS, statusAt } from '../../support/moving-service.ts';
import { below, oneOf, randomOf } from '../../support/random.ts';
import { scaled } from '../../support/scaled.ts';
import { AGAIN, SEED } from '../../support/seed.ts';

const SHOPS = scaled(200);
const SECRET = 'whsec_moving_0123456789';

interface Order {
  readonly ident: string;
  state: 'pending' | 'paid' | 'canceled';
  canceledAt: number;
  readonly done: { paid: number; canceled: number };
}

/** Some days of a shop that hears few webhooks and runs `catchUp` now and then. */
async function playDays(seed: string) {
  const random = randomOf(seed);
  const lives = livesOf(20 + below(random, 200), 6 * HOUR, random);
  const service = new MovingService(
    lives,
    {
      order: oneOf(random, ORDERS),
      lag: oneOf(random, [0, 0, 5 * MINUTE]),
      failures: oneOf(random, [0, 0.02, 0.1]),
      perPage: oneOf(random, [100, 100, 20]),
      isShort: random() < 0.2,
      takes: 200,
    },
    random,
  );
  const byUuid = random() < 0.3;
  const orders = new Map<string, Order>();
  const place = (): void => {
    for (const { external_id, uuid, created } of lives) {
      if (created > service.now || orders.has(external_id)) continue;
      const ident = byUuid ? uuid : external_id;
      orders.set(external_id, { ident, state: 'pending', canceledAt: 0, done: { paid: 0, canceled: 0 } });
    }
  };
  let stop = new AbortController();
  let [mayFail, begunAfterAbort, running] = [true, 0, new Set<string>()];
  const work =
    (state: 'paid' | 'canceled') =>
    async ({ external_id: id, source }: InvoiceEvent): Promise<void> => {
      const external_id = String(id);
      if (source === 'catch_up' && stop.signal.aborted) begunAfterAbort += 1;
      expect(running.has(external_id), `${seed} ${external_id}: two events at once`).toBe(false);
      running.add(external_id);
      for (let turns = below(random, 6); turns > 0; turns -= 1) await null;
      running.delete(external_id);
      if (mayFail && random() < 0.05) throw new Error('the database is down');
      const order = orders.get(external_id);
      if (order === undefined) throw new Error(`nobody ordered ${external_id}`);
      order.done[state] += 1;
      if (state === 'canceled' && order.state === 'paid') return;
      order.state = state;
      order.canceledAt = service.now;
    };
  const handler = createWebhookHandler({
    secret: SECRET,
    store: memoryStore({ now: () => service.now }),
    now: () => service.now,
    onPaid: work('paid'),
    onAdjusted: work('paid'),
    onCanceled: work('canceled'),
    onReport: () => {},
  });
  const deliver = async (n: number): Promise<void> => {
    const life = lives[n];
    if (life === undefined || statusAt(life, service.now) === 'pending') return;
    const status = statusAt(life, service.now);
    const { uuid: invoice_uuid, external_id, amount } = life;
    const body = JSON.stringify({ invoice_uuid, external_id, status, amount, credited_usdt: amount, adjusted: false });
    const sent = status === 'success' ? body : JSON.stringify({ invoice_uuid, external_id, status, amount });
    const headers = await signWebhook(sent, SECRET, { timestamp: service.now });
    await handler.handle({ method: 'POST', headers: { ...headers }, body: sent });
  };
  const catchUp = async () => {
    place();
    // The SELECT of the guide.
    const waiting = [...orders.values()].filter(
      ({ state, canceledAt }) => state === 'pending' || (state === 'canceled' && service.now - canceledAt < 3 * DAY),
    );
    stop = new AbortController();
    const after = random() < 0.1 && mayFail ? below(random, 60) : Number.POSITIVE_INFINITY;
    let told = 0;
    const result = await handler
      .catchUp(service.merchant, {
        orders: waiting.map(({ ident }) => ident),
        signal: stop.signal,
        concurrency: 1 + below(random, 8),
        onProgress: () => {
          told += 1;
          if (told > after) stop.abort();
        },
      })
      .catch((error: unknown) => {
        if (mayFail && (hasKind(error, 'server') || hasKind(error, 'aborted'))) return null;
        throw error;
      });
    if (result !== null) expect(result.checked, seed).toBe(waiting.length);
    return result;
  };
  let runs = 0;
  // The last invoice ends after 7 hours, and a late payment comes within a day of that.
  for (const end = service.now + 32 * HOUR; service.now < end; runs += 1) {
    const deliveries = Array.from({ length: below(random, 20) }, () => deliver(below(random, lives.length)));
    await Promise.all([catchUp(), ...deliveries]);
    service.now += 5 * MINUTE + below(random, 5 * HOUR);
  }
  // Quiet runs at the end, until one has seen all.
  mayFail = false;
  service.habits = { ...service.habits, lag: 0, failures: 0 };
  for (let quiet = 0; quiet < 20; quiet += 1) {
    const result = await catchUp();
    if (result !== null && result.failed + result.busy + result.unknown === 0) break;
  }
  const wrong = lives.flatMap(({ external_id, states }) => {
    const { done } = orders.get(external_id) ?? {};
    const expected = {
      paid: states.at(-1)?.[1] === 'success' ? 1 : 0,
      canceled: states.length === 1 && states[0]?.[1] !== 'success' ? 1 : (done?.canceled ?? 0) > 0 ? 1 : 0,
    };
    return done?.paid === expected.paid && done.canceled === expected.canceled ? [] : [{ external_id, states, done }];
  });
  return { runs, requests: service.requests, wrong, begunAfterAbort };
}

it(`no waiting order is lost and none is fulfilled twice, in ${SHOPS} shops on services that move, lag and fail (${AGAIN})`, async () => {
  let [runs, requests] = [0, 0];
  for (let shop = 0; shop < SHOPS; shop += 1) {
    const seed = `${SEED}/${shop}`;
    const played = await playDays(seed);
    expect(played.wrong, seed).toEqual([]);
    expect(played.begunAfterAbort, seed).toBe(0);
    runs += played.runs;
    requests += played.requests;
  }
  expect(runs).toBeGreaterThan(8 * SHOPS);
  console.info(`catch-up: ${SHOPS} shops, ${runs} runs, ${requests} requests`);
});
