import { describe, expect, test } from 'vitest';
import { readRetryAfter, retryAfterOf } from '../../src/transport/retry.ts';
import fc from '../support/fast-check.ts';

// RFC 9110, 10.2.3: seconds, or a date in one of the three forms of 5.6.7. Anything else is no hint.

const NOW = Date.UTC(2026, 0, 31, 9, 30);

describe('seconds', () => {
  test.each([
    ['0', 0],
    ['7', 7_000],
    ['120', 120_000],
    ['0.25', 250],
    ['1.0001', 1_001], // up: never earlier than asked
    ['0.000001', 1],
    ['999999999999', 999_999_999_999_000],
    ['\t3 ', 3_000],
  ])('%j', (header, wait) => {
    expect(readRetryAfter(header, NOW)).toBe(wait);
  });

  test.each([
    '1000000000000',
    '0.0000001',
    '.5',
    '5.',
    '+5',
    '-5',
    '5s',
    's5',
    '5 5',
    '0x10',
    '1e3',
    '٣',
    ',',
    '5s, 6s',
  ])('%j is not', (header) => {
    expect(readRetryAfter(header, NOW)).toBeUndefined();
  });
});

describe('a date', () => {
  test.each([
    ['of RFC 9110', 'Sat, 31 Jan 2026 09:30:05 GMT', 5_000],
    ['of RFC 850', 'Saturday, 31-Jan-26 09:30:06 GMT', 6_000],
    ['of asctime', 'Sat Jan 31 09:30:07 2026', 7_000],
    ['of asctime, with a day of one digit', 'Sun Feb  1 09:30:00 2026', 86_400_000],
    ['in UTC by that name', 'Sat, 31 Jan 2026 09:30:08 UTC', 8_000],
    ['with a zone of its own', 'Sat, 31 Jan 2026 11:30:09 +0200', 9_000],
    ['with a zone behind ours', 'Sat, 31 Jan 2026 04:30:10 -0500', 10_000],
    ['that is now', 'Sat, 31 Jan 2026 09:30:00 GMT', 0],
    ['that has passed', 'Fri, 30 Jan 2026 09:30:00 GMT', 0],
  ])('%s', (_name, header, wait) => {
    expect(readRetryAfter(header, NOW)).toBe(wait);
  });

  test.each([
    '31 Jan 2026 09:30:05 GMT',
    '2026-01-31T09:30:05Z',
    'Sat',
    'Sat, soon, or later in the day',
    'Saturn, 31 Jan 2026 09:30:05 GMT',
    'after Sat, 31 Jan 2026 09:30:05 GMT',
    `Sat, 31 Jan 2026 09:30:05 GMT (${'x'.repeat(40)})`,
    'Sat, 31 Jan 2026 29:30:05 GMT',
  ])('%j is not', (header) => {
    expect(readRetryAfter(header, NOW)).toBeUndefined();
  });

  test('of any day of the week is read to the second', () => {
    const seconds = fc.integer({ min: 0, max: 10 * 366 * 86_400 });
    fc.assert(
      fc.property(seconds, (ahead) => {
        expect(readRetryAfter(new Date(NOW + ahead * 1000).toUTCString(), NOW)).toBe(ahead * 1000);
      }),
    );
  });
});

describe('the clock of the response', () => {
  const hour = 3_600_000;
  const dated = (date: string | null) =>
    new Headers({ 'retry-after': new Date(NOW + 5_000).toUTCString(), ...(date !== null && { date }) });

  test('counts, not ours', () => {
    for (const ours of [NOW - hour, NOW, NOW + hour]) {
      expect(retryAfterOf(dated(new Date(NOW).toUTCString()), ours)).toBe(5_000);
    }
    expect(retryAfterOf(dated(new Date(NOW + hour).toUTCString()), NOW)).toBe(0);
  });

  test.each([null, '', 'today', '2026-01-31T09:30:00Z'])('ours counts where its Date is %j', (date) => {
    expect(retryAfterOf(dated(date), NOW + 1_000)).toBe(4_000);
  });

  test('does not change seconds', () => {
    expect(retryAfterOf(new Headers({ 'retry-after': '7', date: 'Sat, 31 Jan 2026 09:30:00 GMT' }), 0)).toBe(7_000);
  });
});

test('nothing is asked by an absent or empty header', () => {
  for (const header of [null, '', '   ']) expect(readRetryAfter(header, NOW)).toBeUndefined();
});

test('whatever the header is, the wait is a whole number that is not negative, or none', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const wait = readRetryAfter(header, NOW);
      expect(wait === undefined || (Number.isInteger(wait) && wait >= 0)).toBe(true);
    }),
  );
});
