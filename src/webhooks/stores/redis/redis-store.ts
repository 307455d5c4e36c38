import type { ClaimResult, WebhookStore } from '../store.ts';
import { checkedNamespace, checkedPrefix, checkedRetention, checkStoreOptions } from '../store-options.ts';
import { type IoRedisClient, type NodeRedisClient, scriptRunner } from './redis-client.ts';
import { CLAIM, COMPLETE, RELEASE, RENEW } from './redis-scripts.ts';

const THIRTY_DAYS = 2_592_000_000;

/** How a {@link redisStore} is set up. */
export interface RedisStoreOptions {
  /** Stands before each key; default `merchant-webhook:`. */
  readonly prefix?: string | undefined;
  /**
   * Whose events these are, as a part of every key: 1 to 64 letters, digits or `_ . -`. Give it from the first day where
   * two businesses, or two installations of the service, share one Redis. Default: none.
   */
  readonly namespace?: string | undefined;
  /** How long records live, in milliseconds; at least a day; default 30 days. */
  readonly retention?: number | undefined;
}

const NAMES: ReadonlySet<string> = new Set<keyof RedisStoreOptions>(['prefix', 'namespace', 'retention']);

/** A {@link WebhookStore} in Redis. */
export interface RedisStore extends WebhookStore {
  readonly retention: number;
  /** Records expire by themselves: there is no statement to run. */
  readonly cleanUpStatement: null;
}

/**
 * Remembers events in Redis 5 or later, or Valkey: for many machines. Takes a connected client of `redis` (node-redis) or
 * `ioredis`, clusters included. There is nothing to migrate, and nothing to clean up.
 *
 * Redis cannot hold your writes in its step, so your function must bear repetition after a crash: let a unique
 * constraint, or an upsert, on `context.dedupeKey` make the second time harmless. A Redis that evicts keys, or that
 * restarts without its data, forgets events.
 *
 * @throws ConfigurationError for another kind of object, or an unusable option.
 */
export function redisStore(client: NodeRedisClient | IoRedisClient, options: RedisStoreOptions = {}): RedisStore {
  checkStoreOptions('redisStore', options, NAMES);
  const run = scriptRunner(client);
  const prefix = checkedPrefix(options.prefix ?? 'merchant-webhook:');
  const retention = checkedRetention(options.retention === undefined ? THIRTY_DAYS : options.retention);
  const touches = async (script: string, key: string, ...values: (string | number)[]): Promise<boolean> =>
    Number(await run(script, prefix + key, values.map(String))) === 1;

  return {
    retention,
    namespace: checkedNamespace(options.namespace),
    cleanUpStatement: null,
    async claim({ key, owner, digest, lease }) {
      return claimResult(await run(CLAIM, prefix + key, [owner, digest, String(lease), String(retention)]));
    },
    renew: ({ key, owner }, lease) => touches(RENEW, key, owner, lease),
    complete: ({ key, owner }) => touches(COMPLETE, key, owner, retention),
    async release({ key, owner }) {
      await touches(RELEASE, key, owner);
    },
  };
}

function claimResult(answer: unknown): ClaimResult {
  const [state, digest] = Array.isArray(answer) ? answer.map(String) : []; // a client may be set to give buffers
  if (state === 'claimed') return { state };
  if ((state === 'running' || state === 'done' || state === 'taken_over') && digest !== undefined) {
    return { state, digest };
  }
  throw new TypeError('Redis answered the claim with something else: is the client set to transform replies?');
}
