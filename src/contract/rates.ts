import { after, check, decimal, listOf, openEnum, resource, shapeOf, text } from './codecs.ts';
import type { Endpoint } from './endpoint.ts';
import { isObject } from './envelope.ts';
import type { Rate } from './types.ts';

const rateShape = shapeOf<Rate>()({
  platform: text,
  asset: text,
  fiat: text,
  side: openEnum<'buy' | 'sell'>(['buy', 'sell']),
  price: decimal,
  min_amount: decimal,
  max_amount: decimal,
});

/** The interface says that a pair without fresh data is omitted; a service that sends it with a null price is forgiven. */
function withoutPriceless(raw: unknown): unknown {
  if (!Array.isArray(raw)) return raw;
  return raw.filter((row: unknown) => !isObject(row) || (row['price'] ?? null) !== null);
}

/** @see service interface, "GET /api/v1/external/rates" */
export const listRates: Endpoint<Rate[]> = {
  operation: 'rates.list',
  method: 'GET',
  path: '/api/v1/external/rates',
  idempotent: true,
  envelope: 'shown',
  params: null,
  query: null,
  body: null,
  data: check(() => after(withoutPriceless, listOf(resource(rateShape, 'Rate')))),
};
