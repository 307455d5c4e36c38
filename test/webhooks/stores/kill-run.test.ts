import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { decide } from '../../../scripts/kill/decisions.ts';
import type { Fault } from '../../../scripts/kill/receiver.ts';
import { killRun } from '../../../scripts/kill/run.ts';
import type { ShopAddress } from '../../../scripts/kill/shop.ts';
import { temporaryFolder } from '../../support/engine-process.ts';
import { startEngines } from '../../support/engines.ts';
import { openBetterSqlite3 } from './better-sqlite3.ts';

// A short kill run for each store; `npm run kill` is the long one. The leases are the databases' own, so that these
// tests wait for real ones, of a quarter of a second.

const engines = await startEngines();
const files = temporaryFolder('kill');
afterAll(async () => {
  await engines.stop();
  files.remove();
});

const seed = '1';
const run = (kind: ShopAddress['kind'], at: string, invoices: number, fault: Fault = 'none') =>
  killRun({ shop: { kind, at }, seed, invoices, fault });

async function holds(kind: ShopAddress['kind'], at: string): Promise<void> {
  const result = await run(kind, at, 20);
  expect(result, `kill run on ${kind} with seed ${seed}`).toMatchObject({
    paid: 20,
    creditedOnce: 20,
    missing: [],
    twice: [],
    wrong: [],
  });
  expect(Object.keys(result.deaths).length).toBeGreaterThan(2); // or the run shows nothing
  expect(result.reports['taken_over']).toBeGreaterThan(0);
}

describe('every paid invoice is credited once, though receivers are killed all the time', { timeout: 300_000 }, () => {
  it('with context.commit of SQLite', () => holds('sqlite', join(files.folder, 'shop.db')));

  it('with context.tx of PostgreSQL', async ({ skip }) => {
    if (engines.postgres.missing !== null) return skip(engines.postgres.missing);
    await holds('postgres', engines.postgres.connection.host);
  });

  it('with an idempotent function on Redis', async ({ skip }) => {
    if (engines.redis.missing !== null) return skip(engines.redis.missing);
    await holds('redis', engines.redis.connection);
  });
});

describe('also while another process takes the lock of SQLite for random times', { timeout: 300_000 }, () => {
  it.for([
    { driver: 'node:sqlite', journal: 'WAL' },
    { driver: 'better-sqlite3', journal: 'DELETE' },
  ] as const)('over $driver, journal $journal', async (sqlite, { skip }) => {
    if (sqlite.driver === 'better-sqlite3' && (await openBetterSqlite3()) === null) {
      return skip('the native part of better-sqlite3 does not load here');
    }
    const at = join(files.folder, `locked-${sqlite.journal}.db`);
    const result = await killRun({ shop: { kind: 'sqlite', at, sqlite }, seed, invoices: 8, lock: true });
    // How late an answer was depends on the machine: `npm run kill -- --lock` judges that.
    expect(result).toMatchObject({ paid: 8, creditedOnce: 8, missing: [], twice: [], wrong: [] });
    expect(result.locks).toBeGreaterThan(5); // or the run shows nothing
  });
});

describe('the kill run finds', { timeout: 300_000 }, () => {
  it('a receiver that remembers the event before it does the work', async () => {
    const { missing, twice } = await run('sqlite', join(files.folder, 'first.db'), 12, 'done_before_work');
    expect(missing.length).toBeGreaterThan(0);
    expect(twice).toEqual([]);
  });

  it('a receiver that writes outside of the transaction', async () => {
    const { missing, twice } = await run('sqlite', join(files.folder, 'outside.db'), 12, 'write_outside');
    expect(twice.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });
});

describe('a decision', () => {
  it('depends on seed, invoice and attempt, and on nothing else', () => {
    const decisions = (of: string) =>
      ['order-1', 'order-2'].flatMap((id) => [1, 2, 3].map((attempt) => decide(of, id, attempt, 3)));
    expect(decisions('1')).toEqual(decisions('1'));
    expect(decisions('1')).not.toEqual(decisions('2'));
    expect(new Set(decisions('1').map((decision) => JSON.stringify(decision))).size).toBeGreaterThan(3);
  });

  it('kills nobody from the fifth attempt on', () => {
    const late = Array.from({ length: 200 }, (_, index) => decide('1', `order-${index}`, 5, 3));
    expect(
      late.flatMap((decision) => [decision, ...decision.copies]).filter(({ dieAt, killed }) => dieAt ?? killed),
    ).toEqual([]);
  });
});
