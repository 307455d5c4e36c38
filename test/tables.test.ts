import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fileOf, PAGES, withTables } from '../scripts/tables.ts';

it.each(PAGES)('docs/%s.md has the tables of the code; npx node scripts/tables.ts writes them', (page) => {
  const text = readFileSync(fileOf(page), 'utf8');
  expect(withTables(page, text)).toBe(text);
});

it('finds a table that is not the one of the code, and a page without marks', () => {
  const text = readFileSync(fileOf('sandbox'), 'utf8');
  expect(withTables('sandbox', text.replace('| `underpay-` |', '| `underpaid-` |'))).toBe(text);
  expect(() => withTables('sandbox', '# Sandbox')).toThrow('no marks');
});
