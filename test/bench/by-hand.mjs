// What a merchant would write with the same libraries: a decoder by hand, and a schema of zod.
import { Decimal } from 'decimal.js';

const DECIMAL = /^-?\d{1,30}(?:\.\d{1,18})?$/;

function text(value) {
  if (typeof value !== 'string') throw new Error('not a string');
  return value;
}

function decimal(value) {
  if (typeof value !== 'string' || !DECIMAL.test(value)) throw new Error('not a decimal');
  return new Decimal(value);
}

function date(value) {
  const at = new Date(text(value));
  if (Number.isNaN(at.getTime())) throw new Error('not a date');
  return at;
}

const orNull = (value, read) => (value === null || value === undefined ? null : read(value));

/** A page with the checks of the package: nothing missing, money exact, dates real. */
export function readPage(data) {
  return {
    ...data,
    items: data.items.map((item) => ({
      ...item,
      uuid: text(item.uuid),
      external_id: text(item.external_id),
      customer_id: text(item.customer_id),
      purpose: orNull(item.purpose, text),
      amount: decimal(item.amount),
      amount_to_send: orNull(item.amount_to_send, decimal),
      status: text(item.status),
      callback_url: orNull(item.callback_url, text),
      success_url: orNull(item.success_url, text),
      fail_url: orNull(item.fail_url, text),
      payment_url: text(item.payment_url),
      created_at: date(item.created_at),
      expires_at: date(item.expires_at),
      finished_at: orNull(item.finished_at, date),
      rate: orNull(item.rate, decimal),
      settled_amount_usdt: orNull(item.settled_amount_usdt, decimal),
    })),
  };
}

/** The same page as a schema. */
export async function pageSchema() {
  const { z } = await import('zod');
  const money = z
    .string()
    .regex(DECIMAL)
    .transform((value) => new Decimal(value));
  const moment = z.iso.datetime({ offset: true }).transform((value) => new Date(value));
  const maybe = z.string().nullish();
  return z.looseObject({
    page: z.int(),
    per_page: z.int(),
    total_items: z.int(),
    total_pages: z.int(),
    has_next: z.boolean(),
    has_prev: z.boolean(),
    items: z.array(
      z.looseObject({
        uuid: z.string(),
        external_id: z.string(),
        customer_id: z.string(),
        purpose: maybe,
        amount: money,
        amount_to_send: money.nullish(),
        currency: z.looseObject({ id: z.number(), code: z.string(), name: z.string(), symbol: z.string() }),
        status: z.string(),
        callback_url: maybe,
        success_url: maybe,
        fail_url: maybe,
        payment_url: z.string(),
        created_at: moment,
        expires_at: moment,
        finished_at: moment.nullish(),
        payment_method: z.looseObject({ name: z.string(), logo_url: maybe }).nullish(),
        rate: money.nullish(),
        settled_amount_usdt: money.nullish(),
        is_adjusted: z.boolean(),
        adjustment: z.looseObject({}).nullish(),
      }),
    ),
  });
}
