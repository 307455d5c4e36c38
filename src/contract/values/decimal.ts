import { Decimal as DecimalJs } from 'decimal.js';

/**
 * Exact decimal arithmetic for money: an own constructor of decimal.js with 40 significant digits, half-up rounding
 * and no exponent notation, which a host's `Decimal.set` cannot reach. Trailing zeros are not kept: 25.00 prints `25`,
 * `toFixed(2)` prints `25.00`. Compare with `.eq`, `.lt`, `.gt`: the operators `<`, `>` and `+` work on text.
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
