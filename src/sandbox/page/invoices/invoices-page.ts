// The folder `invoices` shows invoices: the list, one invoice with its timeline, and the form for a new one.
import { INVOICE_STATUS_NAMES } from '../../../contract/statuses.ts';
import { activeCurrencies } from '../../business/methods-and-rates.ts';
import type { Answer } from '../../service/respond.ts';
import type { Exchange } from '../../service/service.ts';
import type { InvoiceRecord } from '../../state/records.ts';
import type { World } from '../../world.ts';
import { actionForm, dashboardPage, selectField } from '../dashboard-frame.ts';
import { grouped } from '../parts/amount.ts';
import { type Html, html } from '../parts/html.ts';
import { pager, pill, rangeOf, table } from '../parts/table.ts';
import { moment } from '../parts/time.ts';
import { newInvoiceForm } from './new-invoice.ts';

/** The invoices, newest first, filtered by state, currency and text. */
export function invoicesPage(world: World, exchange: Exchange): Answer {
  const { searchParams } = exchange.url;
  const status = searchParams.get('status') || null;
  const currency = searchParams.get('currency') || null;
  const q = searchParams.get('q')?.trim() ?? '';
  const list = world.store.list({ status, currency });
  const range = rangeOf(exchange);
  const found = q === '' ? null : list.part(0, list.length, 'newest').filter((row) => hasText(row, q.toLowerCase()));
  const rows = found === null ? list.part(...range, 'newest') : found.slice(...range);
  const currencies = activeCurrencies(world);
  return dashboardPage(
    exchange,
    'Invoices',
    html`<h1>Invoices</h1>
<details class="more card"><summary>New invoice</summary>${newInvoiceForm(world, exchange)}</details>
<form method="get" action="/invoices" class="grid" role="search" aria-label="Invoices">
<label class="field"><span>Order, customer, purpose or id</span><input type="search" name="q" value="${q}" autocomplete="off"></label>
${selectField('status', 'State', INVOICE_STATUS_NAMES, status)}${selectField('currency', 'Currency', currencies, currency)}
<button>Filter</button></form>
<section class="card stack" id="rows" aria-label="Invoices found" data-live>${invoiceTable(rows, exchange, 'No invoice matches.')}</section>
${pager(exchange, found?.length ?? list.length)}`,
  );
}

function hasText(row: InvoiceRecord, q: string): boolean {
  return [row.external_id, row.customer_id, row.uuid, row.purpose ?? ''].some((text) => text.toLowerCase().includes(q));
}

const HEADS = ['Order', 'Amount', { silent: 'State' }, 'Created', { silent: 'Actions' }];

export function invoiceTable(rows: readonly InvoiceRecord[], exchange: Exchange, empty: string): Html {
  return table(
    HEADS,
    rows.map((row) => [
      html`<a href="/invoices/${row.uuid}"><bdi>${row.external_id}</bdi></a><br><span class="soft small"><bdi>${row.customer_id}</bdi></span>`,
      html`<span class="num">${grouped(row.amount)} ${row.currency.code}</span>${row.adjustment && html`<br><span class="soft small num">paid ${grouped(row.adjustment.actual_amount_fiat)}</span>`}`,
      pill(row.status),
      html`<span class="num">${moment(row.createdAt)}</span>`,
      html`<a href="/pay/${row.uuid}">${row.status === 'pending' ? 'Payment page' : 'Receipt'}</a> ${row.status === 'pending' && invoiceButtons(row, exchange)}`,
    ]),
    empty,
  );
}

export function invoiceButtons({ uuid: ident, external_id }: InvoiceRecord, exchange: Exchange): Html {
  return html`${['pay', 'fail', 'cancel', 'expire'].map((action) =>
    actionForm(exchange, action, html`<button class="small" aria-label="${action} ${external_id}">${action}</button>`, {
      ident,
    }),
  )}`;
}
