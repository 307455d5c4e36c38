import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/contract/decimal.ts';
import { decimalFrom, Problem } from '../../src/contract/scalars.ts';

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
  ])('%s is read', (text, plain) => {
    const value = decimalFrom(text);
    expect(value).not.toBeInstanceOf(Problem);
    expect(String(value)).toBe(plain);
    expect(JSON.stringify(value)).toBe(`"${plain}"`);
  });

  it('has no negative zero', () => {
    const zero = decimalFrom('-0');
    expect(zero instanceof Problem ? null : zero.isNegative()).toBe(false);
  });

  // decimal.js itself takes each of these.
  it.each([
    '1e1000000000',
    '1e3',
    '1E+3',
    '0x1f',
    '0b11',
    '0o7',
    '1_000',
    '+1',
    '.5',
    '5.',
    'NaN',
    'Infinity',
    '-Infinity',
  ])('%s is refused', (text) => {
    expect(decimalFrom(text)).toBeInstanceOf(Problem);
  });

  it.each(['', ' ', ' 1', '1 ', '1\n', '1,5', '1 000', '--1', '1.2.3', '٣', '１', '12abc', '-', '-.5', '0x', '$5'])(
    '%j is refused',
    (text) => {
      expect(decimalFrom(text)).toBeInstanceOf(Problem);
    },
  );

  it.each([
    ['1'.repeat(31), 'one digit more than thirty'],
    [`0.${'1'.repeat(19)}`, 'one decimal more than eighteen'],
    ['9'.repeat(10_000_000), 'ten million digits'],
    [`0x${'f'.repeat(200_000)}`, 'hexadecimal digits without end'],
  ])('%# is refused: %s', (text) => {
    expect(decimalFrom(text)).toBeInstanceOf(Problem);
  });

  it.each([[null], [undefined], [true], [{}], [[]], [5n], [new Date(0)], [['25.00']], [{ toString: () => '25.00' }]])(
    'a value of another type is refused (%#)',
    (value) => {
      expect(decimalFrom(value)).toBeInstanceOf(Problem);
    },
  );

  it('keeps every digit of every amount it takes', () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,29}$/);
    const decimals = fc.stringMatching(/^\d{0,17}[1-9]$/);
    fc.assert(
      fc.property(digits, decimals, fc.boolean(), (whole, part, negative) => {
        const text = `${negative ? '-' : ''}${whole}.${part}`;
        expect(String(decimalFrom(text))).toBe(text);
      }),
      { seed: 1042, numRuns: 300 },
    );
  });

  it('answers any text with a finite Decimal or a problem, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.anything()), (value) => {
        const result = decimalFrom(value);
        expect(result instanceof Problem || result.isFinite()).toBe(true);
      }),
      { seed: 1042, numRuns: 500 },
    );
  });

  it('accepts a JSON number exactly when its own notation has at most 15 digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), fc.integer({ min: 0, max: 999_999 }), (whole, part) => {
        const text = `${whole}.${String(part).padStart(6, '0')}`;
        expect(String(decimalFrom(Number(text)))).toBe(String(new Decimal(text)));
      }),
      { seed: 1042, numRuns: 300 },
    );
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
