import type { RowsEndpoint } from './endpoint.ts';
import { isObject } from './json.ts';
import { rowsOf } from './rows.ts';
import type { Rate } from './types.ts';
import { check, decimal, nullable, openEnum, resource, shapeOf, text } from './values/codecs.ts';

const rate = check(() => {
  const shape = shapeOf<Rate>()({
    platform: text,
    asset: text,
    fiat: text,
    side: openEnum(['buy', 'sell']),
    price: decimal,
    min_amount: nullable(decimal),
    max_amount: nullable(decimal),
  });
  return resource(shape, 'Rate');
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
  envelope: 'shown',
  data: rowsOf(rate, { isOmitted: isWithoutPrice }),
  item: rate,
  isOmitted: isWithoutPrice,
};
