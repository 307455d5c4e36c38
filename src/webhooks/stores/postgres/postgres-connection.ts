import { ConfigurationError } from '../../../errors/classes.ts';
import { poolConnection } from './pool-connection.ts';
import type { PGliteDatabase, PostgresConnection, PostgresPool } from './postgres-types.ts';

/** @throws ConfigurationError for anything but a pool or PGlite. */
export function connectionOf(database: unknown, isolation: string): PostgresConnection {
  const members = (typeof database === 'object' && database !== null ? database : {}) as Record<string, unknown>; // each member is checked below
  const isClient = 'connectionParameters' in members || 'release' in members;
  if (typeof members['query'] === 'function' && !isClient) {
    if (typeof members['connect'] === 'function') return poolConnection(database as PostgresPool, isolation); // the form of a pool
    if (typeof members['transaction'] === 'function') return pgliteConnection(database as PGliteDatabase, isolation); // of PGlite
  }
  throw new ConfigurationError(
    `postgresStore needs new Pool(…) of the package pg, or PGlite${isClient ? ', not a single Client: the store needs a second connection' : ''}.`,
  );
}

/** PGlite has one connection: while its transaction is open, everything else waits for its end. */
function pgliteConnection(database: PGliteDatabase, isolation: string): PostgresConnection {
  return {
    query: (text, values) => database.query(text, values),
    async transaction(work, { text, values }) {
      const kept = await database.transaction(async (tx) => {
        await tx.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
        await work(tx);
        const keep = (await tx.query(text, [...values])).rows.length > 0;
        if (!keep) await tx.rollback();
        return keep;
      });
      return kept === true;
    },
  };
}
