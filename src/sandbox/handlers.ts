import type { Operation } from '../contract/endpoint.ts';
import { freshRates } from './catalogue.ts';
import { resend } from './deliveries.ts';
import { deliveryForm } from './delivery-form.ts';
import { creationForm, fullForm } from './invoice-form.ts';
import { openInvoice } from './invoices.ts';
import { pageOf } from './paging.ts';
import { Refusal } from './respond.ts';
import type { InvoiceRecord } from './store.ts';
import { draftFrom, QueryReader } from './validation.ts';
import { withdrawalForm, withdrawalsInOrder } from './withdrawals.ts';
import type { World } from './world.ts';

/** A request whose key is right and whose path is known. */
export interface ServiceCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** What a handler has done. */
export interface Done {
  readonly status: number;
  readonly data: unknown;
  /** Answer without the envelope. */
  readonly bare?: boolean;
  /** Answer without any body. */
  readonly empty?: boolean;
  /** For the log. */
  readonly why?: string;
}

export type Handler = (world: World, call: ServiceCall) => Done;

/** One handler for each operation of the contract: the compiler says which is missing. */
export const HANDLERS: Readonly<Record<Operation, Handler>> = {
  'invoices.create'(world, { body }) {
    const draft = draftFrom(world, body);
    const existing = world.store.byExternalId(draft.external_id);
    if (existing !== undefined) throw alreadyExists(world, existing);
    const invoice = openInvoice(world, draft);
    const silent =
      invoice.callback_url === null ? { why: 'no callback_url and no default one: its end will send no webhook' } : {};
    return { status: world.settings.dialect.createStatus, data: creationForm(world, invoice), ...silent };
  },

  'invoices.list'(world, { query }) {
    const reader = new QueryReader(query);
    const status = reader.word('status', ['pending', 'success', 'fail', 'expired', 'canceled']);
    const currency = reader.text('currency');
    const page = reader.integer('page', 1, Number.POSITIVE_INFINITY, 1);
    const size = reader.integer('per_page', 1, 100, 20);
    reader.check();
    const rows = world.store
      .invoices()
      .filter((row) => (status ?? row.status) === row.status && (currency ?? row.currency.code) === row.currency.code)
      .sort((a, b) => a.createdAt - b.createdAt); // stable: equal times stay in the order of creation
    if (world.settings.dialect.listOrder === 'newest') rows.reverse();
    return { status: 200, data: pageOf(rows, page, size, (row) => fullForm(world, row)) };
  },

  'invoices.get'(world, { params: { ident = '' } }) {
    const { invoiceReadIdent, invoiceRead, invoiceReadForm } = world.settings.dialect;
    const { store } = world;
    const find = { both: store.byIdent, uuid: store.byUuid, external_id: store.byExternalId }[invoiceReadIdent];
    const invoice = find.call(store, ident) ?? notFound(world, 'INVOICE', `No invoice ${ident}.`);
    const data = invoiceReadForm === 'full' ? fullForm(world, invoice) : creationForm(world, invoice);
    return { status: 200, data, bare: invoiceRead === 'bare' };
  },

  'webhooks.resend'(world, { params: { ident = '' } }) {
    const invoice = invoiceBy(world, ident);
    const sent = resend(world, invoice) ?? notFound(world, 'WEBHOOK', `Invoice ${ident} has no webhook delivery.`);
    const { resendBody } = world.settings.dialect;
    if (resendBody === 'empty') return { status: 204, data: null, empty: true, why: sent.why };
    const bodies = {
      delivery: deliveryForm(world, sent.delivery),
      null: null,
      message: { message: 'Webhook resend requested' },
    };
    return { status: 200, data: bodies[resendBody], why: sent.why };
  },

  'webhooks.deliveries'(world, { params: { ident = '' } }) {
    const rows = world.store.deliveries(invoiceBy(world, ident)).reverse();
    const list = rows.map((row) => deliveryForm(world, row));
    const { deliveriesShape } = world.settings.dialect;
    if (deliveriesShape === 'page') return { status: 200, data: pageOf(list, 1, 20, (row) => row) };
    return {
      status: 200,
      data: deliveriesShape === 'named' ? { deliveries: list } : list,
      bare: deliveriesShape === 'bare',
    };
  },

  'withdrawals.list'(world, { query }) {
    const { dialect } = world.settings;
    const reader = new QueryReader(query);
    const status = reader.word('status', ['pending', 'approved', 'rejected']);
    const page = reader.integer('page', 1, Number.POSITIVE_INFINITY, 1);
    const size = reader.integer(dialect.withdrawalPageSize, 1, 100, dialect.withdrawalDefaultSize);
    reader.check();
    const rows = withdrawalsInOrder(world).filter((row) => (status ?? row.status) === row.status);
    return { status: 200, data: pageOf(rows, page, size, (row) => withdrawalForm(dialect, row)) };
  },

  'withdrawals.get'(world, { params: { withdrawal_uuid = '' } }) {
    const { dialect } = world.settings;
    const row = world.store.withdrawals.find(({ uuid }) => uuid === withdrawal_uuid.toLowerCase());
    const data = withdrawalForm(dialect, row ?? notFound(world, 'WITHDRAWAL', `No withdrawal ${withdrawal_uuid}.`));
    return { status: 200, data, bare: dialect.withdrawalRead === 'bare' };
  },

  'paymentMethods.list': (world) => ({ status: 200, data: world.settings.methods }),

  'rates.list': (world) => ({ status: 200, data: freshRates(world) }),
};

function alreadyExists(world: World, { external_id, status }: InvoiceRecord): Refusal {
  const { conflictStatus, conflictStatusMember } = world.settings.dialect;
  return new Refusal(conflictStatus, 'INVOICE_ALREADY_EXISTS', 'An invoice with this external_id already exists.', {
    details: { external_id, [conflictStatusMember]: status },
    why: `external_id ${external_id} is taken by an invoice that is ${status}`,
  });
}

function invoiceBy(world: World, ident: string): InvoiceRecord {
  return world.store.byIdent(ident) ?? notFound(world, 'INVOICE', `No invoice ${ident}.`);
}

function notFound(world: World, what: string, message: string): never {
  const code = world.settings.dialect.notFoundCode === 'general' ? 'NOT_FOUND' : `${what}_NOT_FOUND`;
  throw new Refusal(404, code, message);
}
