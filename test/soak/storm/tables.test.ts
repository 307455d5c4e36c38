import { describe, expect, it } from 'vitest';
import { storm } from '../../../src/tools/storm/index.ts';
import { DESIGNS, type Design } from '../../tools/storm/designs.ts';
import { MISTAKES, type Planted } from '../../tools/storm/mistakes.ts';
import { shopWith } from '../../tools/storm/shop.ts';

// The tables of test/tools/storm over many seeds: each mistake in every one, and no right shop in any. Some 20 minutes on a quiet
// machine with SOAK=1, else two seeds each.

const seeds = (count: number): number[] =>
  Array.from({ length: process.env['SOAK'] === undefined ? 2 : count }, (_, at) => at + 1);

describe.each(seeds(8))('seed %i finds and names', (seed) => {
  it.each(Object.entries(MISTAKES))('%s', async (_, { kind, mistake, plant, settings }: Planted) => {
    const { findings } = await storm({ seed, ...settings, shop: shopWith(plant) });
    expect(findings.map((finding) => `${finding.kind} ${finding.mistake}`)).toContain(`${kind} ${mistake}`);
  });
});

describe.each(seeds(20))('seed %i accuses not', (seed) => {
  it.each(Object.entries(DESIGNS))('%s', async (_, { change, settings }: Design) => {
    const result = await storm({ seed, ...settings, shop: shopWith(change) });
    expect(result.findings.map(({ problem, order }) => `${problem}\n${result.story(order ?? '')}`)).toEqual([]);
  });
});
