import type { RowsEndpoint } from './endpoint.ts';
import { isObject } from './envelope.ts';
import { rowsOf } from './rows.ts';
import type { Rate } from './types.ts';
import { check, decimal, nullable, openEnum, resource, shapeOf, text } from './values/codecs.ts';

const rateShape = shapeOf<Rate>()({
  platform: text,
  asset: text,
  fiat: text,
  side: openEnum<'buy' | 'sell'>(['buy', 'sell']),
  price: decimal,
  min_amount: nullable(decimal),
  max_amount: nullable(decimal),
});

const rate = check(() => resource(rateShape, 'Rate'));

/** The interface says that a pair without fresh data is omitted; a service that sends it with a null price is forgiven. */
function isWithoutPrice(row: unknown): boolean {
  return isObject(row) && (row['price'] ?? null) === null;
}

/** @see [GET /api/v1/external/rates](../../docs/service-interface.md#get-apiv1externalrates) */
export const listRates: RowsEndpoint<Rate> = {
  operation: 'rates.list',
  method: 'GET',
  path: '/api/v1/external/rates',
  idempotent: true,
  envelope: 'shown',
  params: null,
  query: null,
  body: null,
  data: rowsOf(rate, { isOmitted: isWithoutPrice }),
  item: rate,
  isOmitted: isWithoutPrice,
};
