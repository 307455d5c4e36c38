import { describe, expect, it } from 'vitest';
import { Ratios } from '../../bench/harness/ratios.ts';
import { isWide, spreadOf } from '../../bench/harness/statistics.ts';

describe('the spread of samples', () => {
  it.each([
    [[3, 1, 2], { low: 1.5, median: 2, high: 2.5 }],
    [[10, 20, 30, 40, 50], { low: 20, median: 30, high: 40 }],
    [[4, 2], { low: 2.5, median: 3, high: 3.5 }],
    [[7], { low: 7, median: 7, high: 7 }],
  ])('of %j is %j', (samples, spread) => expect(spreadOf(samples)).toEqual(spread));

  it('is wide from more than a fifth of the median on', () => {
    expect(isWide({ low: 9, median: 10, high: 11 })).toBe(false);
    expect(isWide({ low: 9, median: 10, high: 11.1 })).toBe(true);
  });
});

describe('the ratios of a row', () => {
  it('compare each sample with its own partner, and not medians with each other', () => {
    // A machine that becomes ten times slower: every pair says 2, the median of one series beside the other does not.
    const ratios = new Ratios('base');
    for (const [own, base] of [
      [2, 1],
      [4, 2],
      [20, 10],
    ] as const) {
      ratios.add('other', own, base);
    }
    expect(ratios.entries()).toEqual([
      { name: 'base', figure: { low: 1, median: 1, high: 1 }, each: 2, quiet: 1 },
      { name: 'other', figure: { low: 2, median: 2, high: 2 }, each: 4, quiet: 2 },
    ]);
  });
});
