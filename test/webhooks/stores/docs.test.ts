import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import { expect, it } from 'vitest';
import { postgresStore, sqliteStore } from '../../../src/webhooks/index.ts';

const docs = new URL('../../../docs/', import.meta.url);

it('the pages show the schemas as they are', () => {
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  const shown = pages.flatMap((name) =>
    [
      ...readFileSync(new URL(name, docs), 'utf8').matchAll(
        /^```sql\n(CREATE TABLE IF NOT EXISTS "?merchant_webhook_events"?[\s\S]*?)\n```$/gm,
      ),
    ].map(([, code]) => code),
  );
  const db = new DatabaseSync(':memory:');
  const pool = new Pool(); // connects with the first query, and a schema needs none
  expect(new Set(shown)).toEqual(new Set([sqliteStore(db).schema, postgresStore(pool).schema]));
  db.close();
});
