import { afterAll, describe, expect, it } from 'vitest';
import { workFate } from '../../scripts/kill/queues/work-fate.ts';
import type { Fault } from '../../scripts/kill/receiver.ts';
import { killRun } from '../../scripts/kill/run.ts';
import type { ShopAddress } from '../../scripts/kill/shop.ts';
import { startEngines } from '../support/engines.ts';

// A short kill run for each queue. `npm run kill -- --queue all` is the long one. The locks of jobs are the engines',
// so that these tests wait for real ones, of a second and of half a second.

const engines = await startEngines();
afterAll(() => engines.stop());

const seed = '1';
const KINDS = ['pg-boss', 'bullmq'] as const;

/** Null where an engine is missing. */
function addressOf(kind: (typeof KINDS)[number]): ShopAddress | null {
  const { postgres, redis } = engines;
  if (postgres.missing !== null) return null;
  if (kind === 'pg-boss') return { kind, at: postgres.connection.host };
  return redis.missing === null ? { kind, at: redis.connection, database: postgres.connection.host } : null;
}

const run = async (shop: ShopAddress, invoices: number, fault: Fault) => killRun({ shop, seed, invoices, fault });

describe('every paid invoice is credited once, though receivers and workers are killed', { timeout: 300_000 }, () => {
  it.for(KINDS)('with %s', async (kind, { skip }) => {
    const shop = addressOf(kind) ?? skip('an engine is missing');
    const result = await run(shop, 16, 'none');
    expect(result).toMatchObject({ paid: 16, creditedOnce: 16, missing: [], twice: [], wrong: [] });
    const { deaths = {}, reports = {} } = result.workers ?? {};
    expect(Object.keys(result.deaths).length).toBeGreaterThan(1); // or the run shows nothing
    expect(Object.keys(deaths).length).toBeGreaterThan(1);
    expect(reports['job begun again']).toBeGreaterThan(0);
  });
});

describe('the kill run finds', { timeout: 300_000 }, () => {
  it.for(KINDS)('writes of %s that are not bound to the job', async (kind, { skip }) => {
    const shop = addressOf(kind) ?? skip('an engine is missing');
    const { missing, twice } = await run(shop, 8, 'write_outside');
    expect(twice.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });
});

describe('the fate of a job', () => {
  it('depends on seed, invoice and attempt, and kills nobody from the fourth attempt on', () => {
    const fates = (of: string, attempt: number) =>
      Array.from({ length: 200 }, (_, index) => workFate(of, `order-${index}`, attempt));
    expect(fates('1', 1)).toEqual(fates('1', 1));
    expect(fates('1', 1)).not.toEqual(fates('2', 1));
    for (const kind of ['dieAt', 'killIn'] as const) {
      expect(fates('1', 1).filter((fate) => fate[kind] !== null)).not.toEqual([]);
      expect(fates('1', 4).filter((fate) => fate[kind] !== null)).toEqual([]);
    }
  });
});
