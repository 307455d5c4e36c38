import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { quickDate, quickDecimal } from '../../src/contract/values/quick.ts';
import { dateFrom, decimalFrom, exactDate, exactDecimal, Problem } from '../../src/contract/values/scalars.ts';
import fc from '../support/fast-check.ts';
import { scaled } from '../support/scaled.ts';

// Common texts are read by quick forms. They must accept nothing that the exact ones refuse, and give the same values.
// TEST_SHARE=100 npx vitest run test/contract/quick.test.ts

const RUNS = { numRuns: scaled(5_000) };
const TIME = 600_000; // for the large count

/** All that a Decimal or a Date holds, or the refusal. */
function contents(value: Decimal | Date | Problem): unknown {
  if (value instanceof Problem) return { refusal: value.message };
  if (value instanceof Date) return { time: value.getTime(), text: value.toISOString() };
  const { s, e, d } = value;
  return { s, e, d, isOurs: value.constructor === Decimal, text: value.toFixed(), keys: Object.keys(value) };
}

function same(text: string, read: (text: string) => Parameters<typeof contents>[0], exact: typeof read): void {
  const [given, wanted] = [contents(read(text)), contents(exact(text))];
  if (!isDeepStrictEqual(given, wanted)) expect(given, text).toEqual(wanted); // `expect` alone takes too long
}

const sameDecimal = (text: string): void => same(text, decimalFrom, exactDecimal);
const sameDate = (text: string): void => same(text, dateFrom, exactDate);

/** A text with one character replaced, put in or left out. */
function mistyped(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const marks = fc.constantFrom(
    '',
    ' ',
    '0',
    '9',
    '-',
    '+',
    '.',
    ',',
    ':',
    'e',
    'E',
    'T',
    't',
    'Z',
    'z',
    '/',
    '٣',
    '１',
    '\n',
    '\0',
  );
  return fc
    .tuple(text, fc.nat(32), marks, fc.nat(1))
    .map(([given, at, mark, width]) => given.slice(0, at) + mark + given.slice(at + width));
}

describe('a decimal that is read quickly', () => {
  const odd = [
    ...[
      '0',
      '00',
      '0.0',
      '0.0000000',
      '-0',
      '-0.0',
      '+1',
      '1',
      '1.0',
      '01.50',
      '0000001',
      '00000001',
      '0.1',
      '0.0000001',
    ],
    ...[
      '9999999',
      '9999999.9999999',
      '10000000',
      '1.00000001',
      '1.10000000',
      '25.',
      '.5',
      '.',
      '',
      '1e5',
      '0E-8',
      '1.5e1',
    ],
    ...[
      ' 1',
      '1 ',
      '1\n',
      '1.\n5',
      '1..5',
      '1.5.5',
      '1,5',
      '٣',
      '1٣',
      '1.٣',
      '１',
      '1:',
      '1/',
      '1.:',
      '1./',
      'NaN',
      '0x1',
    ],
    ...['123456789012345678.901234567890123456', '1'.repeat(40), '1'.repeat(41), `0.${'1'.repeat(41)}`],
  ];

  it.each(odd)('%j is the same as when it is read exactly', (text) => sameDecimal(text));

  it('is the same for random texts', { timeout: TIME }, () => {
    const plain = fc.stringMatching(/^-?\d{1,9}(\.\d{0,9})?$/);
    const any = fc.stringMatching(/^[-+]?\d{0,45}(\.\d{0,45})?([eE][+-]?\d{0,3})?$/);
    fc.assert(fc.property(fc.oneof(plain, any, mistyped(plain), fc.string()), sameDecimal), RUNS);
  });

  it('is read quickly where a service writes a common amount', () => {
    for (const text of ['25.00', '0.92', '26.861298', '0', '100']) expect(quickDecimal(text), text).not.toBeNull();
  });

  it('looks at no more digits than it can read', () => {
    const digits = '1'.repeat(100_000);
    const look = vi.spyOn(String.prototype, 'charCodeAt');
    try {
      for (const text of [digits, `1.${digits}`]) expect(quickDecimal(text)).toBeNull();
      expect(look.mock.calls.length).toBeLessThan(100);
    } finally {
      look.mockRestore();
    }
  });

  it('shares no digits with another', () => {
    const [first, second] = [quickDecimal('25.50'), quickDecimal('25.50')];
    expect(first?.plus('0.25').toFixed()).toBe('25.75');
    expect(second?.toFixed()).toBe('25.5');
    expect(first?.d).not.toBe(second?.d);
  });

  const settings = { precision: 40, rounding: 4, toExpNeg: -9e15, toExpPos: 9e15, maxE: 9e15, minE: -9e15 } as const;
  afterEach(() => {
    Decimal.set(settings);
    vi.doUnmock('../../src/contract/values/decimal.ts');
    vi.resetModules();
  });

  it.each([
    { precision: 1, rounding: 0 },
    { toExpNeg: 0, toExpPos: 0 },
    { maxE: 0 },
    { maxE: 3 },
    { minE: 0 },
    { minE: -2 },
  ] as const)('follows the settings %j as an exact one does', (changed) => {
    Decimal.set(changed);
    for (const text of ['0.92', '0.001', '25.50', '123456.789', '9999999', '0.0000001']) {
      const [quick, exact] = [decimalFrom(text), exactDecimal(text)];
      if (quick instanceof Problem || exact instanceof Problem) expect(quick).toEqual(exact);
      else expect([quick.s, quick.e, quick.d], text).toEqual([exact.s, exact.e, exact.d]);
    }
  });

  it('is read exactly where decimal.js keeps its digits in another way', async () => {
    vi.resetModules();
    vi.doMock('../../src/contract/values/decimal.ts', () => ({
      Decimal: class {
        static maxE = 9e15;
        static minE = -9e15;
        readonly d = [12, 30];
      },
    }));
    const other = await import('../../src/contract/values/quick.ts');
    expect(other.quickDecimal('25.00')).toBeNull();
    expect(other.quickDecimal('25')).toBeNull();
  });
});

describe('a date-time that is read quickly', () => {
  const day = (text: string) => `${text}T09:30:00Z`;
  const at = (text: string) => `2026-01-15${text}`;
  const odd = [
    ...[
      '2026-02-28',
      '2026-02-29',
      '2026-02-30',
      '2024-02-29',
      '2024-02-30',
      '1900-02-29',
      '2000-02-29',
      '2026-04-30',
    ].map(day),
    ...[
      '2026-04-31',
      '2026-06-31',
      '2026-12-31',
      '2026-12-32',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '0000-01-01',
    ].map(day),
    ...[
      '0042-03-01',
      '0099-12-31',
      '0100-01-01',
      '9999-12-31',
      '1969-12-31',
      '-001-01-01',
      '+002026-01-01',
      '2026-1-01',
    ].map(day),
    ...[
      'T00:00:00Z',
      'T23:59:59Z',
      'T24:00:00Z',
      'T23:60:00Z',
      'T23:59:60Z',
      't09:30:00Z',
      'T09:30:00z',
      ' 09:30:00Z',
    ].map(at),
    ...[
      'T09:30Z',
      'T09:30:00',
      'T09:30:00+00:00',
      'T09:30:00-05:30',
      'T09:30:00 Z',
      'T09:30:00ZZ',
      'T09:30:00.Z',
      'T09:30:00,5Z',
    ].map(at),
    ...Array.from({ length: 32 }, (_, digits) => at(`T09:30:00.${'123456789'.repeat(4).slice(0, digits)}Z`)),
    ...[
      'T09:30:00.999Z',
      'T09:30:00.9999999Z',
      'T09:30:00.00٣Z',
      'T０9:30:00Z',
      'T-1:30:00Z',
      'T 9:30:00Z',
      'T09-30-00Z',
    ].map(at),
    ...['', 'Z', '2026-01-15', ' 2026-01-15T09:30:00Z', '2026-01-15T09:30:00Z\n', '2026/01/15T09:30:00Z'],
  ];

  it.each(odd)('%j is the same as when it is read exactly', (text) => sameDate(text));

  it('is the same for random texts', { timeout: TIME }, () => {
    const two = fc
      .oneof({ weight: 9, arbitrary: fc.nat(34) }, fc.nat(99))
      .map((number) => String(number).padStart(2, '0'));
    const year = fc
      .oneof(fc.integer({ min: 1990, max: 2040 }), fc.nat(9999))
      .map((number) => String(number).padStart(4, '0'));
    const zone = fc.oneof(
      { weight: 6, arbitrary: fc.constant('Z') },
      fc.constantFrom('z', '', '+00:00', '-0530', ' Z', '+24:00'),
    );
    const shown = fc
      .tuple(
        year,
        fc.nat(13).map((month) => String(month).padStart(2, '0')),
        two,
        two,
        two,
        two,
        fc.stringMatching(/^(\.\d{1,10})?$/),
        zone,
      )
      .map(([y, mo, d, h, mi, s, fraction, zone]) => `${y}-${mo}-${d}T${h}:${mi}:${s}${fraction}${zone}`);
    const real = fc
      .date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString());
    fc.assert(fc.property(fc.oneof(shown, real, mistyped(shown), mistyped(real)), sameDate), RUNS);
  });

  it('is read quickly where a service writes a common form', () => {
    for (const text of [
      '2026-01-31T09:30:00Z',
      '2026-01-31T09:30:00.123Z',
      '2026-01-31T09:30:00.123456Z',
      '0100-01-01T00:00:00Z',
      '2026-12-31T23:59:59Z',
    ]) {
      expect(quickDate(text), text).not.toBeNull();
    }
  });
});
