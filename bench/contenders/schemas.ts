// The page as schemas of zod: a full one with the checks of the package, and a lean one with those of a decoder by hand.
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { compile } from 'zod/v4/core';

const currency = z.looseObject({ id: z.number(), code: z.string(), name: z.string(), symbol: z.string() });
const shell = {
  page: z.int(),
  per_page: z.int(),
  total_items: z.int(),
  total_pages: z.int(),
  has_next: z.boolean(),
  has_prev: z.boolean(),
};

const decimal = z
  .string()
  .regex(/^-?\d{1,30}(?:\.\d{1,18})?$/)
  .transform((text) => new Decimal(text));
const date = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const texts = { uuid: z.string(), external_id: z.string(), customer_id: z.string(), status: z.string() };
const links = {
  purpose: z.string().nullish(),
  callback_url: z.string().nullish(),
  success_url: z.string().nullish(),
  fail_url: z.string().nullish(),
  payment_url: z.string(),
};

const full = z.looseObject({
  ...shell,
  items: z.array(
    z.looseObject({
      ...texts,
      ...links,
      currency,
      amount: decimal,
      amount_to_send: decimal.nullish(),
      created_at: date,
      expires_at: date,
      finished_at: date.nullish(),
      payment_method: z.looseObject({ name: z.string(), logo_url: z.string().nullish() }).nullish(),
      rate: decimal.nullish(),
      settled_amount_usdt: decimal.nullish(),
      is_adjusted: z.boolean(),
      adjustment: z.looseObject({}).nullish(),
    }),
  ),
});

const money = z.string().transform((text) => new Decimal(text)); // throws for a text that is no number
const moment = z.string().transform((text) => new Date(text));

const lean = z.object({
  ...shell,
  items: z.array(
    z.object({
      ...texts,
      ...links,
      currency: z.unknown(),
      amount: money,
      amount_to_send: money.nullish(),
      created_at: moment,
      expires_at: moment,
      finished_at: moment.nullish(),
      payment_method: z.unknown(),
      rate: money.nullish(),
      settled_amount_usdt: money.nullish(),
      is_adjusted: z.boolean(),
      adjustment: z.unknown(),
    }),
  ),
});

const compiledFull = compile(full);
const compiledLean = compile(lean);

export const readFull = (data: unknown): unknown => full.parse(data);
export const readCompiled = (data: unknown): unknown => compiledFull.parse(data);
export const readLean = (data: unknown): unknown => compiledLean.parse(data);
