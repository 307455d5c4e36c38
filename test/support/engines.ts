import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';

/**
 * The engines of a test file: a real PostgreSQL and a real Redis where their programs are installed, each started once.
 * Await it at the top level, so that `skip` can print the reason.
 */
export async function startEngines() {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  for (const { missing } of [postgres, redis]) if (missing !== null) console.warn(`Tests are skipped: ${missing}`);
  return {
    postgres,
    redis,
    async stop() {
      if (postgres.missing === null) await postgres.stop();
      if (redis.missing === null) await redis.stop();
    },
  };
}
