import { configurationFail, type OptionTable, readOptions } from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import type { ClaimResult, LeaseStore } from './store.ts';
import { namespaceOption, prefixOption, retentionOption } from './store-options.ts';

/** A client, a cluster or a pool of the package `redis` (node-redis), version 4 or later. */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Distinguishes this client from one of ioredis. */
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** A client or a cluster of the package `ioredis`. */
export interface IoRedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Distinguishes this client from one of node-redis. */
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** The state of the connection. */
  readonly status: string;
}

const THIRTY_DAYS = 2_592_000_000;

/**
 * Options of {@link redisStore}.
 *
 * @example
 * redisStore(client, { prefix: 'shop:webhook:', retention: 90 * 86_400_000 });
 */
export interface RedisStoreOptions {
  /** Precedes each key. @defaultValue `merchant-webhook:` */
  readonly prefix?: string | undefined;
  /**
   * The owner of the events, as a part of every key: 1 to 64 letters, digits or `_ . -`. Set it from the first day if
   * two businesses, or two installations of the service, share one Redis. @defaultValue none
   */
  readonly namespace?: string | undefined;
  /** How long records are kept, in milliseconds, at least a day. @defaultValue 30 days */
  readonly retention?: number | undefined;
}

const OPTIONS = {
  prefix: prefixOption,
  namespace: namespaceOption,
  retention: retentionOption(THIRTY_DAYS),
} satisfies OptionTable<RedisStoreOptions>;

/**
 * Creates a store in Redis 5 or later, or Valkey, for many machines. It needs no migration and no clean-up.
 *
 * Redis cannot keep your writes and the completion in one transaction, so your function may run again after a crash. A
 * unique constraint, or an upsert, on `context.dedupeKey` makes the second run harmless. A Redis that evicts keys, or
 * that restarts without its data, forgets events.
 *
 * @param client A connected client of `redis` (node-redis) or `ioredis`, clusters included.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for another kind of object, or an unusable option.
 * @example
 * const store = redisStore(await createClient({ url: process.env.REDIS_URL }).connect());
 */
export function redisStore(client: NodeRedisClient | IoRedisClient, options: RedisStoreOptions = {}): LeaseStore {
  const { prefix, namespace, retention } = readOptions('options', options, OPTIONS, configurationFail('redisStore'));
  const run = scriptRunner(client);
  const lua = scripts();
  const changes = async (script: string, key: string, ...values: (string | number)[]): Promise<boolean> =>
    Number(await run(script, prefix + key, values.map(String))) === 1;

  return {
    retention,
    namespace,
    async claim({ key, owner, digest, lease, again = false }) {
      const values = [owner, digest, String(lease), String(retention), again ? '1' : '0'];
      return parseClaim(await run(lua.claim, prefix + key, values));
    },
    extend: ({ key, owner }, lease) => changes(lua.extend, key, owner, lease),
    complete: ({ key, owner }) => changes(lua.complete, key, owner, retention),
    async release({ key, owner }) {
      await changes(lua.release, key, owner);
    },
  };
}

function parseClaim(reply: unknown): ClaimResult {
  const [state, digest, leaseEnd] = Array.isArray(reply) ? reply.map(String) : []; // a client may return buffers
  if (state === 'claimed') return { state };
  if (state === 'running' && digest !== undefined) return { state, digest, leaseEnd: Number(leaseEnd) };
  if ((state === 'done' || state === 'taken_over') && digest !== undefined) return { state, digest };
  throw new TypeError('Redis returned an unexpected reply to the claim: does the client transform replies?');
}

/** Runs a script on one key. */
type RunScript = (script: string, key: string, values: readonly string[]) => Promise<unknown>;

/** @throws ConfigurationError for anything but a client of one of the two packages. */
function scriptRunner(client: unknown): RunScript {
  const members = client as Partial<NodeRedisClient & IoRedisClient> | null | undefined; // each member is checked below
  if (typeof members?.eval === 'function') {
    if (typeof members.evalSha === 'function') {
      const nodeRedis = client as NodeRedisClient; // no other client has these two functions
      return (script, key, values) => nodeRedis.eval(script, { keys: [key], arguments: [...values] });
    }
    if (typeof members.evalsha === 'function' && typeof members.status === 'string') {
      const ioRedis = client as IoRedisClient; // the same for ioredis
      return (script, key, values) => ioRedis.eval(script, 1, key, ...values);
    }
  }
  throw new ConfigurationError(
    'redisStore needs a client of the package redis, createClient(…), version 4 or later, or of ioredis, new Redis(…).',
  );
}

/**
 * The scripts. Each operation is one script, so that it is atomic. A record is a hash: owner, digest, lease_end in
 * milliseconds by the clock of Redis while there is a claim, and done_at once the event is done. A replay has both.
 * Redis 5 or later: earlier versions allow no write in a script that reads the time. Lua writes large numbers with an
 * exponent, so string.format writes them.
 *
 * They are built in a function, because a bundler keeps templates at the top level even if nobody uses this store.
 */
function scripts() {
  const now = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;
  const ours = `local held = redis.call('HMGET', KEYS[1], 'owner', 'lease_end', 'done_at')
if held[1] ~= ARGV[1] or not held[2] then return 0 end
`;
  return {
    /** Values: owner, digest, lease, retention, again. */
    claim: `${now}
local held = redis.call('HMGET', KEYS[1], 'digest', 'lease_end', 'done_at')
if held[3] and ARGV[5] ~= '1' then return {'done', held[1]} end
if held[2] and tonumber(held[2]) > now then return {'running', held[1], held[2]} end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'lease_end', string.format('%.0f', now + ARGV[3]))
if held[3] then return {'claimed', ''} end
redis.call('HSET', KEYS[1], 'digest', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
if held[1] then return {'taken_over', held[1]} end
return {'claimed', ''}`,
    /** Values: owner, lease. */
    extend: `${ours}${now}
redis.call('HSET', KEYS[1], 'lease_end', string.format('%.0f', now + ARGV[2]))
return 1`,
    /** Values: owner, retention. Returns 1 also if this claim has completed it before. */
    complete: `local held = redis.call('HMGET', KEYS[1], 'owner', 'lease_end', 'done_at')
if held[1] ~= ARGV[1] then return 0 end
if not held[2] then return held[3] and 1 or 0 end
${now}
redis.call('HDEL', KEYS[1], 'lease_end')
redis.call('HSETNX', KEYS[1], 'done_at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`,
    /** Values: owner. */
    release: `${ours}
if held[3] then return redis.call('HDEL', KEYS[1], 'lease_end') end
return redis.call('DEL', KEYS[1])`,
  };
}
