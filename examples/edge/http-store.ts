import type { WebhookStore } from 'merchant-invoicing/webhooks';

/**
 * Runs one statement of SQLite over HTTP, and returns its rows. Each statement
 * is atomic.
 */
export type RunSql = (
  sql: string,
  values: readonly (string | number)[],
) => Promise<readonly Record<string, unknown>[]>;

/** The table. `lease_end` is null without a claim. */
export const SCHEMA = `CREATE TABLE IF NOT EXISTS webhook_events (
  event_key TEXT PRIMARY KEY, owner TEXT NOT NULL, digest TEXT NOT NULL,
  previous_digest TEXT, lease_end INTEGER, done INTEGER NOT NULL DEFAULT 0)`;

// the clock of the database
const NOW = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`;
const MINE = 'WHERE event_key = ?1 AND owner = ?2';
// A replay (?5 = 1) claims a done event, which keeps its digest.
const CLAIM = `INSERT INTO webhook_events (event_key, owner, digest, lease_end)
  VALUES (?1, ?2, ?3, ${NOW} + ?4)
  ON CONFLICT (event_key) DO UPDATE SET
    previous_digest = digest, owner = excluded.owner,
    lease_end = excluded.lease_end,
    digest = CASE done WHEN 1 THEN digest ELSE excluded.digest END
  WHERE (done = 0 OR ?5 = 1) AND coalesce(lease_end, 0) <= ${NOW}
  RETURNING previous_digest, done`;
const EXTEND = `UPDATE webhook_events SET lease_end = ${NOW} + ?3
  ${MINE} AND lease_end IS NOT NULL RETURNING 1`;
const COMPLETE = `UPDATE webhook_events SET lease_end = NULL, done = 1
  ${MINE} RETURNING 1`;
const RELEASE = `DELETE FROM webhook_events ${MINE} AND done = 0`;
const END_REPLAY = `UPDATE webhook_events SET lease_end = NULL
  ${MINE} AND done = 1`;

/**
 * A store without connections, for D1, Turso and other databases that are
 * reached over HTTP. At least once.
 */
export function httpStore(run: RunSql): WebhookStore {
  return {
    retention: null,
    async claim({ key, owner, digest, lease, again = false }) {
      const [claimed] = await run(CLAIM, [
        key,
        owner,
        digest,
        lease,
        again ? 1 : 0,
      ]);
      const before = claimed?.['previous_digest'] ?? null;
      if (claimed !== undefined && (before === null || claimed['done'] === 1))
        return { state: 'claimed' };
      if (claimed !== undefined)
        return { state: 'taken_over', digest: String(before) };
      const [found] = await run(
        'SELECT digest, done FROM webhook_events WHERE event_key = ?1',
        [key],
      );
      const state = found?.['done'] === 1 && !again ? 'done' : 'running';
      // released meanwhile: the next attempt claims it
      return { state, digest: String(found?.['digest'] ?? digest) };
    },
    extend: async ({ key, owner }, lease) =>
      (await run(EXTEND, [key, owner, lease])).length > 0,
    complete: async ({ key, owner }) =>
      (await run(COMPLETE, [key, owner])).length > 0,
    async release({ key, owner }) {
      await run(RELEASE, [key, owner]);
      await run(END_REPLAY, [key, owner]);
    },
  };
}
