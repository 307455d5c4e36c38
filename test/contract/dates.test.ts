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

describe('a date-time from the wire', () => {
  it.each([
    ['2026-01-31T12:00:00Z', NOON],
    ['2026-01-31T12:00:00z', NOON],
    ['2026-01-31t12:00:00Z', NOON],
    ['2026-01-31 12:00:00Z', NOON],
    ['2026-01-31T12:00Z', NOON],
    ['2026-01-31T12:00:00', NOON],
    ['2026-01-31 12:00:00', NOON],
    ['2026-01-31T12:00:00+00:00', NOON],
    ['2026-01-31T12:00:00-00:00', NOON],
    ['2026-01-31T12:00:00+0000', NOON],
    ['2026-01-31T12:00:00 +00:00', NOON],
    ['2026-01-31T14:00:00+02:00', NOON],
    ['2026-01-31T17:30:00+05:30', NOON],
    ['2026-01-31T07:00:00-05:00', NOON],
    ['2026-01-31T07:00:00-05', NOON],
    ['2026-02-01T02:00:00+14:00', NOON],
    ['2026-01-31T12:00:00.5Z', NOON + 500],
    ['2026-01-31T12:00:00,5Z', NOON + 500],
    ['2026-01-31T12:00:00.123Z', NOON + 123],
    ['2026-01-31T12:00:00.123456', NOON + 123],
    ['2026-01-31T12:00:00.999999+00:00', NOON + 999],
    ['2026-01-31T12:00:00.123456789012345678901234567890Z', NOON + 123],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['1969-12-31T23:59:59.999Z', -1],
    ['2026-04-30T00:00:00Z', Date.UTC(2026, 3, 30)],
    ['2026-12-31T23:59:59Z', Date.UTC(2026, 11, 31, 23, 59, 59)],
    ['2026-01-31T12:00:00+23:59', NOON - (23 * 60 + 59) * 60_000],
    ['2026-01-28T12:00:00Z', NOON - 3 * 86_400_000],
    ['2026-01-28T12:00:00.5Z', NOON - 3 * 86_400_000 + 500],
    ['2026-01-28T14:00:00.123+02:00', NOON - 3 * 86_400_000 + 123],
    ['2026-01-28T12:00:00-00:00', NOON - 3 * 86_400_000],
    ['2026-01-28T12:00:00-23:59', NOON - 3 * 86_400_000 + (23 * 60 + 59) * 60_000],
    ['2026-01-31T12:00:00-2359', NOON + (23 * 60 + 59) * 60_000],
    ['0042-03-01T00:00:00Z', Date.parse('0042-03-01T00:00:00.000Z')],
    [`2026-01-31T12:00:00.${'1'.repeat(100)}Z`, NOON + 111],
  ])('%s is read', (text, time) => {
    expect(read(text)).toBe(time);
  });

  it.for<unknown>([
    '2026-02-30T00:00:00Z',
    '2026-02-28T24:00:00Z',
    '2026-02-28T12:00:60Z',
    '2026-02-28T12:00:00+24:00',
    '2026-02-00T12:00:00Z',
    '2026-00-28T12:00:00Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-06-31T00:00:00Z',
    '2026-09-31T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-13-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:60:00Z',
    '2026-01-31T12:00:60Z',
    '2026-01-31T12:00:00+24:00',
    '2026-01-31T12:00:00+02:60',
    // Above: what does not exist. Below: what has another form.
    '',
    'foo 1',
    '1',
    '2026',
    '2026-01-31',
    '12:00:00',
    '31.01.2026 12:00',
    'Sat, 31 Jan 2026 12:00:00 GMT',
    '2026-1-31T12:00:00Z',
    '2026-01-31T12Z',
    '2026-01-31T12:00:00.Z',
    '2026-01-31T12:00:00ZZ',
    ' 2026-01-31T12:00:00Z',
    '2026-01-31T12:00:00Z\n',
    '2026-01-31T12:00:00\n',
    '2026-01-31T12:00:00 ',
    '2026-01-31T12:00:00 CET',
    '+002026-01-31T12:00:00Z',
    '1767225600',
    `2026-01-31T12:00:00.${'1'.repeat(109)}Z`,
    `2026-01-31T12:00:00.${'1'.repeat(10_000_000)}Z`,
    null,
    undefined,
    1767225600,
    new Date(0),
    true,
    {},
    ['2026-01-31T12:00:00Z'],
  ])('is refused as %.50j (row %#)', (value) => {
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
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
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
