import { Decimal as HostDecimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { decimalFrom, Problem } from '../../src/contract/values/scalars.ts';
import fc from '../support/fast-check.ts';
import { scaled } from '../support/scaled.ts';

describe('decimal text from the wire', () => {
  it.each([
    ['25.00', '25'],
    ['0', '0'],
    ['-0', '0'],
    ['-0.00', '0'],
    ['-3.5', '-3.5'],
    ['0.0000001', '0.0000001'],
    ['007.10', '7.1'],
    ['1000000000000000000000', '1000000000000000000000'],
    ['123456789012345678901.23', '123456789012345678901.23'],
    ['999999999999999999999999999999', '999999999999999999999999999999'],
    ['0.000000000000000001', '0.000000000000000001'],
    ['0E-8', '0'],
    ['-0e99', '0'],
    ['1E+2', '100'],
    ['1e5', '100000'],
    ['-2.50E1', '-25'],
    ['1.5e-07', '0.00000015'],
    ['1'.repeat(40), '1'.repeat(40)],
    [`0.${'1'.repeat(40)}`, `0.${'1'.repeat(40)}`],
    [`${'0'.repeat(60)}1.50`, '1.5'],
    [`25.${'0'.repeat(60)}`, '25'],
    ['9e99', `9${'0'.repeat(99)}`],
    ['9e-99', `0.${'0'.repeat(98)}9`],
    [`1${'0'.repeat(139)}`, `1${'0'.repeat(139)}`],
    [`0.${'0'.repeat(139)}1`, `0.${'0'.repeat(139)}1`],
  ])('%s is read', (text, plain) => {
    const value = decimalFrom(text);
    expect(value).not.toBeInstanceOf(Problem);
    expect(String(value)).toBe(plain);
    expect(JSON.stringify(value)).toBe(`"${plain}"`);
    expect(value instanceof Problem || value.isNegative()).toBe(plain.startsWith('-')); // there is no negative zero
  });

  it.for<unknown>([
    // decimal.js itself takes these.
    ...['1e1000000000', '1e100', '1e-100', '1e+-5', '1e', 'e5', '1e5.0', '1e 5', '1p5', '0x1f', '0b11', '0o7'],
    ...['1_000', '+1', '.5', '5.', 'NaN', 'Infinity', '-Infinity'],
    ...['', ' ', ' 1', '1 ', '1\n', '1,5', '1 000', '--1', '1.2.3', '٣', '１', '12abc', '-', '-.5', '0x', '$5'],
    ...[null, undefined, true, {}, [], 5n, new Date(0), ['25.00'], { toString: () => '25.00' }],
  ])('what is no decimal text is refused: %s (row %#)', (value) => {
    expect(decimalFrom(value)).toBeInstanceOf(Problem);
  });

  it.each([
    [`1${'0'.repeat(140)}`, 'one place more than 140 before the point'],
    [`0.${'0'.repeat(140)}1`, 'one place more than 140 behind the point'],
    ['1'.repeat(41), 'one significant digit more than forty'],
    [`0.${'1'.repeat(41)}`, 'one significant decimal more than forty'],
    [`1.${'0'.repeat(39)}1`, 'forty-one digits with zeros between them'],
    [`0.${'0'.repeat(100)}1e-99`, 'more decimals than could be read again'],
    ['9'.repeat(10_000_000), 'ten million digits'],
    ['0'.repeat(10_000_000), 'ten million zeros'],
    [`0.${'0'.repeat(10_000_000)}`, 'ten million decimals of zero'],
    [`0x${'f'.repeat(200_000)}`, 'hexadecimal digits without end'],
  ])('%.20s… is refused: %s', (text) => {
    expect(decimalFrom(text)).toBeInstanceOf(Problem);
  });

  /** What a text means, by whole numbers alone: digits before and behind the point, moved by the exponent. */
  function plainOf(negative: boolean, whole: string, part: string, exponent: number): string {
    const digits = BigInt(whole + part);
    const places = part.length - exponent;
    const scale = 10n ** BigInt(Math.max(0, places));
    const value = places < 0 ? digits * 10n ** BigInt(-places) : digits;
    const behind = (value % scale).toString().padStart(Math.max(0, places), '0').replace(/0+$/, '');
    const plain = `${value / scale}${places > 0 && behind !== '' ? `.${behind}` : ''}`;
    return negative && digits !== 0n ? `-${plain}` : plain;
  }

  it('keeps every digit, whatever the exponent', () => {
    const digits = fc.stringMatching(/^\d{1,40}$/);
    const exponent = fc.option(fc.integer({ min: -99, max: 99 }));
    const mark = fc.constantFrom('e', 'E');
    const sign = fc.constantFrom('', '+');
    fc.assert(
      fc.property(digits, fc.nat(40), exponent, mark, sign, fc.boolean(), (all, at, exponent, mark, sign, negative) => {
        const whole = all.slice(0, Math.max(1, at));
        const part = all.slice(whole.length);
        const tail = exponent === null ? '' : `${mark}${exponent < 0 ? '' : sign}${exponent}`;
        const text = `${negative ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}${tail}`;
        const plain = plainOf(negative, whole, part, exponent ?? 0);
        const value = decimalFrom(text);
        expect(String(value)).toBe(plain);
        expect(String(decimalFrom(plain)), 'what was printed can be read').toBe(plain);
      }),
      { numRuns: scaled(2_000) },
    );
  });

  it('accepts a JSON number exactly when its own notation has at most 15 digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), fc.integer({ min: 0, max: 999_999 }), (whole, part) => {
        const text = `${whole}.${String(part).padStart(6, '0')}`;
        expect(String(decimalFrom(Number(text)))).toBe(String(new Decimal(text)));
      }),
      { numRuns: scaled(300) },
    );
  });
});

describe('a JSON number where a decimal string should be', () => {
  it.each([
    [25, '25'],
    [0.1, '0.1'],
    [-3.5, '-3.5'],
    [1e-7, '0.0000001'],
    [999_999_999_999_999, '999999999999999'],
    [9_007_199_254_740_000, '9007199254740000'], // below 2^53, and no more than 15 digits of it count
    [-9_007_199_254_740_000, '-9007199254740000'],
  ])('%d is read', (value, plain) => {
    expect(String(decimalFrom(value))).toBe(plain);
  });

  it.each([
    ...[2 ** 53, -(2 ** 53)],
    9_100_000_000_000_000, // few digits, but a neighbour may have been rounded to it
    ...[1e16, 1e21, 1e300, 0.1234567890123456, 1_234_567_890_123_456, 5e-324],
    ...[Number.NaN, Number.POSITIVE_INFINITY], // 1e999 in JSON
  ])('%d is refused', (value) => {
    expect(decimalFrom(value)).toBeInstanceOf(Problem);
  });
});

describe('Decimal', () => {
  it('adds without losing a cent at 40 digits', () => {
    expect(new Decimal('123456789012345678901.23').plus('0.01').toString()).toBe('123456789012345678901.24');
  });

  it('never prints an exponent', () => {
    expect(String(new Decimal('1e-30'))).toBe(`0.${'0'.repeat(29)}1`);
    expect(JSON.stringify({ amount: new Decimal(10).pow(21) })).toBe('{"amount":"1000000000000000000000"}');
  });

  it('rounds half up', () => {
    expect(new Decimal('2.345').toFixed(2)).toBe('2.35');
    expect(new Decimal('-2.345').toFixed(2)).toBe('-2.35');
  });
});

it('<, <=, > and >= between two Decimals compare numbers, and text, JSON, == and foreign copies stay', () => {
  const [small, large] = [new Decimal('9.99'), new Decimal('10.1')];
  expect([small < large, small <= large, small > large, small >= large]).toEqual([true, true, false, false]);
  expect([`${small}`, `${small}${large}`, JSON.stringify({ small })]).toEqual(['9.99', '9.9910.1', '{"small":"9.99"}']);
  // biome-ignore lint/suspicious/noDoubleEquals: what a shop may write
  expect(small == new Decimal('9.99')).toBe(false);
  expect(small).toBeInstanceOf(Decimal);
  expect(Decimal.isDecimal(small) && small.plus(large) > large).toBe(true);
  expect(new HostDecimal('9.99') < new HostDecimal('10.1')).toBe(false); // decimal.js itself compares texts
  expect(['toPostgres' in small, 'toPostgres' in new HostDecimal('9.99')]).toEqual([true, false]);
});
