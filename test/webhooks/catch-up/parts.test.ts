import { describe, expect, it } from 'vitest';
import type { CatchUpInvoice } from '../../../src/webhooks/catch-up/catch-up-client.ts';
import { NewestFirst } from '../../../src/webhooks/catch-up/lists/newest-first.ts';
import { RowsBefore } from '../../../src/webhooks/catch-up/lists/rows-before.ts';
import { PlayPool } from '../../../src/webhooks/catch-up/play-pool.ts';
import fc from '../../support/fast-check.ts';
import { scaled } from '../../support/scaled.ts';
import { deferred } from '../endpoint.ts';
import { settle } from '../manual-clock.ts';

describe('the order of a list', () => {
  const observed = (times: readonly (number | null)[], isPinned = false): NewestFirst => {
    const order = new NewestFirst(isPinned);
    for (const time of times) order.observe(time);
    return order;
  };

  it.each<[string, readonly (number | null)[], { mayHold: boolean; holds: boolean }]>([
    ['newest first', [9_000, 7_000, 5_000, 3_000], { mayHold: true, holds: true }],
    ['too few rows', [9_000, 7_000, 5_000], { mayHold: true, holds: false }],
    ['all of one time', [5_000, 5_000, 5_000, 5_000, 5_000], { mayHold: true, holds: false }],
    ['within a second of the order', [9_000, 7_000, 8_000, 5_000, 3_000, 1_000], { mayHold: true, holds: true }],
    ['off by more than a second', [9_000, 7_000, 8_001, 5_000, 3_000, 1_000], { mayHold: false, holds: false }],
    ['off by seconds in small steps', [9_000, 7_000, 5_000, 3_000, 3_900, 4_800], { mayHold: false, holds: false }],
    ['oldest first', [1_000, 3_000, 5_000, 7_000], { mayHold: false, holds: false }],
    ['without a time', [9_000, 7_000, null, 5_000, 3_000], { mayHold: false, holds: false }],
    ['empty', [], { mayHold: true, holds: false }],
  ])('%s', (_name, times, expected) => {
    expect(observed(times)).toMatchObject(expected);
  });

  it('is believed where the merchant vouches for it', () => {
    expect(observed([1_000, 90_000], true)).toMatchObject({ mayHold: true, holds: true });
  });

  it('ends a reading only below the time, by more than rows may be out of order', () => {
    const order = observed([9_000, 7_000, 5_000, 3_000]);
    expect([order.isPast(4_000), order.isPast(4_001)]).toEqual([false, true]);
    expect(observed([90_000], true).isPast(150_000)).toBe(false);
    expect(observed([90_000], true).isPast(150_001)).toBe(true);
  });
});

describe('the count of the older rows of a list', () => {
  const row = (time: number | null) => ({ uuid: `u${time}`, time });

  /** Counts over pages of three, newest first, until the counter is settled. */
  function counted(times: readonly number[], bound: number, tolerance = 0): number | null {
    const counter = new RowsBefore(bound, tolerance);
    for (let before = 0; before < times.length && !counter.isSettled; before += 3) {
      const rows = times.slice(before, before + 3).map((time, index) => ({ uuid: `u${before + index}`, time }));
      counter.observe({ before, total: times.length, rows });
    }
    return counter.count;
  }

  it('is exact in any list that is in order but for the tolerance', () => {
    const times = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        times,
        fc.integer({ min: -1, max: 41 }),
        fc.integer({ min: 0, max: 5 }),
        (given, bound, tolerance) => {
          // Each row is sorted by a key that is off by up to half of the tolerance.
          const keyed = given.map((time, index) => ({ time, key: time + ((index % 3) - 1) * (tolerance / 2) }));
          const sorted = keyed.sort((a, b) => b.key - a.key).map(({ time }) => time);
          expect(counted(sorted, bound, tolerance)).toBe(given.filter((time) => time < bound).length);
        },
      ),
      { numRuns: scaled(500) },
    );
  });

  it('is that of the page which settles it, whatever has joined the list since the first', () => {
    const counter = new RowsBefore(5, 0);
    counter.observe({ before: 0, total: 5, rows: [row(9), row(8)] });
    counter.observe({ before: 2, total: 6, rows: [row(8), row(4)] }); // a row joined, and moved the others back
    expect([counter.count, counter.isSettled]).toEqual([3, true]);
    counter.observe({ before: 4, total: 99, rows: [row(1)] });
    expect(counter.count).toBe(3);
  });

  it('is not known where a row of the page is not', () => {
    const counter = new RowsBefore(5, 0);
    counter.observe({ before: 0, total: 5, rows: null });
    expect([counter.count, counter.isSettled]).toEqual([null, true]);
  });
});

describe('invoices played at once', () => {
  const invoiceOf = (external_id: unknown) => ({ uuid: String(external_id), external_id }) as CatchUpInvoice; // the pool reads no more

  it('are as many as allowed, and never two of one order', async () => {
    const gates = new Map<string, ReturnType<typeof deferred>>();
    const log: string[] = [];
    const pool = new PlayPool(2, async ({ external_id }) => {
      const gate = deferred();
      gates.set(external_id, gate);
      log.push(`+${external_id}`);
      await gate.promise;
      log.push(`-${external_id}`);
    });
    const open = async (id: string): Promise<void> => {
      gates.get(id)?.resolve();
      await settle();
    };
    const fed = (async () => {
      for (const id of ['a', 'a', 'b', 'c']) await pool.add(invoiceOf(id));
      await pool.drain();
    })();
    await settle();
    expect(log).toEqual(['+a']);
    await open('a');
    expect(log).toEqual(['+a', '-a', '+a', '+b']);
    await open('b');
    expect(log.slice(4)).toEqual(['-b', '+c']);
    await open('a');
    await open('c');
    await fed;
    expect(log).toHaveLength(8);
  });

  it('report a failure of the play to whoever adds the next one, and to the end', async () => {
    const pool = new PlayPool(1, async () => {
      throw new Error('mine');
    });
    await pool.add(invoiceOf('a'));
    await expect(pool.add(invoiceOf('b'))).rejects.toThrow('mine');
    await expect(pool.drain()).rejects.toThrow('mine');
    await pool.settle();
  });
});
