import type { Operation } from '../../contract/endpoint.ts';
import { INVOICE_STATUS_NAMES, WITHDRAWAL_STATUSES } from '../../contract/statuses.ts';
import { openInvoice } from '../business/invoices.ts';
import { playOutcome } from '../business/magic-outcomes.ts';
import { wireRates } from '../business/rates.ts';
import { withdrawalForm, withdrawalsInOrder } from '../business/withdrawals.ts';
import { resend } from '../delivery/deliveries.ts';
import { deliveryForm } from '../delivery/delivery-form.ts';
import type { Dialect } from '../dialect/dialects.ts';
import { wireForm } from '../dialect/wire-form.ts';
import type { InvoiceRecord } from '../state/store.ts';
import type { World } from '../world.ts';
import { creationForm, fullForm } from './invoice-form.ts';
import { notFound } from './not-found.ts';
import { answeredPage, pageFrom, pageOf } from './paging.ts';
import { flagOf, InvalidRequest, Refusal } from './respond.ts';
import { draftFrom, QueryReader } from './validation.ts';

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
  /** Answer with this text as it is, instead of the data. */
  readonly text?: string;
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
    playOutcome(world, invoice);
    const silent =
      invoice.callback_url === null ? { why: 'no callback_url and no default one: its end will send no webhook' } : {};
    return { status: world.settings.dialect.createStatus, data: creationForm(world, invoice), ...silent };
  },

  'invoices.list'(world, { query }) {
    const { dialect } = world.settings;
    const reader = new QueryReader(query);
    const status = reader.word('status', INVOICE_STATUS_NAMES);
    const currency = reader.text('currency');
    const asked = reader.integer('page', 1, Number.POSITIVE_INFINITY, 1);
    const size = reader.integer('per_page', 1, 100, 20);
    reader.check(dialect.unknownQuery);
    const rows = world.store.list({ status, currency });
    const page = answeredPage(dialect, asked, rows.length, size);
    const part = rows.part((page - 1) * size, page * size, dialect.listOrder);
    return { status: 200, data: pageFrom(dialect, part, rows.length, page, size, (row) => fullForm(world, row)) };
  },

  'invoices.get'(world, { params: { ident = '' } }) {
    const { dialect } = world.settings;
    const { invoiceReadIdent, identRefusal, invoiceRead, invoiceReadForm } = dialect;
    const { store } = world;
    if (
      invoiceReadIdent !== 'both' &&
      identRefusal === 'invalid' &&
      UUID.test(ident) !== (invoiceReadIdent === 'uuid')
    ) {
      const message = invoiceReadIdent === 'uuid' ? 'must be a UUID' : 'must be an external_id';
      throw new InvalidRequest([{ where: 'path', field: 'ident', message, type: 'ident_type' }]);
    }
    const find = { both: store.byIdent, uuid: store.byUuid, external_id: store.byExternalId }[invoiceReadIdent];
    const invoice = find.call(store, ident) ?? notFound(dialect, 'INVOICE', `No invoice ${ident}.`);
    const data = invoiceReadForm === 'full' ? fullForm(world, invoice) : creationForm(world, invoice);
    return { status: 200, ...read(invoiceRead, 'invoice', data) };
  },

  'webhooks.resend'(world, { params: { ident = '' } }) {
    const invoice = invoiceBy(world, ident);
    const { dialect } = world.settings;
    const sent = resend(world, invoice) ?? notFound(dialect, 'WEBHOOK', `Invoice ${ident} has no webhook delivery.`);
    const { resendBody, resendStatus } = dialect;
    const { why } = sent;
    if (resendBody === 'empty') return { status: 204, data: null, text: '', why };
    if (resendBody === 'text') return { status: resendStatus, data: null, text: 'OK', why };
    if (resendBody === 'flag') return { status: resendStatus, data: flagOf(dialect), bare: true, why };
    const bodies = {
      delivery: deliveryForm(world, sent.delivery),
      null: null,
      message: { message: 'Webhook resend requested' },
    };
    return { status: resendStatus, data: bodies[resendBody], why };
  },

  'webhooks.deliveries'(world, { params: { ident = '' } }) {
    const rows = world.store.deliveries(invoiceBy(world, ident)).reverse();
    const list = rows.map((row) => deliveryForm(world, row));
    const { dialect } = world.settings;
    const { deliveriesShape } = dialect;
    if (deliveriesShape === 'page') return { status: 200, data: pageOf(dialect, list, 1, 20, (row) => row) };
    return {
      status: 200,
      data: deliveriesShape === 'named' ? { deliveries: list } : list,
      bare: deliveriesShape === 'bare',
    };
  },

  'withdrawals.list'(world, { query }) {
    const { dialect } = world.settings;
    const reader = new QueryReader(query);
    const status = reader.word(dialect.withdrawalStatus, WITHDRAWAL_STATUSES);
    const asked = reader.integer(dialect.withdrawalPage, 1, Number.POSITIVE_INFINITY, 1);
    const size = reader.integer(dialect.withdrawalPageSize, 1, 100, dialect.withdrawalDefaultSize);
    reader.check(dialect.unknownQuery);
    const rows = withdrawalsInOrder(world).filter((row) => (status ?? row.status) === row.status);
    const page = answeredPage(dialect, asked, rows.length, size, dialect.withdrawalPage);
    return { status: 200, data: pageOf(dialect, rows, page, size, (row) => withdrawalForm(dialect, row)) };
  },

  'withdrawals.get'(world, { params: { withdrawal_uuid = '' } }) {
    const { dialect } = world.settings;
    const row = world.store.withdrawals.find(({ uuid }) => uuid === withdrawal_uuid.toLowerCase());
    const data = withdrawalForm(dialect, row ?? notFound(dialect, 'WITHDRAWAL', `No withdrawal ${withdrawal_uuid}.`));
    return { status: 200, ...read(dialect.withdrawalRead, 'withdrawal', data) };
  },

  'paymentMethods.list': ({ settings: { dialect, methods } }) => ({
    status: 200,
    data: methods.map((method) => wireForm(dialect, method)),
  }),

  'rates.list': (world) => ({ status: 200, data: wireRates(world) }),
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A single read, in the shape of the dialect. */
function read(shape: Dialect['invoiceRead'], name: string, data: object): Pick<Done, 'data' | 'bare'> {
  return { data: shape === 'named' ? { [name]: data } : data, bare: shape === 'bare' };
}

function alreadyExists(world: World, { external_id, status, uuid }: InvoiceRecord): Refusal {
  const { conflictStatus, conflictDetails, conflictStatusMember, conflictIdMember } = world.settings.dialect;
  const both = { [conflictIdMember]: external_id, [conflictStatusMember]: status };
  const forms = {
    full: both,
    extra: { ...both, invoice_uuid: uuid, hint: [] },
    nested: { invoice: { external_id, status } },
    null: null,
  };
  return new Refusal(conflictStatus, 'INVOICE_ALREADY_EXISTS', 'An invoice with this external_id already exists.', {
    ...(conflictDetails !== 'absent' && { details: forms[conflictDetails] }),
    why: `external_id ${external_id} is taken by an invoice that is ${status}`,
  });
}

function invoiceBy({ store, settings }: World, ident: string): InvoiceRecord {
  return store.byIdent(ident) ?? notFound(settings.dialect, 'INVOICE', `No invoice ${ident}.`);
}
