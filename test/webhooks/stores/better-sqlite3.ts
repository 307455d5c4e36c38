import type BetterSqlite3 from 'better-sqlite3';

/** Opens a database with better-sqlite3, where its native part loads; null elsewhere. */
export async function openBetterSqlite3(): Promise<
  ((file: string, options?: BetterSqlite3.Options) => BetterSqlite3.Database) | null
> {
  try {
    const { default: Database } = await import('better-sqlite3');
    new Database(':memory:').close(); // its native part is loaded here, and may be missing
    return (file, options) => new Database(file, options);
  } catch {
    return null;
  }
}
