import { Decimal as DecimalJs } from 'decimal.js';

/**
 * Exact decimal arithmetic for money: a separate decimal.js constructor, which a host's `Decimal.set` does not affect. It
 * has 40 significant digits, rounds half up and prints no exponent. Trailing zeros are not kept: 25.00 prints `25`, and
 * `toFixed(2)` prints `25.00`. Compare with `.eq`, `.lt` and `.gt`: the operators `<`, `>` and `+` work on text.
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
