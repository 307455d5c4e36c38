import type { Currency } from '../types.ts';
import { integer, resource, shapeOf, text } from './codecs.ts';

const currencyShape = shapeOf<Currency>()({ id: integer, code: text, name: text, symbol: text });

/** The currency of an invoice or a payment method. Apart from both, so that their declarations hold nothing of zod. */
export const currency = resource(currencyShape, 'Currency');
