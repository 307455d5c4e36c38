import { ConfigurationError } from '../../../errors/classes.ts';
import { PoolConnection } from './pool-connection.ts';
import type {
  PGliteDatabase,
  PostgresConnection,
  PostgresPool,
  PostgresQueryable,
  PostgresResult,
} from './postgres-types.ts';

/** @throws ConfigurationError for anything but a pool or PGlite. */
export function connectionOf(database: unknown, isolation: string): PostgresConnection {
  const members = (typeof database === 'object' && database !== null ? database : {}) as Record<string, unknown>; // each member is checked below
  const isClient = 'connectionParameters' in members || 'release' in members;
  if (typeof members['query'] === 'function' && !isClient) {
    if (typeof members['connect'] === 'function') return new PoolConnection(database as PostgresPool, isolation); // the form of a pool
    if (typeof members['transaction'] === 'function')
      return new PGliteConnection(database as PGliteDatabase, isolation); // of PGlite
  }
  throw new ConfigurationError(
    `postgresStore needs new Pool(…) of the package pg, or PGlite${isClient ? ', not a single Client: the store needs a second connection' : ''}.`,
  );
}

/** PGlite has one connection: while its transaction is open, everything else waits for its end. */
class PGliteConnection implements PostgresConnection {
  readonly #database: PGliteDatabase;
  readonly #isolation: string;

  constructor(database: PGliteDatabase, isolation: string) {
    this.#database = database;
    this.#isolation = isolation;
  }

  query(text: string, values: unknown[]): Promise<PostgresResult> {
    return this.#database.query(text, values);
  }

  async transaction(work: (tx: unknown, query: PostgresQueryable['query']) => Promise<boolean>): Promise<boolean> {
    const kept = await this.#database.transaction(async (tx) => {
      await tx.query(`SET TRANSACTION ISOLATION LEVEL ${this.#isolation}`);
      const keep = await work(tx, (text, values) => tx.query(text, values));
      if (!keep) await tx.rollback();
      return keep;
    });
    return kept === true;
  }
}
