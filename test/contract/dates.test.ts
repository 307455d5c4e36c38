import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { dateFrom, Problem } from '../../src/contract/values/scalars.ts';
import fc from '../support/fast-check.ts';

const NOON = Date.UTC(2026, 0, 31, 12, 0, 0);

function read(text: unknown): number {
  const date = dateFrom(text);
  if (date instanceof Problem) throw new Error(date.message);
  return date.getTime();
}

const DAY = Date.UTC(2026, 0, 28, 12, 0, 0);
const MOST = (23 * 60 + 59) * 60_000; // the largest offset

describe('a date-time from the wire', () => {
  it.each<[time: number, ...texts: string[]]>([
    [NOON, '2026-01-31T12:00:00Z', '2026-01-31T12:00:00z', '2026-01-31t12:00:00Z', '2026-01-31 12:00:00Z'],
    [NOON, '2026-01-31T12:00Z', '2026-01-31T12:00:00', '2026-01-31 12:00:00', '2026-01-31T12:00:00+00:00'],
    [NOON, '2026-01-31T12:00:00-00:00', '2026-01-31T12:00:00+0000', '2026-01-31T12:00:00 +00:00'],
    [NOON, '2026-01-31T14:00:00+02:00', '2026-01-31T17:30:00+05:30', '2026-01-31T07:00:00-05:00'],
    [NOON, '2026-01-31T07:00:00-05', '2026-02-01T02:00:00+14:00'],
    [NOON - MOST, '2026-01-31T12:00:00+23:59'],
    [NOON + MOST, '2026-01-31T12:00:00-2359'],
    [NOON + 500, '2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00,5Z'],
    [NOON + 123, '2026-01-31T12:00:00.123Z', '2026-01-31T12:00:00.123456', `2026-01-31T12:00:00.123${'4'.repeat(27)}Z`],
    [NOON + 111, `2026-01-31T12:00:00.${'1'.repeat(100)}Z`],
    [NOON + 999, '2026-01-31T12:00:00.999999+00:00'],
    // Of a day that every month has, which is read in another way.
    [DAY, '2026-01-28T12:00:00Z', '2026-01-28T12:00:00-00:00'],
    [DAY + 500, '2026-01-28T12:00:00.5Z'],
    [DAY + 123, '2026-01-28T14:00:00.123+02:00'],
    [DAY + MOST, '2026-01-28T12:00:00-23:59'],
    // At an edge of the calendar.
    [Date.UTC(2024, 1, 29), '2024-02-29T00:00:00Z'],
    [Date.UTC(2000, 1, 29), '2000-02-29T00:00:00Z'],
    [Date.UTC(2026, 3, 30), '2026-04-30T00:00:00Z'],
    [Date.UTC(2026, 11, 31, 23, 59, 59), '2026-12-31T23:59:59Z'],
    [-1, '1969-12-31T23:59:59.999Z'],
    [Date.parse('0042-03-01T00:00:00.000Z'), '0042-03-01T00:00:00Z'],
  ])('%i is read from %s, and from other texts that mean it', (time, ...texts) => {
    for (const text of texts) expect(read(text), text).toBe(time);
  });

  it.each<[what: string, ...values: unknown[]]>([
    ['a day', '2026-02-30T00:00:00Z', '2026-02-29T00:00:00Z', '1900-02-29T00:00:00Z', '2026-04-31T00:00:00Z'],
    ['a day', '2026-06-31T00:00:00Z', '2026-09-31T00:00:00Z', '2026-11-31T00:00:00Z', '2026-01-32T00:00:00Z'],
    ['day zero', '2026-02-00T12:00:00Z', '2026-01-00T00:00:00Z'],
    ['a month', '2026-00-28T12:00:00Z', '2026-00-10T00:00:00Z', '2026-13-10T00:00:00Z'],
    ['an hour', '2026-02-28T24:00:00Z', '2026-01-31T24:00:00Z'],
    ['a minute', '2026-01-31T12:60:00Z'],
    ['a second', '2026-02-28T12:00:60Z', '2026-01-31T12:00:60Z'],
    ['an offset', '2026-02-28T12:00:00+24:00', '2026-01-31T12:00:00+24:00', '2026-01-31T12:00:00+02:60'],
  ])('%s that does not exist is refused: %s', (_what, ...values) => {
    for (const value of values) expect(dateFrom(value), String(value)).toBeInstanceOf(Problem);
  });

  it.for<unknown>([
    ...['', 'foo 1', '1', '2026', '2026-01-31', '12:00:00', '31.01.2026 12:00', 'Sat, 31 Jan 2026 12:00:00 GMT'],
    ...['2026-1-31T12:00:00Z', '2026-01-31T12Z', '2026-01-31T12:00:00.Z', '2026-01-31T12:00:00ZZ'],
    ...[' 2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z\n', '2026-01-31T12:00:00\n', '2026-01-31T12:00:00 '],
    ...['2026-01-31T12:00:00 CET', '+002026-01-31T12:00:00Z', '1767225600'],
    ...[109, 10_000_000].map((length) => `2026-01-31T12:00:00.${'1'.repeat(length)}Z`),
    ...[null, undefined, 1767225600, new Date(0), true, {}, ['2026-01-31T12:00:00Z']],
  ])('another form is refused: %.50j (row %#)', (value) => {
    expect(dateFrom(value)).toBeInstanceOf(Problem);
  });

  it('reads every instant back from its ISO text', () => {
    const instants = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, (date) => {
        expect(read(date.toISOString())).toBe(date.getTime());
        expect(read(date.toISOString().replace('Z', ''))).toBe(date.getTime());
      }),
      { numRuns: 300 },
    );
  });
});

describe('the time zone of the machine', () => {
  const scalars = new URL('../../src/contract/values/scalars.ts', import.meta.url).href;
  const script = `
    const { dateFrom } = await import(${JSON.stringify(scalars)});
    const texts = ['2026-01-31T12:00:00', '2026-07-31 12:00:00.5', '2026-03-08T02:30:00', '2026-01-31T12:00:00+02:00'];
    console.log(JSON.stringify([new Date('2026-01-31T12:00:00').getTime(), ...texts.map((t) => dateFrom(t).getTime())]));
  `;

  // The third text is an hour that New York's clocks skip.
  it.each([
    ['Asia/Tokyo', -9],
    ['America/New_York', 5],
    ['UTC', 0],
  ])('does not move a time without an offset: %s', (zone, hoursOff) => {
    const flags = ['--experimental-strip-types', '--input-type=module']; // the first for Node 22.12
    const output = execFileSync(process.execPath, [...flags, '--eval', script], {
      encoding: 'utf8',
      env: { ...process.env, TZ: zone, NODE_NO_WARNINGS: '1' },
    });
    expect(JSON.parse(output)).toEqual([
      NOON + hoursOff * 3_600_000, // what the platform's own parser makes of it: the zone is at work
      NOON,
      Date.UTC(2026, 6, 31, 12, 0, 0, 500),
      Date.UTC(2026, 2, 8, 2, 30),
      Date.UTC(2026, 0, 31, 10),
    ]);
  });
});
