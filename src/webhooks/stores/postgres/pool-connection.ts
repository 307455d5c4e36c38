import { guardTransaction } from './guarded-client.ts';
import type {
  PostgresClient,
  PostgresConnection,
  PostgresPool,
  PostgresQueryable,
  PostgresResult,
} from './postgres-pool.ts';

/** A pg Pool: statements run on any connection, a transaction on one that is borrowed for it. */
export class PoolConnection implements PostgresConnection {
  readonly #pool: PostgresPool;
  readonly #isolation: string;

  constructor(pool: PostgresPool, isolation: string) {
    this.#pool = pool;
    this.#isolation = isolation;
  }

  query(text: string, values: unknown[]): Promise<PostgresResult> {
    return this.#pool.query(text, values);
  }

  async transaction(work: (tx: unknown, query: PostgresQueryable['query']) => Promise<boolean>): Promise<boolean> {
    const client = await this.#pool.connect();
    const guard = guardTransaction(client);
    const endListening = surviveLoss(client);
    let broken = true;
    try {
      await client.query(`BEGIN ISOLATION LEVEL ${this.#isolation}`);
      const keep = await endingIn(client, async () => {
        const wanted = await work(guard.tx, (text, values) => {
          guard.check();
          return client.query(text, values);
        });
        if (wanted) await client.query('COMMIT');
        return wanted;
      });
      broken = false;
      return keep;
    } catch (error) {
      broken = error instanceof RollbackFailed;
      throw broken ? (error as RollbackFailed).reason : error; // just asked
    } finally {
      guard.end();
      endListening();
      client.release(broken);
    }
  }
}

/** A transaction whose end is not known: its connection must not go back to the pool. */
class RollbackFailed extends Error {
  readonly reason: unknown;
  constructor(reason: unknown) {
    super('The transaction could not be rolled back.');
    this.reason = reason;
  }
}

/** Rolls back unless `work` gives true; what it throws is thrown on. */
async function endingIn(client: PostgresClient, work: () => Promise<boolean>): Promise<boolean> {
  let reason: unknown = null;
  let failed = false;
  try {
    if (await work()) return true;
  } catch (error) {
    failed = true;
    reason = error;
  }
  try {
    await client.query('ROLLBACK');
  } catch (error) {
    throw new RollbackFailed(failed ? reason : error);
  }
  if (failed) throw reason;
  return false;
}

// pg leaves a borrowed connection without a listener for its loss, and an `error` event without one ends the process.
function surviveLoss(client: object): () => void {
  const ignore = (): void => {};
  const { on, off } = client as { on?: unknown; off?: unknown }; // an emitter, in pg
  if (typeof on !== 'function' || typeof off !== 'function') return () => {};
  on.call(client, 'error', ignore);
  return () => void off.call(client, 'error', ignore);
}
