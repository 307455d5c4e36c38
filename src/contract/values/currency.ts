import type { Currency } from '../types.ts';
import { integer, resource, shapeOf, text } from './codecs.ts';

/** The currency of an invoice or a payment method. Apart from both, so that their declarations hold nothing of zod. */
export function currency() {
  return resource(shapeOf<Currency>()({ id: integer, code: text, name: text, symbol: text }), 'Currency');
}
