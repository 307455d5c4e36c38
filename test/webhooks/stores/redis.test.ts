import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { redisStore } from '../../../src/webhooks/index.ts';
import { startRedis } from '../../support/redis.ts';
import { endpoint, send } from '../endpoint.ts';

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
  const redis = client as Redis;

  it('keeps a record for 30 days, from the claim and again from the completion', async () => {
    const store = redisStore(redis);
    expect(store).toMatchObject({ retention: 2_592_000_000 });
    await store.claim(request);
    const key = 'merchant-webhook:k:paid';
    expect(await redis.keys('*')).toEqual([key]);
    expect(await redis.pttl(key)).toBeGreaterThan(2_591_900_000);
    await redis.pexpire(key, 100_000);
    await store.complete(A);
    expect(await redis.pttl(key)).toBeGreaterThan(2_591_900_000);
    expect(await redis.hkeys(key)).toEqual(['owner', 'digest', 'done_at']);
  });

  it('takes a prefix and a retention', async () => {
    await redisStore(redis, { prefix: '{shop}:events/'.replace('/', ':'), retention: 86_400_000 }).claim(request);
    expect(await redis.keys('*')).toEqual(['{shop}:events:k:paid']);
    expect(await redis.pttl('{shop}:events:k:paid')).toBeLessThanOrEqual(86_400_000);
  });

  it('goes by the clock of Redis', async () => {
    const store = redisStore(redis);
    const [seconds] = await redis.time();
    await store.claim({ ...request, lease: 60_000 });
    const end = Number(await redis.hget('merchant-webhook:k:paid', 'lease_end'));
    expect(Math.abs(end - (Number(seconds) * 1_000 + 60_000))).toBeLessThan(30_000);
    const running = { state: 'running', digest: 'd', leaseEnd: end };
    expect(await store.claim({ ...request, owner: 'b' })).toEqual(running);
    await redis.hset('merchant-webhook:k:paid', 'lease_end', String(Number(seconds) * 1_000 - 1));
    expect(await store.claim({ ...request, owner: 'b' })).toEqual({ state: 'taken_over', digest: 'd' });
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
