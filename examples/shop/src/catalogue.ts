import { Decimal } from 'merchant-invoicing';

export const SHOP_NAME = 'Tea & Mugs';
export const CURRENCY = 'EUR';
export const MAX_QUANTITY = 20;

/** A product. The price is decimal text, exact in code and in the database. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly price: string;
}

export const PRODUCTS: readonly Product[] = [
  { id: 'tea', name: 'Green tea, 100 g', price: '12.50' },
  { id: 'mug', name: 'Mug', price: '18.00' },
  { id: 'kettle', name: 'Kettle', price: '64.90' },
];

/**
 * A line of an order. It has the name and the price of the day, so that a new
 * price changes no old order.
 */
export interface Line {
  readonly product: string;
  readonly name: string;
  readonly price: string;
  readonly quantity: number;
}

/**
 * Reads the quantities of the product page. Prices never come from the form.
 */
export function readCart(form: URLSearchParams): Line[] {
  return PRODUCTS.flatMap(({ id, name, price }) => {
    const text = form.get(id) ?? '';
    const quantity = /^[0-9]{1,3}$/.test(text)
      ? Math.min(Number(text), MAX_QUANTITY)
      : 0;
    return quantity === 0 ? [] : [{ product: id, name, price, quantity }];
  });
}

export function totalOf(lines: readonly Line[]): Decimal {
  return lines.reduce(
    (sum, { price, quantity }) => sum.plus(new Decimal(price).times(quantity)),
    new Decimal(0),
  );
}
