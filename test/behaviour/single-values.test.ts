import { describe, expect, it } from 'vitest';
import { BEHAVIOURS } from './behaviours.ts';
import { holdUnder, TABLE } from './hold.ts';
import { stageOf } from './stage.ts';

it('has behaviours with names of their own', () => {
  expect(new Set(BEHAVIOURS.map(({ name }) => name)).size).toBe(BEHAVIOURS.length);
  expect(BEHAVIOURS.length).toBeGreaterThanOrEqual(25);
});

describe('under the default dialect', () => {
  it.each(BEHAVIOURS)('$name', async ({ run }) => {
    const stage = stageOf({});
    await run(stage);
    await stage.sandbox.close();
  });
});

describe('every behaviour under every single value', () => {
  const others = TABLE.flatMap(([name, { values }]) => values.slice(1).map((value) => [name, value] as const));
  it.each(others)('%s: %j', (name, value) => holdUnder({ [name]: value }));
});
