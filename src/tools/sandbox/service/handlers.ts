import type { EndpointName } from '../../../contract/endpoints.ts';
import { createInvoice as creation } from '../../../contract/invoices.ts';
import { INVOICE_STATUS_NAMES, WITHDRAWAL_STATUSES } from '../../../contract/statuses.ts';
import type { Page } from '../../../contract/types.ts';
import { checkOptions, configurationFail } from '../../../errors/checks.ts';
import { ConfigurationError } from '../../../errors/classes.ts';
import { openInvoice } from '../business/invoices.ts';
import { freshRates } from '../business/money.ts';
import { withdrawalsInOrder } from '../business/withdrawals.ts';
import { resend, warn } from '../delivery/deliveries.ts';
import { type Dialect, wireForm } from '../dialects.ts';
import { type InvoiceRecord, NEW_INVOICE_NAMES } from '../state/records.ts';
import type { NewInvoice } from '../types.ts';
import type { World } from '../world.ts';
import { type PageQuery, readDraft, readListQuery } from './read-request.ts';
import { ErrorResponse, failure, notFound } from './respond.ts';
import { writeCreatedInvoice, writeDelivery, writeInvoice } from './write-resources.ts';

const fail = configurationFail();

/** A request with the right key and a known path. */
export interface ServiceRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: string;
}

export interface HandlerResult {
  readonly status: number;
  readonly data: unknown;
  /** A remark for the log. */
  readonly why?: string | undefined;
}

export type Handler = (world: World, call: ServiceRequest, dialect: Dialect) => HandlerResult;

/** One handler for each operation of the contract. The compiler reports a missing one. */
export const HANDLERS: Readonly<Record<EndpointName, Handler>> = {
  'invoices.create'(world, { body }) {
    const invoice = openDraft(world, body);
    const isSilent = invoice.callback_url === null;
    const why = isSilent ? 'no callback_url and no default one, so no webhook will be sent' : undefined;
    return { status: 201, data: writeCreatedInvoice(world, invoice), why };
  },

  'invoices.list'(world, { query }, dialect) {
    const { status, ...asked } = readListQuery(query, dialect, INVOICE_LIST);
    const currency = query.getAll('currency').at(-1);
    const rows = world.store
      .invoices()
      .filter((row) => (status ?? row.status) === row.status && (currency ?? row.currency.code) === row.currency.code);
    return { status: 200, data: pageOf(dialect, rows.reverse(), asked, (row) => writeInvoice(world, row)) };
  },

  'invoices.get'(world, { params: { ident = '' } }, dialect) {
    const { invoiceReadIdent, invoiceReadForm } = dialect;
    const { store } = world;
    const find = { both: store.byIdent, uuid: store.byUuid, external_id: store.byExternalId }[invoiceReadIdent];
    const invoice = find.call(store, ident) ?? notFound(dialect, 'INVOICE', `No invoice ${ident}.`);
    const data = invoiceReadForm === 'full' ? writeInvoice(world, invoice) : writeCreatedInvoice(world, invoice);
    return { status: 200, data };
  },

  'webhooks.resend'(world, { params: { ident = '' } }, dialect) {
    const invoice = invoiceBy(world, ident);
    const reason = invoice.status === 'pending' ? 'it is still pending' : 'it has no callback_url';
    if (world.store.deliveries(invoice).length === 0)
      notFound(dialect, 'WEBHOOK', `Invoice ${ident} has no webhook delivery: ${reason}.`);
    const { delivery, why } = resend(world, invoice);
    return { status: 200, data: writeDelivery(world, delivery), why };
  },

  'webhooks.deliveries'(world, { params: { ident = '' } }) {
    const rows = world.store.deliveries(invoiceBy(world, ident)).reverse();
    return { status: 200, data: rows.map((row) => writeDelivery(world, row)) };
  },

  'withdrawals.list'(world, { query }, dialect) {
    const names = WITHDRAWAL_LIST[dialect.withdrawalQuery === 'as_invoices' ? 'as_invoices' : 'other'];
    const { status, ...asked } = readListQuery(query, dialect, names);
    const rows = withdrawalsInOrder(world).filter((row) => (status ?? row.status) === row.status);
    return { status: 200, data: pageOf(dialect, rows, asked, (row) => wireForm(dialect, row)) };
  },

  'withdrawals.get'(world, { params: { withdrawal_uuid = '' } }, dialect) {
    const row = world.store.withdrawals.find(({ uuid }) => uuid === withdrawal_uuid.toLowerCase());
    const found = row ?? notFound(dialect, 'WITHDRAWAL', `No withdrawal ${withdrawal_uuid}.`);
    return { status: 200, data: wireForm(dialect, found) };
  },

  'paymentMethods.list': ({ settings: { methods } }, _, dialect) => ({
    status: 200,
    data: methods.map((method) => wireForm(dialect, method)),
  }),

  'rates.list': (world, _, dialect) => ({
    status: 200,
    data: freshRates(world).map((rate) => wireForm(dialect, rate)),
  }),
};

/**
 * The query names of the lists.
 * @see [GET /api/v1/external/invoices](../../../../docs/service-interface.md#get-apiv1externalinvoices)
 */
const PAGES = { status: 'status', page: 'page', size: 'per_page', defaultSize: 20, further: [] };
const INVOICE_LIST = { ...PAGES, statuses: INVOICE_STATUS_NAMES, further: ['currency'] };
const WITHDRAWAL_LIST = {
  as_invoices: { ...PAGES, statuses: WITHDRAWAL_STATUSES },
  other: {
    ...PAGES,
    statuses: WITHDRAWAL_STATUSES,
    status: 'state',
    page: 'page_number',
    size: 'limit',
    defaultSize: 10,
  },
};

/**
 * Cuts a page out of all rows. A page beyond the last is empty.
 * @see [Response envelope](../../../../docs/service-interface.md#response-envelope)
 */
function pageOf<Row, Item>(
  dialect: Dialect,
  rows: readonly Row[],
  { page, size }: PageQuery,
  form: (row: Row) => Item,
): Page<Item> {
  const pages = Math.ceil(rows.length / size);
  return {
    items: rows.slice((page - 1) * size, page * size).map(form),
    page,
    per_page: size,
    total_items: rows.length,
    total_pages: pages,
    has_next: page < pages,
    has_prev: page > 1,
    ...(dialect.laterVersion === 'some' && { next_cursor: null }),
  };
}

function openDraft(world: World, body: string): InvoiceRecord {
  const draft = readDraft(world, body);
  const existing = world.store.byExternalId(draft.external_id);
  if (existing !== undefined) throw alreadyExists(world, existing);
  const other = world.store.byUuid(draft.external_id);
  if (other !== undefined) {
    const problem = `external_id ${draft.external_id} is the uuid of an invoice of ${other.external_id}: this is a second one`;
    world.log.note(problem);
    warn(world, 'uuid', `${problem}. Give the id of the order.`);
  }
  return openInvoice(world, draft);
}

/**
 * Creates an invoice for a button or a command, by the rules of a request.
 *
 * @throws ConfigurationError that names what the service refuses.
 */
export function createInvoice(world: World, draft: NewInvoice): InvoiceRecord {
  checkOptions('create', draft, NEW_INVOICE_NAMES, fail);
  let number = 1001;
  while (draft.external_id === undefined && world.store.byExternalId(`order-${number}`) !== undefined) number += 1;
  const full = { external_id: `order-${number}`, customer_id: 'customer-1' };
  const given = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
  try {
    return openDraft(world, JSON.stringify({ ...full, ...given }));
  } catch (error) {
    if (!(error instanceof ErrorResponse)) throw error;
    const hint = creation.hint?.({ currency: draft.currency }, []) ?? ''; // as the client gives it
    const message = `The invoice was not created: ${error.message}${hint && `. ${hint}`}`;
    throw new ConfigurationError(message, { cause: error }); // with its problems, for a form
  }
}

function alreadyExists({ settings }: World, { external_id, status }: InvoiceRecord): ErrorResponse {
  const { conflictDetails } = settings.dialect;
  const forms = {
    full: { external_id, status },
    renamed: { order_id: external_id, existing_status: status },
    nested: { invoice: { external_id, status } },
  };
  const parts = {
    ...(conflictDetails !== 'absent' && { details: forms[conflictDetails] }),
    why: `external_id ${external_id} is taken by an invoice that is ${status}`,
  };
  const message = 'An invoice with this external_id already exists.';
  const problem = { where: 'body', field: 'external_id', message: `is taken by an invoice that is ${status}` } as const;
  return new ErrorResponse(failure(409, 'INVOICE_ALREADY_EXISTS', message, parts), [problem]);
}

function invoiceBy({ store, settings }: World, ident: string): InvoiceRecord {
  return store.byIdent(ident) ?? notFound(settings.dialect, 'INVOICE', `No invoice ${ident}.`);
}
