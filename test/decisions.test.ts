import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DIALECTS, type DialectEntry } from '../src/sandbox/index.ts';

/**
 * Every "not shown" of the service interface, typed by hand: section, and the words that are in the document's own
 * table. A sentence that leaves two things unsaid has two entries.
 */
const NOT_SHOWN: readonly (readonly [section: string, words: string])[] = [
  ['Withdrawal', 'Requiredness, nullability … of the withdrawal fields'],
  ['Withdrawal', 'allowed values of the withdrawal fields other than status'],
  ['Webhook delivery record', 'Exact field names of the delivery record'],
  ['Webhook delivery record', 'the types of the attempt-log members'],
  ['Invoice states', 'Transitions'],
  ['Withdrawal states', 'Transitions'],
  ['Webhook delivery states and moves', 'Other delivery moves'],
  ['POST /api/v1/external/invoices', 'HTTP status code of a successful creation'],
  ['GET /api/v1/external/invoices/{ident}', 'Response shape'],
  ['GET /api/v1/external/invoices/{ident}', 'the accepted forms of {ident}'],
  ['POST /api/v1/external/invoices/{ident}/resend-webhook', 'Response body'],
  ['GET /api/v1/external/invoices/{ident}/webhooks', 'Whether the list is paginated'],
  ['GET /api/v1/external/invoices/{ident}/webhooks', 'the response envelope'],
  ['GET /api/v1/external/withdrawals', 'Names of the query parameters'],
  ['GET /api/v1/external/withdrawals', 'the defaults for withdrawals'],
  ['GET /api/v1/external/withdrawals/{withdrawal_uuid}', 'Response shape'],
  ['Authentication', 'Error codes … for missing or invalid keys'],
  ['Authentication', 'status for missing or invalid keys'],
  ['Authentication', 'Encoding of the signature value'],
  ['Authentication', 'format of the timestamp'],
  ['Emission', 'Behaviour when neither the invoice nor the business has a callback URL'],
  ['Payload members', "Names of the members that carry the merchant's order id"],
  ['Payload members', 'any further members'],
  ['Headers on every delivery', 'Any further headers'],
  ['Failure envelope', 'Which of the two shapes a given 422 uses'],
  ['Known codes', 'INVOICE_ALREADY_EXISTS … status not shown'],
  ['Known codes', 'HTTP status for INVOICE_ALREADY_EXISTS'],
  ['Error groups', 'Codes and statuses of these groups'],
  ['Error groups', 'Code and status for rate limiting'],
  ['Limits', 'Rate-limit values'],
  ['Limits', 'Invoice lifetime'],
  ['Limits', 'Maximum request body size'],
  ['Versioning', 'Policy on breaking changes, deprecation and version negotiation'],
];

/** Headings of the service interface under which something is left open, typed by hand. */
const HEADINGS = [
  ...NOT_SHOWN.map(([section]) => section),
  'What the service does',
  'Response envelope',
  'Invoice',
  'GET /api/v1/external/invoices',
  'GET /api/v1/external/rates',
];

const [text, house] = ['decisions', 'architecture-decisions'].map((page) =>
  readFileSync(new URL(`../docs/${page}.md`, import.meta.url), 'utf8'),
) as [string, string]; // one for each page

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

/** The cells of each row of the table below a heading. */
function rowsUnder(heading: string): string[][] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const table = section.split('\n').filter((line) => line.startsWith('|'));
  return table.slice(2).map(cellsOf);
}

/** The decisions of a page, with their reasons. */
const decisionsOf = (page: string): string[][] =>
  page.split('\n').flatMap((line) => (/^\|(?! Decision \|| --- \|)/.test(line) ? [cellsOf(line)] : []));

describe('docs/decisions.md', () => {
  const rows = rowsUnder('What the interface does not show');

  it('has one row for every "not shown", in the order of the interface', () => {
    expect(rows.map(([number, section, words]) => [number, section, words])).toEqual(
      NOT_SHOWN.map(([section, words], index) => [String(index + 1), section, words]),
    );
  });

  it('says in each row what is assumed, what is tolerated and how to change it', () => {
    for (const row of rows) {
      expect(row, row.join(' | ')).toHaveLength(6);
      for (const cell of row) expect(cell, row.join(' | ')).not.toBe('');
    }
  });

  it('names each dialect of the sandbox, and none that does not exist', () => {
    const cells = [...rows, ...rowsUnder('Further open points')].map((row) => row.at(-1) ?? '');
    const named = cells.flatMap((cell) => {
      const list = /dialects? ((?:`\w+`(?:, )?)+)/.exec(cell)?.[1] ?? '';
      return [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    });
    expect(named.filter((name) => name === undefined || !Object.hasOwn(DIALECTS, name))).toEqual([]);
    expect(Object.keys(DIALECTS).filter((name) => !named.includes(name))).toEqual([]);
  });

  it('has a row for each dialect', () => {
    expect(rowsUnder('The dialects')).toHaveLength(Object.keys(DIALECTS).length);
  });

  it('says in the table of each dialect what is assumed, tolerated and how to pin it', () => {
    for (const row of rowsUnder('The dialects')) {
      expect(row, row.join(' | ')).toHaveLength(6);
      for (const cell of row) expect(cell, row.join(' | ')).not.toBe('');
    }
  });

  it('puts each dialect under a heading of the interface', () => {
    const headings = new Set<string>(HEADINGS);
    const foreign = Object.entries<DialectEntry>(DIALECTS).filter(([, { section }]) => !headings.has(section));
    expect(foreign.map(([name]) => name)).toEqual([]);
  });

  it('leaves no section with something "not shown" without a dialect, but for those that no answer can show', () => {
    const sections = new Set(Object.values<DialectEntry>(DIALECTS).map(({ section }) => section));
    const silent = new Set(NOT_SHOWN.map(([section]) => section).filter((section) => !sections.has(section)));
    expect([...silent]).toEqual(['Invoice states', 'Withdrawal states', 'Limits']);
  });
});

describe('decisions of the package', () => {
  const seen = decisionsOf(text.split(/^## Decisions of the package$/m)[1] ?? '');
  const unseen = decisionsOf(house);

  it('each have a reason', () => {
    expect([seen.length > 50, unseen.length > 20]).toEqual([true, true]);
    for (const row of [...seen, ...unseen]) {
      expect(row, row.join(' | ')).toHaveLength(2);
      for (const cell of row) expect(cell, row.join(' | ')).not.toBe('');
    }
  });

  it('stand once, for integrators or for contributors', () => {
    const decisions = [...seen, ...unseen].map(([decision]) => decision);
    expect(decisions.filter((decision, index) => decisions.indexOf(decision) !== index)).toEqual([]);
  });
});
