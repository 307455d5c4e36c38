import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import { expect, it } from 'vitest';
import { postgresStore, sqliteStore } from '../../../src/webhooks/index.ts';

const page = readFileSync(new URL('../../../docs/fulfil-exactly-once.md', import.meta.url), 'utf8');

it('docs/fulfil-exactly-once.md shows the schemas as they are', () => {
  const db = new DatabaseSync(':memory:');
  const pool = new Pool(); // connects with the first query, and a schema needs none
  const shown = [...page.matchAll(/^```sql\n([\s\S]*?)\n```$/gm)].map(([, code]) => code);
  expect(shown).toEqual([sqliteStore(db).schema, postgresStore(pool).schema]);
  db.close();
});
