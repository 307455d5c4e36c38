import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import { expect, it } from 'vitest';
import { postgresStore, sqliteStore } from '../../../src/webhooks/index.ts';
import { blocksOf } from '../../docs/blocks.ts';

const page = readFileSync(new URL('../../../docs/stores.md', import.meta.url), 'utf8');

it('docs/stores.md shows the schemas as they are', () => {
  const db = new DatabaseSync(':memory:');
  const pool = new Pool(); // connects with the first query, and a schema needs none
  const shown = blocksOf('docs/stores.md', page).filter(({ language }) => language === 'sql');
  expect(shown.map(({ code }) => code)).toEqual([sqliteStore(db).schema, postgresStore(pool).schema]);
  db.close();
});
