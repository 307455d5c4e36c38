import { INVOICE_STATUS_NAMES } from '../../contract/statuses.ts';
import { activeCurrencies } from '../business/methods-and-rates.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import { toSandboxInvoice } from '../service/write-resources.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import { testOf } from './copies.ts';
import { deliveryTable } from './deliveries.ts';
import {
  actionForm,
  addressText,
  card,
  copyBlock,
  facts,
  field,
  filters,
  grouped,
  idText,
  matches,
  moment,
  money,
  nothing,
  paged,
  searched,
  selectField,
  shortened,
  stateOf,
  stateTag,
  table,
  wordOf,
} from './elements.ts';
import { dashboardPage } from './frame.ts';
import { historyOf } from './history.ts';
import { type Html, html } from './html.ts';

const STATES = ['paid', 'underpaid', 'overpaid', ...INVOICE_STATUS_NAMES.filter((status) => status !== 'success')];
const FILTERS = { '': 'All', ...Object.fromEntries(STATES.map((state) => [state, wordOf(state)])) };

/** The invoices, newest first, filtered by state and text. */
export function invoicesPage(world: World, exchange: Exchange): Answer {
  const state = exchange.url.searchParams.get('state') ?? '';
  const q = searched(exchange);
  const list = world.store.list();
  const rows = list
    .part(0, list.length, 'newest')
    .filter((row) => state === '' || stateOf(row) === state)
    .filter((row) =>
      matches(q, [row.external_id, row.customer_id, row.uuid, row.purpose, row.amount, row.currency.code]),
    );
  const { part, pager } = paged(exchange, rows);
  return dashboardPage(world, exchange, {
    title: 'Invoices',
    content: html`${filters(exchange, 'Order, customer, amount or id', 'state', FILTERS)}
<section class="card flush" id="rows" aria-label="Invoices found" data-live>${invoiceTable(part, exchange, list.length === 0 ? NO_INVOICE : nothing('No invoice matches', 'Take another filter or another search.'))}</section>${pager}`,
  });
}

export const NO_INVOICE = nothing(
  'No invoice yet',
  html`Create one <a href="/invoices/new">here</a>, or with <code>merchant.invoices.create</code>.`,
);

export function invoiceTable(rows: readonly InvoiceRecord[], exchange: Exchange, empty: Html): Html {
  const columns = [
    'Order',
    'Customer',
    'State',
    { head: 'Amount', as: 'number' },
    { head: 'Created', as: 'number' },
    { head: 'Actions', as: 'end' },
  ] as const;
  return table(
    columns,
    rows.map((row) => [
      html`<a href="/invoices/${row.uuid}" title="${row.external_id}"><bdi>${shortened(row.external_id)}</bdi></a>`,
      html`<bdi class="soft" title="${row.customer_id}">${shortened(row.customer_id)}</bdi>`,
      stateTag(stateOf(row)),
      html`${money(row.amount, row.currency.code)}${row.adjustment && html`<br><span class="soft small">paid ${grouped(row.adjustment.actual_amount_fiat)}</span>`}`,
      moment(row.createdAt),
      html`<a href="/pay/${row.uuid}">${payLink(row)}</a>${row.status === 'pending' && actionForm(exchange, 'pay', html`<button class="small" aria-label="Pay ${row.external_id}">Pay</button>`, { hidden: { ident: row.uuid } })}`,
    ]),
    empty,
  );
}

/** The name of the link to the page for the customer: only what was paid has a receipt. */
function payLink({ status }: InvoiceRecord): string {
  return status === 'success' ? 'Receipt' : 'Payment page';
}

/** One invoice: its state, what happened to it in order, its webhooks, and the order as a test. */
export function invoicePage(world: World, exchange: Exchange, invoice: InvoiceRecord): Answer {
  const { external_id, uuid, status } = invoice;
  const wire = toSandboxInvoice(world, invoice);
  const isOpen = status === 'pending';
  const deliveries = world.store.deliveries(invoice).reverse();
  const unsent =
    invoice.callback_url === null
      ? nothing('No webhook', 'Neither the invoice nor the business has a callback URL.')
      : nothing('Not sent yet', 'It is sent when the order ends.');
  return dashboardPage(world, exchange, {
    title: `Order ${external_id}`,
    heading: html`Order <bdi>${external_id}</bdi> <span id="state" data-live>${stateTag(stateOf(invoice))}</span>`,
    aside: html`<div id="actions" class="row" data-live><a class="button" href="/pay/${uuid}">${payLink(invoice)}</a>${isOpen && endings(invoice, exchange)}</div>`,
    content: html`<div class="split"><div class="stack">
${card('line', 'Timeline', historyOf(world, invoice), { live: true })}
${card(
  'copies',
  'Keep it',
  html`${!isOpen && copyBlock('test', 'Copy as test', 'Passes unchanged and needs no port. Replace receive with your endpoint.', testOf(world, invoice))}
${copyBlock('json', 'Copy as JSON', 'As GET /api/v1/external/invoices lists it.', JSON.stringify(wire, null, 2))}`,
)}</div>
${card('facts', 'Details', details(invoice, wire.payment_method?.name ?? null), { live: true })}</div>
${card('webhooks', 'Webhook', deliveryTable(world, deliveries, exchange, unsent), { live: true })}`,
  });
}

/** A button for each way in which an open order can end. */
function endings({ uuid: ident }: InvoiceRecord, exchange: Exchange): Html {
  const ends = { pay: 'Pay', fail: 'Fail', cancel: 'Cancel', expire: 'Expire' };
  return html`${Object.entries(ends).map(([action, word]) => actionForm(exchange, action, html`<button>${word}</button>`, { hidden: { ident } }))}`;
}

function details(invoice: InvoiceRecord, method: string | null): Html {
  const { amount, currency, adjustment, amountToSend, settledUsdt, rate, finishedAt } = invoice;
  const text = (value: string | null): Html | null => (value === null ? null : html`<bdi>${value}</bdi>`);
  return facts([
    ['Amount', money(amount, currency.code)],
    [
      'Paid',
      adjustment &&
        html`${grouped(adjustment.actual_amount_fiat)} of ${money(adjustment.expected_amount_fiat, currency.code)}`,
    ],
    ['Customer pays', amountToSend !== null && html`${money(amountToSend, currency.code)} with the fee`],
    ['Credited', settledUsdt !== null && money(settledUsdt, 'USDT')],
    ['Rate', rate !== null && html`${rate} ${currency.code} per USDT`],
    ['Method', text(method)],
    ['Customer', text(invoice.customer_id)],
    ['Purpose', text(invoice.purpose)],
    ['Webhook to', invoice.callback_url === null ? 'nowhere' : addressText(invoice.callback_url)],
    ['Created', moment(invoice.createdAt)],
    finishedAt === null ? ['Expires', moment(invoice.expiresAt)] : ['Ended', moment(finishedAt)],
    ['Id', idText(invoice.uuid)],
    ['Status', html`<code>${invoice.status}</code>`],
  ]);
}

/** What was typed into the form of a new invoice, and why it was refused. */
interface Draft {
  readonly typed: Readonly<Record<string, unknown>>;
  readonly problem: string;
}

/** A form that creates an invoice, so that the pages can be tried before any code exists. */
export function newInvoicePage(world: World, exchange: Exchange, draft: Draft | null = null): Answer {
  const { callback_url } = world.settings.defaults;
  const currencies = activeCurrencies(world);
  const typed = (name: string): string | null => {
    const value = draft?.typed[name];
    return typeof value === 'string' ? value : null;
  };
  const [first] = currencies;
  const wanted = typed('currency') ?? first;
  const ordered = [...currencies].sort((a, b) => Number(b === wanted) - Number(a === wanted));
  const problems = draft?.problem.replace('The invoice was not created: ', '').split('; ') ?? [];
  // Each begins with the name of its member.
  const mine = (name: string): string | null => problems.find((each) => each.startsWith(`${name} `)) ?? null;
  const input = (name: string, label: string, hint: string, value = ''): Html =>
    field({ name, label, hint, value: typed(name) ?? value, problem: mine(name), numeric: name === 'amount' });
  const isPlaced = problems.every((each) => /^(?:amount|external_id|customer_id|callback_url) /.test(each));
  const content = html`<div class="grid">${input('amount', 'Amount', 'Up to 2 decimals.', '25.00')}
${selectField('currency', 'Currency', ordered)}
${input('external_id', 'Order', 'Empty: the next free one, such as order-1001.')}
${input('customer_id', 'Customer', 'Empty: customer-1.')}</div>
${input('callback_url', 'Webhook to', callback_url === null ? 'Empty: no webhook is sent.' : `Empty: ${callback_url}, the address of the business.`)}
<div class="row"><button class="main">Create the invoice</button></div>`;
  return dashboardPage(world, exchange, {
    title: 'New invoice',
    status: draft === null ? 200 : 422,
    content: html`${draft !== null && !isPlaced && html`<p role="alert" class="notice bad">${draft.problem}</p>`}
<section class="card narrow">${actionForm(exchange, 'create', content, { layout: 'stack', label: 'New invoice' })}</section>`,
  });
}
