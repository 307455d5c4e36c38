import type { WebhookStore } from 'merchant-invoicing/webhooks';

/**
 * Runs one statement of SQLite over HTTP, and returns its rows. Each statement
 * is atomic.
 */
export type RunSql = (
  sql: string,
  values: readonly (string | number)[],
) => Promise<readonly Record<string, unknown>[]>;

/** The table. `lease_end` is null once the event is done. */
export const SCHEMA = `CREATE TABLE IF NOT EXISTS webhook_events (
  event_key TEXT PRIMARY KEY, owner TEXT NOT NULL, digest TEXT NOT NULL,
  previous_digest TEXT, lease_end INTEGER)`;

// the clock of the database
const NOW = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`;
const MINE = 'WHERE event_key = ?1 AND owner = ?2';
const CLAIM = `INSERT INTO webhook_events (event_key, owner, digest, lease_end)
  VALUES (?1, ?2, ?3, ${NOW} + ?4)
  ON CONFLICT (event_key) DO UPDATE SET
    previous_digest = digest, owner = excluded.owner,
    digest = excluded.digest, lease_end = excluded.lease_end
  WHERE lease_end <= ${NOW} RETURNING previous_digest`;
const RENEW = `UPDATE webhook_events SET lease_end = ${NOW} + ?3
  ${MINE} AND lease_end IS NOT NULL RETURNING 1`;
const COMPLETE = `UPDATE webhook_events SET lease_end = NULL
  ${MINE} RETURNING 1`;
const RELEASE = `DELETE FROM webhook_events ${MINE} AND lease_end IS NOT NULL`;

/**
 * A store without connections, for D1, Turso and other databases that are
 * reached over HTTP. At least once.
 */
export function httpStore(run: RunSql): WebhookStore {
  return {
    retention: null,
    async claim({ key, owner, digest, lease }) {
      const [claimed] = await run(CLAIM, [key, owner, digest, lease]);
      if (claimed?.['previous_digest'] === null) return { state: 'claimed' };
      if (claimed !== undefined)
        return {
          state: 'taken_over',
          digest: String(claimed['previous_digest']),
        };
      const [found] = await run(
        'SELECT digest, lease_end FROM webhook_events WHERE event_key = ?1',
        [key],
      );
      const state =
        found !== undefined && found['lease_end'] === null ? 'done' : 'running';
      // released meanwhile: the next attempt claims it
      return { state, digest: String(found?.['digest'] ?? digest) };
    },
    renew: async ({ key, owner }, lease) =>
      (await run(RENEW, [key, owner, lease])).length > 0,
    complete: async ({ key, owner }) =>
      (await run(COMPLETE, [key, owner])).length > 0,
    release: async ({ key, owner }) => void (await run(RELEASE, [key, owner])),
  };
}
