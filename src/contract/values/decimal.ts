import { Decimal as DecimalJs } from 'decimal.js';

/**
 * Exact decimal arithmetic for money: a separate decimal.js constructor, which a host's `Decimal.set` does not affect.
 * It has 40 significant digits, rounds half up and prints no exponent. Trailing zeros are not kept: 25.00 prints `25`,
 * and `toFixed(2)` prints `25.00`. `<`, `<=`, `>` and `>=` between two of them compare numbers, to 15 digits. `.lt` and
 * `.gt` are exact. `==` compares objects and `+` joins texts: use `.eq` and `.plus`.
 *
 * @example
 * new Decimal('0.1').plus('0.2').eq('0.3'); // true
 */
export const Decimal: typeof DecimalJs = DecimalJs.clone({
  defaults: true,
  precision: 40,
  rounding: DecimalJs.ROUND_HALF_UP,
  toExpNeg: -9e15,
  toExpPos: 9e15,
});
/** An amount, rate or percentage. */
export type Decimal = DecimalJs;

// `credited >= due` is what a shop writes, and without this it would compare texts: "9.99" is above "10.1". A prototype
// of its own, because the one of decimal.js is shared with the host's copies. The package pg asks a value for toPostgres,
// and would otherwise write JSON: a column of text got "25" with its quotes.
Decimal.prototype = Object.create(Decimal.prototype, {
  constructor: { value: Decimal, configurable: true, writable: true },
  [Symbol.toPrimitive]: {
    value(this: DecimalJs, hint: string) {
      return hint === 'number' ? Number(this.toString()) : this.toString(); // toNumber() would come back here
    },
    configurable: true,
  },
  toPostgres: {
    value(this: DecimalJs) {
      return this.toString();
    },
    configurable: true,
  },
});
