import type { RowsEndpoint } from './endpoint.ts';
import { rowsOf } from './envelope.ts';
import { isObject } from './json.ts';
import { optionalCurrencyCode, optionalText, optionalWord } from './parameters.ts';
import type { OpenEnum } from './types.ts';
import { check, money, nullable, openEnum, parameters, resource, scalar, shapeOf, text } from './values/codecs.ts';
import type { Decimal } from './values/decimal.ts';
import { moneyFrom, Problem } from './values/scalars.ts';

/**
 * A market price of USDT. It does not say which currencies or amounts can be charged.
 * @see [Rate](../../docs/service-interface.md#rate)
 */
export interface Rate {
  /** Rate source name. */
  readonly platform: string;
  /** Always USDT. */
  readonly asset: string;
  /** Fiat currency code. */
  readonly fiat: string;
  /** `buy` or `sell`, as the source names the side of its order book. */
  readonly side: OpenEnum<'buy' | 'sell'>;
  /** Best-order price. Rows without a price are left out. */
  readonly price: Decimal;
  /** Smallest order amount at the source. Null when the source gives none. */
  readonly min_amount: Decimal | null;
  /** Largest order amount at the source. Null when the source gives none. */
  readonly max_amount: Decimal | null;
}

const NOT_USDT = new Problem('must be USDT');

/** USDT only, because the price of another asset would be taken for a price of USDT. */
const asset = scalar((value) => (typeof value === 'string' && value.toUpperCase() === 'USDT' ? value : NOT_USDT));

const rate = check(() => {
  const shape = shapeOf<Rate>()({
    platform: text,
    asset,
    fiat: text,
    side: openEnum<'buy' | 'sell'>(),
    price: money,
    min_amount: nullable(moneyFrom),
    max_amount: nullable(moneyFrom),
  });
  return resource(shape);
});

/** True for a pair without fresh data. The interface says that it is omitted, but a null price is accepted as well. */
function isWithoutPrice(row: unknown): boolean {
  return isObject(row) && (row['price'] ?? null) === null;
}

/** @see [GET /api/v1/external/rates](../../docs/service-interface.md#get-apiv1externalrates) */
export const listRates: RowsEndpoint<Rate> = {
  method: 'GET',
  path: '/api/v1/external/rates',
  idempotent: true,
  local: check(() =>
    parameters({
      fiat: optionalCurrencyCode(1, 64),
      side: optionalWord(['buy', 'sell'], (word) => word.toLowerCase()),
      platform: optionalText(1, 128),
    }),
  ),
  data: rowsOf(rate, isWithoutPrice),
  item: rate,
  isOmitted: isWithoutPrice,
};
