import { expect, it } from 'vitest';
import { storm } from '../../src/tools/storm/index.ts';
import { MISTAKES, type Planted } from './storm/mistakes.ts';
import { shopWith } from './storm/shop.ts';

// The short form of the tables in test/tools/storm, which the rest and soak projects run whole.

it('a right shop has no finding in a storm of 40 customers', async () => {
  expect((await storm({ seed: 1, customers: 40, shop: shopWith() })).findings).toEqual([]);
});

it.each([
  'no dedupe',
  'adjusted treated as paid in full',
  'paid for ever',
  'no check of the signature',
  'the clock of the machine',
] as const)('a storm of 40 customers finds and names: %s', async (name) => {
  const { kind, mistake, plant }: Planted = MISTAKES[name];
  const { findings } = await storm({ seed: 1, customers: 40, shop: shopWith(plant) });
  expect(findings.map((each) => `${each.kind} ${each.mistake}`)).toContain(`${kind} ${mistake}`);
});
