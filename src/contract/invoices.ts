import type { Endpoint, PageEndpoint } from './endpoint.ts';
import { pageOf, unwrapped } from './envelope.ts';
import { isObject } from './json.ts';
import type { CreateInvoiceParams, ListInvoicesQuery } from './parameter-types.ts';
import { amount, ident, limitedText, optionalInteger, optionalText, optionalUrl, optionalWord } from './parameters.ts';
import { INVOICE_STATUS_NAMES } from './statuses.ts';
import type { CreatedInvoice, Invoice, InvoiceAdjustment, InvoicePaymentMethod } from './types.ts';
import { annotated, structureOf } from './values/annotations.ts';
import {
  check,
  decimal,
  flag,
  isAbsentObject,
  namesOf,
  nullable,
  nullableObject,
  openEnum,
  parameters,
  prepared,
  resource,
  shapeOf,
  text,
  timestamp,
} from './values/codecs.ts';
import { currency } from './values/currency.ts';

function createdShape() {
  return shapeOf<CreatedInvoice>()({
    uuid: text,
    external_id: text,
    customer_id: text,
    purpose: nullable(text),
    amount: decimal,
    amount_to_send: nullable(decimal),
    currency: currency(),
    status: openEnum(INVOICE_STATUS_NAMES),
    callback_url: nullable(text),
    success_url: nullable(text),
    fail_url: nullable(text),
    payment_url: text,
    created_at: timestamp,
    expires_at: timestamp,
  });
}

function created() {
  return resource(createdShape(), 'CreatedInvoice');
}

function invoice() {
  const method = shapeOf<InvoicePaymentMethod>()({ name: text, logo_url: nullable(text) });
  const adjustment = shapeOf<InvoiceAdjustment>()({
    expected_amount_fiat: decimal,
    actual_amount_fiat: decimal,
    expected_amount_usdt: decimal,
    actual_amount_usdt: decimal,
  });
  const shape = shapeOf<Invoice>()({
    ...createdShape(),
    finished_at: nullable(timestamp),
    payment_method: nullableObject(resource(method, 'InvoicePaymentMethod')),
    rate: nullable(decimal),
    settled_amount_usdt: nullable(decimal),
    is_adjusted: flag,
    adjustment: nullableObject(resource(adjustment, 'InvoiceAdjustment')),
  });
  return resource(shape, 'Invoice');
}

/** A single read may answer the creation form, which has no is_adjusted: there it follows the adjustment. */
function singleInvoice(payload: unknown): unknown {
  const raw = unwrapped(payload);
  if (!isObject(raw) || (raw['is_adjusted'] ?? null) !== null) return raw;
  return { ...raw, is_adjusted: !isAbsentObject(raw['adjustment']) };
}

function createShape() {
  return namesOf<CreateInvoiceParams>()({
    external_id: limitedText(1, 128),
    customer_id: limitedText(1, 128),
    amount: amount(),
    currency: limitedText(2, 16),
    purpose: optionalText(0, 255),
    callback_url: optionalUrl(),
    success_url: optionalUrl(),
    fail_url: optionalUrl(),
  });
}

function listShape() {
  return namesOf<ListInvoicesQuery>()({
    status: optionalWord(INVOICE_STATUS_NAMES),
    currency: optionalText(1, 16),
    page: optionalInteger(1, Number.MAX_SAFE_INTEGER, 1),
    per_page: optionalInteger(1, 100, 20),
  });
}

/** @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices) */
export const createInvoice: Endpoint<CreatedInvoice> = {
  method: 'POST',
  path: '/api/v1/external/invoices',
  idempotent: true, // on external_id: rule 3 of the endpoint
  envelope: 'shown',
  body: check(() => parameters(createShape())),
  data: check(created),
};

/** @see [GET /api/v1/external/invoices](../../docs/service-interface.md#get-apiv1externalinvoices) */
export const listInvoices: PageEndpoint<Invoice> = {
  method: 'GET',
  path: '/api/v1/external/invoices',
  idempotent: true,
  envelope: 'shown',
  query: check(() => parameters(listShape())),
  data: check(() => pageOf(invoice())),
  item: check(invoice),
};

/** @see [GET /api/v1/external/invoices/{ident}](../../docs/service-interface.md#get-apiv1externalinvoicesident) */
export const getInvoice: Endpoint<Invoice> = {
  method: 'GET',
  path: '/api/v1/external/invoices/{ident}',
  idempotent: true,
  envelope: 'not_shown',
  params: check(() => parameters({ ident: ident() })),
  data: check(() => {
    const full = invoice();
    const structures = [structureOf(full), structureOf(created())] as const;
    return annotated(prepared(singleInvoice, full), { kind: 'either', structures });
  }),
};
