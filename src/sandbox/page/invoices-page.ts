import { INVOICE_STATUS_NAMES } from '../../contract/statuses.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { InvoiceRecord } from '../state/store.ts';
import type { World } from '../world.ts';
import { backField, dashboardPage } from './dashboard-frame.ts';
import { type Html, html } from './parts/html.ts';
import { moment } from './parts/moments.ts';
import { PAGE_SIZE, pageAsked, pager } from './parts/pager.ts';
import { pill, table } from './parts/table.ts';

/** All invoices: by state, currency and a part of what names them; newest first. */
export function invoicesPage(world: World, exchange: Exchange): Answer {
  const { searchParams } = exchange.url;
  const status = searchParams.get('status') || null;
  const currency = searchParams.get('currency') || null;
  const q = searchParams.get('q')?.trim() ?? '';
  const list = world.store.list({ status, currency });
  const from = (pageAsked(exchange) - 1) * PAGE_SIZE;
  const found = q === '' ? null : list.part(0, list.length, 'newest').filter((row) => names(row, q.toLowerCase()));
  const rows = found === null ? list.part(from, from + PAGE_SIZE, 'newest') : found.slice(from, from + PAGE_SIZE);
  const currencies = [...new Set(world.settings.methods.map((method) => method.currency.code))];
  return dashboardPage(
    exchange,
    'Invoices',
    html`<h1>Invoices</h1>
<form method="get" action="/invoices" class="grid" role="search" aria-label="Invoices">
<label class="field"><span>Order, customer, purpose or id</span><input type="search" name="q" value="${q}" autocomplete="off"></label>
${choice('status', 'State', INVOICE_STATUS_NAMES, status)}${choice('currency', 'Currency', currencies, currency)}
<button>Filter</button></form>
<section class="card stack" aria-label="Invoices found">${invoiceTable(rows, exchange, 'No invoice fits.')}</section>
${pager(exchange, found?.length ?? list.length)}`,
  );
}

function names(row: InvoiceRecord, q: string): boolean {
  return [row.external_id, row.customer_id, row.uuid, row.purpose ?? ''].some((text) => text.toLowerCase().includes(q));
}

export function choice(name: string, label: string, values: readonly string[], chosen: string | null): Html {
  return html`<label class="field"><span>${label}</span><select name="${name}"><option value="">any</option>${values.map(
    (value) => html`<option value="${value}"${value === chosen && html` selected`}>${value}</option>`,
  )}</select></label>`;
}

const COLUMNS = [
  { head: 'Order' },
  { head: 'Amount' },
  { head: 'State', silent: true },
  { head: 'Created' },
  { head: 'Actions', silent: true },
];

export function invoiceTable(rows: readonly InvoiceRecord[], exchange: Exchange, empty: string): Html {
  return table(
    COLUMNS,
    rows.map((row) => [
      html`<a href="/pay/${row.uuid}"><bdi>${row.external_id}</bdi></a><br><span class="soft small"><bdi>${row.customer_id}</bdi></span>`,
      html`<span class="num">${row.amount} ${row.currency.code}</span>${row.adjustment && html`<br><span class="soft small num">paid ${row.adjustment.actual_amount_fiat}</span>`}`,
      pill(row.status),
      html`<span class="num">${moment(row.createdAt)}</span>`,
      row.status === 'pending' ? buttons(row, exchange) : html`<a href="/pay/${row.uuid}">Receipt</a>`,
    ]),
    empty,
  );
}

function buttons(row: InvoiceRecord, exchange: Exchange): Html {
  return html`${['pay', 'fail', 'cancel', 'expire'].map(
    (
      action,
    ) => html`<form method="post" action="/_/${action}">${backField(exchange)}<input type="hidden" name="ident" value="${row.uuid}">
<button class="small" aria-label="${action} ${row.external_id}">${action}</button></form>`,
  )}`;
}
