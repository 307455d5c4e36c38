import { Client } from 'pg';
import { freePort } from '../support/free-port.ts';
import { startPostgres } from '../support/postgres.ts';
import { startRedis } from '../support/redis.ts';
import type { DocModule } from './modules.ts';

/** The engines that the modules ask for, on ports of loopback. Each module has an empty database. */
export interface DocEngines {
  /** The environment of a module, or why it cannot run. */
  envFor(module: DocModule): Promise<Record<string, string> | { readonly missing: string }>;
  stop(): Promise<void>;
}

export async function startDocEngines(modules: readonly DocModule[]): Promise<DocEngines> {
  const needs = (name: 'postgres' | 'redis') => modules.some(({ engines }) => engines.includes(name));
  const [postgresPort, redisPort] = [await freePort(), await freePort()];
  const postgres = needs('postgres') ? await startPostgres(postgresPort) : { missing: 'not started' };
  const redis = needs('redis') ? await startRedis(redisPort) : { missing: 'not started' };
  let used = 0;
  return {
    async envFor({ engines }) {
      used += 1;
      const env: Record<string, string> = {};
      if (engines.includes('postgres')) {
        if (postgres.missing !== null) return { missing: postgres.missing };
        const database = `docs_${used}`;
        const client = new Client({ host: '127.0.0.1', port: postgresPort, user: 'postgres', database: 'postgres' });
        await client.connect();
        await client.query(`CREATE DATABASE ${database}`);
        await client.end();
        env['DATABASE_URL'] = `postgres://postgres@127.0.0.1:${postgresPort}/${database}`;
      }
      if (engines.includes('redis')) {
        if (redis.missing !== null) return { missing: redis.missing };
        env['REDIS_URL'] = `redis://127.0.0.1:${redisPort}/${used % 16}`;
      }
      return env;
    },
    async stop() {
      if (postgres.missing === null) await postgres.stop();
      if (redis.missing === null) await redis.stop();
    },
  };
}
