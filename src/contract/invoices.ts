import type { Conflict, ConflictForm, Endpoint, PageEndpoint, WireRecord } from './endpoint.ts';
import { currency, holdsResource, pageOf, payloadOf, unwrapped } from './envelope.ts';
import { firstText, isObject, type JsonObject } from './json.ts';
import {
  amount,
  currencyCode,
  type DecimalInput,
  externalId,
  ident,
  identHint,
  limitedText,
  optionalCurrencyCode,
  optionalInteger,
  optionalText,
  optionalUrl,
  optionalWord,
} from './parameters.ts';
import { INVOICE_STATUS_NAMES } from './statuses.ts';
import type { Currency, InvoiceStatus, KnownInvoiceStatus, PageQuery } from './types.ts';
import {
  type Codec,
  check,
  displayObject,
  displayText,
  filledText,
  flag,
  isAbsentObject,
  money,
  nullable,
  nullableObject,
  openEnum,
  parameters,
  parametersOf,
  prepared,
  requiredDisplayText,
  resource,
  scalar,
  shapeOf,
  statedOrNull,
  timestamp,
} from './values/codecs.ts';
import { Decimal } from './values/decimal.ts';
import { dateFrom, decimalFrom, isHttpAddress, isSameIdent, moneyFrom, Problem } from './values/scalars.ts';

/**
 * An invoice as its creation returns it. {@link Invoice} has more members.
 * @see [Invoice](../../docs/service-interface.md#invoice)
 */
export interface CreatedInvoice {
  /** The service's id of the invoice. */
  readonly uuid: string;
  /** The merchant's order id, unique per business. */
  readonly external_id: string;
  /** The merchant's identifier of the paying customer. `''` if it cannot be read: never a key without a check. */
  readonly customer_id: string;
  /** The description of the order that the customer sees. */
  readonly purpose: string | null;
  /** Base order amount in fiat, unchanged. */
  readonly amount: Decimal;
  /** The amount that the customer pays, commission included. Null until a method is chosen. */
  readonly amount_to_send: Decimal | null;
  /** The currency of `amount` and `amount_to_send`. */
  readonly currency: Currency;
  /** `pending` after a creation. An invoice that was found may have ended. */
  readonly status: InvoiceStatus;
  /** Receives the terminal webhook. */
  readonly callback_url: string | null;
  /** Where the customer goes after a payment. Null if the service names no address. */
  readonly success_url: string | null;
  /** Where the customer goes after a failed payment. Null if the service names no address. */
  readonly fail_url: string | null;
  /** The hosted payment page. Send the customer here. */
  readonly payment_url: string;
  /** Creation time, by the clock of the service. */
  readonly created_at: Date;
  /** When a pending invoice becomes `expired`. The interface does not say how long an invoice lives. */
  readonly expires_at: Date;
}

/** The payment method that the customer chose. */
export interface InvoicePaymentMethod {
  /** For people, such as `Card`. `''` if it cannot be read. */
  readonly name: string;
  /** Null if the method has no logo. */
  readonly logo_url: string | null;
}

/**
 * Present when the paid amount was corrected during a dispute.
 * @see [Invoice adjustment](../../docs/service-interface.md#invoice-adjustment)
 */
export interface InvoiceAdjustment {
  /** Fiat originally ordered. */
  readonly expected_amount_fiat: Decimal;
  /** Fiat actually paid. */
  readonly actual_amount_fiat: Decimal;
  /** USDT expected at the ordered amount. */
  readonly expected_amount_usdt: Decimal;
  /** USDT actually credited. */
  readonly actual_amount_usdt: Decimal;
}

/** An invoice as lists and single reads return it. @see [Invoice](../../docs/service-interface.md#invoice) */
export interface Invoice extends CreatedInvoice {
  /** Time of the final state. */
  readonly finished_at: Date | null;
  /** Null until the customer chose one. */
  readonly payment_method: InvoicePaymentMethod | null;
  /** Snapshot of the fiat-per-USDT rate. */
  readonly rate: Decimal | null;
  /** USDT credited to the business. Set only on success. Decide by this amount what the customer gets. */
  readonly settled_amount_usdt: Decimal | null;
  /**
   * True when the paid amount was corrected during a dispute. Null in a single read that does not say it: the list has
   * the full form.
   */
  readonly is_adjusted: boolean | null;
  /** Ordered and paid amounts. Null if the paid amount was not corrected. */
  readonly adjustment: InvoiceAdjustment | null;
}

/** An invoice of an order, as it was created or as it was found. */
export type OrderInvoice = CreatedInvoice | Invoice;

/**
 * The parameters of a new invoice.
 *
 * @example
 * await merchant.invoices.create({ external_id: 'order-1001', customer_id: 'c-7', amount: '25.00', currency: 'EUR' });
 * @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices)
 */
export interface CreateInvoiceParams {
  /**
   * The merchant's order id, 1 to 128 characters. Creation is idempotent on it: use the id of the order, never a random
   * one.
   */
  readonly external_id: string;
  /** 1 to 128 characters. */
  readonly customer_id: string;
  /** Greater than 0, at most 2 decimals: `"25.00"`. */
  readonly amount: DecimalInput;
  /** 2 to 16 characters, such as `EUR`. `paymentMethods.forCharge` says what can be charged. */
  readonly currency: string;
  /** Text for the customer, at most 255 characters. */
  readonly purpose?: string | null | undefined;
  /** Where the terminal webhook goes: HTTPS, at most 512 characters. Falls back to the business settings. */
  readonly callback_url?: string | null | undefined;
  /** Where the customer goes after a payment. Same rule and fallback as `callback_url`. */
  readonly success_url?: string | null | undefined;
  /** Where the customer goes after a failed payment. Same rule and fallback as `callback_url`. */
  readonly fail_url?: string | null | undefined;
}

/**
 * The filters and the page of a list of invoices.
 *
 * @example
 * for await (const invoice of merchant.invoices.list({ status: 'success', currency: 'EUR' })) console.log(invoice.uuid);
 * @see [GET /api/v1/external/invoices](../../docs/service-interface.md#get-apiv1externalinvoices)
 */
export interface ListInvoicesQuery extends PageQuery {
  /** Only the words that the interface lists: the service refuses any other with 422. */
  readonly status?: KnownInvoiceStatus | null | undefined;
  /** Currency code. */
  readonly currency?: string | null | undefined;
}

const NO_LINK = new Problem('must be an http or https address');

function createdShape() {
  return shapeOf<CreatedInvoice>()({
    uuid: filledText,
    external_id: filledText,
    customer_id: requiredDisplayText,
    purpose: displayText,
    amount: money,
    amount_to_send: nullable(moneyFrom),
    currency: currency(),
    status: openEnum<KnownInvoiceStatus>(filledText),
    callback_url: displayText,
    success_url: displayText,
    fail_url: displayText,
    payment_url: link(),
    created_at: timestamp,
    expires_at: timestamp,
  });
}

/** The payment page. A merchant redirects customers to it, so `javascript:` and `data:` are refused. */
function link() {
  return scalar((value) => (isHttpAddress(value) ? value : NO_LINK));
}

/** An invoice of a list, which must say whether it was adjusted. */
function listedInvoice() {
  return invoice(flag);
}

function invoice(is_adjusted: Codec<boolean | null>) {
  const method = shapeOf<InvoicePaymentMethod>()({ name: requiredDisplayText, logo_url: displayText });
  const adjustment = shapeOf<InvoiceAdjustment>()({
    expected_amount_fiat: money,
    actual_amount_fiat: money,
    expected_amount_usdt: money,
    actual_amount_usdt: money,
  });
  const shape = shapeOf<Invoice>()({
    ...createdShape(),
    finished_at: nullable(dateFrom),
    payment_method: displayObject(resource(method)),
    rate: nullable(decimalFrom),
    settled_amount_usdt: nullable(moneyFrom),
    is_adjusted,
    adjustment: nullableObject(resource(adjustment)),
  });
  return resource(shape);
}

/**
 * Completes a single read in the creation form, which has no is_adjusted: it is true if there is an adjustment, otherwise
 * it is not known. Nothing is completed to false.
 */
function singleInvoice(payload: unknown): unknown {
  const raw = unwrapped(payload);
  if (!isObject(raw) || (raw['is_adjusted'] ?? null) !== null) return raw;
  return { ...raw, is_adjusted: isAbsentObject(raw['adjustment']) ? null : true };
}

function creationBody() {
  const shape = parametersOf<CreateInvoiceParams>()({
    external_id: externalId(128),
    customer_id: limitedText(1, 128),
    amount: amount(),
    currency: currencyCode(2, 16),
    purpose: optionalText(0, 255),
    callback_url: optionalUrl(),
    success_url: optionalUrl(),
    fail_url: optionalUrl(),
  });
  return parameters(shape);
}

/**
 * Whether a response says of an invoice that nobody has chosen a payment method: the member is there, and null. The
 * creation form has no such member, and says nothing.
 *
 * @param raw The text of the response: a single read, or a page of a list.
 */
export function saysNoMethod(raw: string, uuid: string): boolean {
  const payload = payloadOf(JSON.parse(raw));
  const rows = isObject(payload) && Array.isArray(payload['items']) ? payload['items'] : [unwrapped(payload)];
  return rows
    .filter(isObject)
    .some((row) => row['uuid'] === uuid && 'payment_method' in row && isAbsentObject(row['payment_method']));
}

/**
 * The members in which an invoice differs from the charge that was asked for. One that was adjusted is compared by the
 * amount that was ordered.
 */
export function chargeDifferences(sent: WireRecord, found: CreatedInvoice | Invoice): ChargeMember[] {
  const { amount: asked = '', currency: code = '', customer_id = '' } = sent;
  const differences: ChargeMember[] = [];
  const ordered = ('adjustment' in found ? found.adjustment?.expected_amount_fiat : undefined) ?? found.amount;
  if (!ordered.eq(new Decimal(asked))) differences.push('amount');
  if (found.currency.code.toUpperCase() !== code.toUpperCase()) differences.push('currency');
  // A customer_id that cannot be read is not compared.
  const customer = plainText(found.customer_id);
  if (customer !== '' && customer !== plainText(customer_id)) differences.push('customer_id');
  return differences;
}

/** A text as a service may have stored it: frameworks trim texts and normalise them. */
function plainText(text: string): string {
  return text.trim().normalize('NFC');
}

/**
 * An address as a service may have stored it: with a path, a host in lower case and in punycode, without a default
 * port.
 */
function plainAddress(address: string): string {
  return URL.canParse(address.trim()) ? new URL(address.trim()).href : address;
}

/** The texts of an invoice that are compared, but do not decide whether two invoices are the same charge. */
const TEXTS = {
  callback_url: plainAddress,
  success_url: plainAddress,
  fail_url: plainAddress,
  purpose: plainText,
} as const;

/** A text that `createOrRenew` compares: `callback_url`, `success_url`, `fail_url` or `purpose`. */
export type ComparedText = keyof typeof TEXTS;

/** The names of the texts that were sent and that the invoice has otherwise. */
export function textDifferences(sent: WireRecord, found: CreatedInvoice): ComparedText[] {
  const names = Object.keys(TEXTS) as ComparedText[]; // Object.keys forgets the names
  return names.filter((name) => {
    const [asked, has] = [sent[name], found[name]];
    return asked !== undefined && (has === null || TEXTS[name](has) !== TEXTS[name](asked));
  });
}

/** A member that says whether two invoices are the same charge. */
export type ChargeMember = 'amount' | 'currency' | 'customer_id';

function unreadableCustomer({ customer_id }: CreatedInvoice): string | null {
  return customer_id === '' ? 'customer_id' : null;
}

function creationDifferences(created: CreatedInvoice, sent: WireRecord): string[] {
  const differences: string[] = chargeDifferences(sent, created).filter((member) => member !== 'customer_id');
  return created.external_id === sent['external_id'] ? differences : ['external_id', ...differences];
}

/** How to read the error response for an order that has an invoice already, from any operation. */
export const conflict: ConflictForm = {
  advice: 'invoices.createOrRenew returns the invoice with which the order can be paid, or which paid it.',
  externalIdIn: (details) => firstText(holdersIn(details).map((holder) => holder['external_id'])),
  read: readConflict,
};

const STATUS_MAX = 64;
const ID_MAX = 512;
const STATUS_NAMES = ['status', 'existing_status', 'invoice_status', 'current_status'];

/**
 * Reads the details of a conflict. The interface does not name their members.
 * @see [Known codes](../../docs/service-interface.md#known-codes)
 */
function readConflict(value: unknown): Conflict {
  const [details = {}, nested = {}] = holdersIn(value);
  const stated = [details, nested].flatMap((holder) => STATUS_NAMES.map((name) => holder[name]));
  const statuses = new Set(stated.flatMap((text) => firstText([text]) ?? []));
  const [status = null] = statuses.size === 1 ? statuses : []; // two of them say nothing
  const externalId = firstText([details['external_id'], details['order_id'], nested['external_id']]);
  return {
    externalId: externalId?.slice(0, ID_MAX) ?? null,
    // Any text is an InvoiceStatus. Its type only completes the known ones.
    existingStatus: (status?.slice(0, STATUS_MAX) ?? null) as InvoiceStatus | null,
  };
}

/** The details, and those of their members that may be the existing invoice. */
function holdersIn(details: unknown): JsonObject[] {
  if (!isObject(details)) return [];
  return [details, details['invoice'], details['existing_invoice'], details['existing']].filter(isObject);
}

/** @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices) */
export const createInvoice: Endpoint<CreatedInvoice> = {
  method: 'POST',
  path: '/api/v1/external/invoices',
  idempotent: true, // on external_id: rule 3 of the endpoint
  body: check(creationBody),
  data: check(() => resource(createdShape())),
  order: 'external_id',
  addresses: ['callback_url', 'success_url', 'fail_url'],
  differences: creationDifferences,
  isDone: holdsResource,
  remedy: 'repeat with the same external_id, or read it back',
  unreadable: unreadableCustomer,
  hint: currencyHint,
};

function currencyHint({ currency = '' }: WireRecord): string {
  const usual = currency.toUpperCase();
  return currency === usual ? '' : `The currency was sent as "${currency}": codes are usually written "${usual}".`;
}

/** @see [GET /api/v1/external/invoices](../../docs/service-interface.md#get-apiv1externalinvoices) */
export const listInvoices: PageEndpoint<Invoice> = {
  method: 'GET',
  path: '/api/v1/external/invoices',
  idempotent: true,
  query: check(() => {
    const shape = parametersOf<ListInvoicesQuery>()({
      status: optionalWord(INVOICE_STATUS_NAMES),
      currency: optionalCurrencyCode(1, 16),
      page: optionalInteger(1, Number.MAX_SAFE_INTEGER),
      per_page: optionalInteger(1, 100),
    });
    return parameters(shape);
  }),
  data: check(() => pageOf(listedInvoice())),
  item: check(listedInvoice),
  isPage: true,
  filters: { status: ({ status }) => status, currency: ({ currency }) => currency.code },
  hint: currencyHint,
  unreadable: ({ items }) => items.map(unreadableCustomer).find((name) => name !== null) ?? null,
};

/** @see [GET /api/v1/external/invoices/{ident}](../../docs/service-interface.md#get-apiv1externalinvoicesident) */
export const getInvoice: Endpoint<Invoice> = {
  method: 'GET',
  path: '/api/v1/external/invoices/{ident}',
  idempotent: true,
  params: check(() => parameters({ ident: ident() })),
  data: check(() => prepared(singleInvoice, invoice(statedOrNull))),
  order: 'ident',
  hint: identHint,
  unreadable: unreadableCustomer,
  differences: ({ uuid, external_id }, { ident: asked = '' }) =>
    external_id === asked || isSameIdent(uuid, asked) ? [] : ['external_id'],
};
