import { ConfigurationError } from '../../../errors/classes.ts';

/** A client, a cluster or a pool of the package `redis` (node-redis), version 4 or later. */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Tells this client from one of ioredis. */
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** A client or a cluster of the package `ioredis`. */
export interface IoRedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Tells this client from one of node-redis. */
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** State of the connection. */
  readonly status: string;
}

/** Runs a script on one key. */
export type RunScript = (script: string, key: string, values: readonly string[]) => Promise<unknown>;

/** @throws ConfigurationError for anything else. */
export function scriptRunner(client: unknown): RunScript {
  const form = client as Partial<NodeRedisClient & IoRedisClient> | null | undefined; // looked at, not trusted
  if (typeof form?.eval === 'function') {
    if (typeof form.evalSha === 'function') {
      const nodeRedis = client as NodeRedisClient; // has the two functions that no other client has
      return (script, key, values) => nodeRedis.eval(script, { keys: [key], arguments: [...values] });
    }
    if (typeof form.evalsha === 'function' && typeof form.status === 'string') {
      const ioRedis = client as IoRedisClient; // the same for ioredis
      return (script, key, values) => ioRedis.eval(script, 1, key, ...values);
    }
  }
  throw new ConfigurationError(
    'redisStore needs a client of the package redis, createClient(…), version 4 or later, or of ioredis, new Redis(…).',
  );
}
