import { describe, expect, it } from 'vitest';
import { storm } from '../../../src/tools/storm/index.ts';
import { DESIGNS, type Design } from '../../tools/storm/designs.ts';
import { MISTAKES, type Planted } from '../../tools/storm/mistakes.ts';
import { shopWith } from '../../tools/storm/shop.ts';
import { soaked } from '../size.ts';

// The tables of test/tools/storm: each mistake in every seed, and no right shop in any. One seed each of half a day, and with
// SOAK=1 whole storms, some 20 minutes on a quiet machine.

const seeds = (short: number, long: number): number[] => {
  const first = soaked(short, 1);
  return Array.from({ length: soaked(1, long) }, (_, at) => first + at);
};

/** Mistakes that half of the customers of seed 3 do not meet. */
const RARE: ReadonlySet<string> = new Set([
  'a second payment is swallowed',
  'a second payment of a refunded order is dropped',
  'the job does not ask for a second payment',
  'the job cancels an order that it cannot read',
  'commit after the acknowledgement',
]);

describe.each(seeds(3, 8))('seed %i finds and names', (seed) => {
  it.each(Object.entries(MISTAKES))('%s', async (name, { kind, mistake, plant, settings }: Planted) => {
    const customers = soaked(RARE.has(name) ? 200 : 100, 200);
    const result = await storm({ seed, customers, ...settings, shop: shopWith(plant) });
    const named = result.findings.map((finding) => `${finding.kind} ${finding.mistake}`);
    expect(named).toContain(`${kind} ${mistake}`);
    const found = result.findings[named.indexOf(`${kind} ${mistake}`)];
    expect(found).toMatchObject({ cause: expect.stringMatching(/\.$/), remedy: expect.stringMatching(/./) });
    if (found?.order) expect(result.story(found.order)).toMatch(/^2026-01-0\d [\d:]{8} {2}/);
    expect(result.html()).toContain('Copy as test');
  });
});

describe.each(seeds(2, 20))('seed %i accuses not', (seed) => {
  it.each(Object.entries(DESIGNS))('%s', async (_, { change, settings }: Design) => {
    const result = await storm({ seed, customers: 100, ...settings, shop: shopWith(change) });
    expect(result.findings.map(({ problem, order }) => `${problem}\n${result.story(order ?? '')}`)).toEqual([]);
  });
});
