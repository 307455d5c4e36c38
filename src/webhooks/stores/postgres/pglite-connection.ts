import type { PGliteDatabase, PostgresConnection, PostgresQueryable, PostgresResult } from './postgres-pool.ts';

/** PGlite has one connection: while its transaction is open, everything else waits for its end. */
export class PGliteConnection implements PostgresConnection {
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
