import { Redis } from 'ioredis';
import { createClient, createClientPool, RESP_TYPES } from 'redis';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, redisStore } from '../../../src/webhooks/index.ts';
import { startRedis } from '../../support/redis.ts';
import { endpoint, send } from '../endpoint.ts';
import { UUID } from '../vectors.ts';

const engine = await startRedis();
if (engine.missing !== null) console.warn(`Tests are skipped: ${engine.missing}`);
const path = engine.missing === null ? engine.connection : '';
const client = engine.missing === null ? new Redis({ path }) : null;
afterAll(async () => {
  await client?.quit();
  if (engine.missing === null) await engine.stop();
});

const A = { key: 'k:paid', owner: 'a' };
const request = { ...A, digest: 'd', lease: 60_000 };

describe('redisStore', () => {
  beforeEach(async ({ skip }) => {
    if (engine.missing !== null) skip(engine.missing);
    await client?.flushall();
  });
  const redis = client as Redis; // the tests are skipped without it

  it('handles an event once', async () => {
    let times = 0;
    const at = endpoint({
      store: redisStore(redis),
      onPaid: () => {
        times += 1;
      },
    });
    expect(await send(at)).toMatchObject({ status: 200 });
    expect(await send(at)).toMatchObject({ status: 200 });
    expect([times, at.reasons()]).toEqual([1, ['duplicate']]);
  });

  it('keeps a record for 30 days, from the claim and again from the completion', async () => {
    const store = redisStore(redis);
    expect(store).toMatchObject({ retention: 2_592_000_000, cleanUpStatement: null });
    await store.claim(request);
    const key = 'merchant-webhook:k:paid';
    expect(await redis.keys('*')).toEqual([key]);
    expect(await redis.pttl(key)).toBeGreaterThan(2_591_900_000);
    await redis.pexpire(key, 100_000);
    await store.complete(A);
    expect(await redis.pttl(key)).toBeGreaterThan(2_591_900_000);
    expect(await redis.hkeys(key)).toEqual(['owner', 'digest', 'lease_end', 'done_at']);
  });

  it('takes a prefix and a retention', async () => {
    await redisStore(redis, { prefix: '{shop}:events/'.replace('/', ':'), retention: 86_400_000 }).claim(request);
    expect(await redis.keys('*')).toEqual(['{shop}:events:k:paid']);
    expect(await redis.pttl('{shop}:events:k:paid')).toBeLessThanOrEqual(86_400_000);
  });

  it('keeps two businesses apart by namespace over one Redis', async () => {
    const [one, two] = ['a', 'b'].map((namespace) => endpoint({ store: redisStore(redis, { namespace }) }));
    if (one === undefined || two === undefined) throw new Error('two were made');
    for (const at of [one, two, one]) expect(await send(at)).toMatchObject({ status: 200 });
    expect([one.calls.length, two.calls.length, one.reasons()]).toEqual([1, 1, ['duplicate']]);
    expect((await redis.keys('*')).sort()).toEqual([
      `merchant-webhook:a/${UUID}:paid`,
      `merchant-webhook:b/${UUID}:paid`,
    ]);
  });

  it('goes by the clock of Redis', async () => {
    const store = redisStore(redis);
    const [seconds] = await redis.time();
    await store.claim({ ...request, lease: 60_000 });
    const end = Number(await redis.hget('merchant-webhook:k:paid', 'lease_end'));
    expect(Math.abs(end - (Number(seconds) * 1_000 + 60_000))).toBeLessThan(30_000);
    await redis.hset('merchant-webhook:k:paid', 'lease_end', String(Number(seconds) * 1_000 - 1));
    expect(await store.claim({ ...request, owner: 'b' })).toEqual({ state: 'taken_over', digest: 'd' });
  });

  it('works over a pool of node-redis', async () => {
    const pool = createClientPool({ socket: { path, tls: false } });
    await pool.connect();
    const store = redisStore(pool);
    expect(await store.claim(request)).toEqual({ state: 'claimed' });
    expect(await store.complete(A)).toBe(true);
    await pool.close();
  });

  it('reads replies that come as buffers', async () => {
    const plain = await createClient({ socket: { path, tls: false } }).connect();
    const store = redisStore(plain.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }));
    expect(await store.claim(request)).toEqual({ state: 'claimed' });
    expect(await store.claim({ ...request, owner: 'b' })).toEqual({ state: 'running', digest: 'd' });
    expect(await store.complete(A)).toBe(true);
    await plain.close();
  });

  it('rejects when Redis is away, so that the delivery is answered 503', async () => {
    const store = redisStore(createClient({ socket: { path, tls: false } })); // never connected
    await expect(store.claim(request)).rejects.toThrow();
    expect(await send(endpoint({ store }))).toMatchObject({ status: 503 });
  });

  it('rejects when the key holds something else', async () => {
    await redis.set('merchant-webhook:k:paid', '1');
    await expect(redisStore(redis).claim(request)).rejects.toThrow('WRONGTYPE');
  });
});

describe('options', () => {
  const lazy = new Redis({ lazyConnect: true });
  it.each([
    { prefix: '' },
    { prefix: 'a b' },
    { prefix: 5 },
    { namespace: 'a/b' },
    { namespace: '' },
    { prefixx: 'a' },
    { table: 'events' },
    null,
    { retention: 1_000 },
    { retention: null },
    { retention: Number.POSITIVE_INFINITY },
  ])('refuse %j', (options) => {
    expect(() => redisStore(lazy, options as never)).toThrow(ConfigurationError);
  });

  it.each([
    ['nothing', undefined],
    ['an address', 'redis://127.0.0.1'],
    ['another kind of client', { eval() {}, evalsha() {} }],
    ['a database', { query() {}, connect() {} }],
  ])('refuse %s instead of a client', (_name, given) => {
    expect(() => redisStore(given as never)).toThrow(ConfigurationError);
    expect(() => redisStore(given as never)).toThrow(/of the package redis.* or of ioredis/);
  });
});
