import type { SqliteDatabase } from '../../../src/webhooks/index.ts';

interface BetterSqlite3 {
  default: new (file: string, options?: { timeout?: number }) => SqliteDatabase & { close(): void };
}

/** better-sqlite3, where its native part loads; null elsewhere. It publishes no types, so its name is not imported. */
export async function openBetterSqlite3(): Promise<
  ((file: string, options?: { timeout?: number }) => SqliteDatabase & { close(): void }) | null
> {
  const name: string = 'better-sqlite3';
  try {
    const { default: Database } = (await import(name)) as BetterSqlite3; // the documented default export
    new Database(':memory:').close(); // its native part is loaded here, and may be missing
    return (file, options) => new Database(file, options);
  } catch {
    return null;
  }
}
