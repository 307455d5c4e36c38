import { INVOICE_STATUS_NAMES } from '../../contract/statuses.ts';
import { withdrawalsInOrder } from '../business/withdrawals.ts';
import { MAX_ATTEMPTS } from '../delivery/deliveries.ts';
import { DIALECTS, type Dialect, type DialectEntry } from '../dialects.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { RequestEntry } from '../state/log.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { SandboxMethod, SandboxRate, SandboxWithdrawal } from '../wire-types.ts';
import type { World } from '../world.ts';
import {
  actionForm,
  addressOf,
  answerTag,
  brief,
  type Column,
  deliveryState,
  grouped,
  idText,
  lookOf,
  milliseconds,
  moment,
  money,
  nothing,
  orderLink,
  span,
  stateOf,
  stateTag,
  table,
  tag,
} from './elements.ts';
import { dashboardPage } from './frame.ts';
import { type Html, html } from './html.ts';

/** A page of the dashboard that is one table. */
interface List<Row> {
  readonly title: string;
  readonly heading?: string;
  readonly intro?: Html;
  /** Newest first. */
  readonly rows: (world: World) => readonly Row[];
  readonly columns: (world: World, exchange: Exchange) => readonly Column<Row>[];
  readonly empty: Html;
  readonly find?: Find<Row>;
}

/** How the rows of a list are found. */
interface Find<Row> {
  /** States with their words. `state` in the query is one of them. */
  readonly chips: Readonly<Record<string, string>>;
  readonly isIn: (row: Row, state: string) => boolean;
  /** What the field searches, in words. `q` in the query is searched in the texts of a row. */
  readonly hint: string;
  readonly texts: (row: Row) => readonly (string | null | undefined)[];
}

const PAGE_SIZE = 25;

function listPage<Row>({ title, heading, intro, rows, columns, empty, find }: List<Row>) {
  return (world: World, exchange: Exchange): Answer => {
    const query = exchange.url.searchParams;
    const [state, q] = [query.get('state') ?? '', (query.get('q') ?? '').trim()];
    const all = rows(world);
    const found = all.filter(
      (row) => find === undefined || ((state === '' || find.isIn(row, state)) && matches(find.texts(row), q)),
    );
    const page = /^[1-9]\d{0,8}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1;
    const part = find === undefined ? found : found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
    const none = all.length === 0 ? empty : nothing('Nothing matches', 'Take another filter or another search.');
    return dashboardPage(world, exchange, {
      title,
      heading: heading === undefined ? undefined : html`${heading}`,
      content: html`${intro && html`<p class="soft">${intro}</p>`}${find && finder(exchange, find, state, q)}
<section class="card flush" id="rows" aria-label="${title} found" data-live>${table(columns(world, exchange), part, none)}</section>${find && pager(exchange, page, found.length)}`,
    });
  };
}

function matches(texts: readonly (string | null | undefined)[], q: string): boolean {
  return q === '' || texts.some((text) => text?.toLowerCase().includes(q.toLowerCase()));
}

/** Chips that filter a list, and a field that searches it. */
function finder<Row>(exchange: Exchange, { chips, hint }: Find<Row>, state: string, q: string): Html {
  const all = Object.entries({ '': 'All', ...chips });
  return html`<div class="filters"><nav class="chips" aria-label="Filter">${all.map(
    ([value, word]) =>
      html`<a href="${addressOf(exchange, { state: value, page: '' })}"${value === state && html` aria-current="true"`}>${word}</a>`,
  )}</nav>
<form method="get" action="${exchange.url.pathname}" role="search">${state !== '' && html`<input type="hidden" name="state" value="${state}">`}<div class="joined"><input type="search" name="q" value="${q}" placeholder="${hint}" aria-label="${hint}" autocomplete="off"><button>Search</button></div></form></div>`;
}

/** Links to the pages of a list before and after this one. */
function pager(exchange: Exchange, page: number, count: number): Html {
  const pages = Math.max(1, Math.ceil(count / PAGE_SIZE));
  const link = (target: number, word: string): Html =>
    html`<a class="button" href="${addressOf(exchange, { page: String(target) })}">${word}</a>`;
  return html`<nav class="pager" aria-label="Pages"><span class="soft num">${pages > 1 && `Page ${page} of ${pages}, `}${count} in all</span>
${page > 1 && link(Math.min(page - 1, pages), 'Newer')} ${page < pages && link(page + 1, 'Older')}</nav>`;
}

function wordsOf(states: readonly string[]): Record<string, string> {
  return Object.fromEntries(states.map((state) => [state, lookOf(state)[0]]));
}

export const NO_INVOICE = nothing(
  'No invoice yet',
  html`Create one <a href="/invoices/new">here</a>, or with <code>merchant.invoices.create</code>.`,
);

/** The name of the link to the page for the customer: only what was paid has a receipt. */
export function payLink({ uuid, status }: InvoiceRecord, look = ''): Html {
  return html`<a class="${look}" href="/pay/${uuid}">${status === 'success' ? 'Receipt' : 'Payment page'}</a>`;
}

export function invoiceColumns(exchange: Exchange): readonly Column<InvoiceRecord>[] {
  return [
    { head: 'Order', cell: orderLink },
    { head: 'Customer', cell: (row) => html`<span class="soft">${brief(row.customer_id)}</span>` },
    { head: 'State', cell: (row) => stateTag(stateOf(row)) },
    {
      head: 'Amount',
      as: 'number',
      cell: ({ amount, currency, adjustment }) =>
        html`${money(amount, currency.code)}${adjustment && html`<br><span class="soft small">paid ${grouped(adjustment.actual_amount_fiat)}</span>`}`,
    },
    { head: 'Created', as: 'number', cell: (row) => moment(row.createdAt) },
    {
      head: 'Actions',
      as: 'end',
      cell: (row) => [
        payLink(row),
        row.status === 'pending' && smallButton(exchange, 'Pay', row.uuid, row.external_id),
      ],
    },
  ];
}

/** A button in a row of a table. Its name says on what it acts. */
function smallButton(exchange: Exchange, word: string, ident: string, name: string, action = word.toLowerCase()): Html {
  const button = html`<button class="small" aria-label="${word} ${name}">${word}</button>`;
  return actionForm(exchange, action, button, { hidden: { ident } });
}

export const invoicesPage = listPage<InvoiceRecord>({
  title: 'Invoices',
  rows: ({ store }) => store.invoices().reverse(),
  columns: (_, exchange) => invoiceColumns(exchange),
  empty: NO_INVOICE,
  find: {
    chips: wordsOf(['paid', 'underpaid', 'overpaid', ...INVOICE_STATUS_NAMES.filter((status) => status !== 'success')]),
    isIn: (row, state) => stateOf(row) === state,
    hint: 'Order, customer, amount or id',
    texts: (row) => [row.external_id, row.customer_id, row.uuid, row.purpose, row.amount, row.currency.code],
  },
});

export function deliveryColumns({ clock }: World, exchange: Exchange): readonly Column<DeliveryRecord>[] {
  return [
    {
      head: 'Event',
      cell: (row) =>
        html`<a href="/deliveries/${row.id}">${row.eventType}</a><br><span class="soft small">${orderLink(row.invoice)}</span>`,
    },
    { head: 'To', cell: ({ url }) => html`<span class="address" title="${url}">${url}</span>` },
    {
      head: 'State',
      cell: (row) =>
        html`${stateTag(deliveryState(row))}${row.nextRetryAt !== null && html`<br><span class="soft small">next in ${span(row.nextRetryAt - clock.now())}</span>`}`,
    },
    {
      head: 'Last try',
      cell: (row) => html`${lastTry(row)}<br><span class="soft small">try ${row.made} of ${MAX_ATTEMPTS}</span>`,
    },
    { head: 'Created', as: 'number', cell: (row) => moment(row.createdAt) },
    {
      head: 'Actions',
      as: 'end',
      cell: (row) => smallButton(exchange, resendWord(row), row.invoice.uuid, row.invoice.external_id, 'resend'),
    },
  ];
}

export function resendWord({ retry }: DeliveryRecord): string {
  return retry === null ? 'Send again' : 'Send now';
}

function lastTry({ log, attempt }: DeliveryRecord): Html | string {
  const last = log.at(-1);
  if (attempt !== null) return 'in progress';
  if (last === undefined) return 'none';
  return html`${last.status_code ?? html`<bdi>${last.error}</bdi>`} in ${milliseconds(last.duration_ms)}`;
}

export const deliveriesPage = listPage<DeliveryRecord>({
  title: 'Deliveries',
  heading: 'Webhook deliveries',
  rows: ({ store }) => store.deliveries().reverse(),
  columns: deliveryColumns,
  empty: nothing('No webhook yet', 'One is sent when an invoice with a callback URL ends. Pay one.'),
  find: {
    chips: wordsOf(['waiting', 'retrying', 'delivering', 'delivered', 'failed']),
    isIn: (row, state) => deliveryState(row) === state,
    hint: 'Order, event, address or id',
    texts: ({ invoice, eventType, url, id, log }) => [invoice.external_id, eventType, url, id, log.at(-1)?.error],
  },
});

/** Method and path, without the beginning that all paths of the service share. */
export function requestName({ method, path, query }: RequestEntry): string {
  return `${method} ${path.replace('/api/v1/external', '')}${query}`;
}

export function isRefused({ status }: RequestEntry): boolean {
  return status === null || status >= 400;
}

export const requestsPage = listPage<RequestEntry>({
  title: 'Requests',
  rows: ({ log }) => log.requests().reverse(),
  columns: () => [
    {
      head: 'Request',
      cell: (row) =>
        html`<a class="mono address" href="/requests/${row.id}" title="${requestName(row)}">${requestName(row)}</a>`,
    },
    { head: 'Answer', cell: ({ status, code }) => html`${answerTag(status)} ${code && html`<code>${code}</code>`}` },
    {
      head: 'Why',
      as: 'wide',
      cell: ({ fault, why }) => [fault && html`${tag(`fault: ${fault}`, 'warn')} `, why && html`<bdi>${why}</bdi>`],
    },
    { head: 'Duration', as: 'number', cell: (row) => milliseconds(row.duration_ms) },
    { head: 'Time', as: 'number', cell: (row) => moment(row.at) },
  ],
  empty: nothing('No request yet', html`Send one with the values of <a href="/">Connect your backend</a>.`),
  find: {
    chips: { refused: 'Refused' },
    isIn: (row, state) => state !== 'refused' || isRefused(row),
    hint: 'Path, code, reason or body',
    texts: ({ method, path, query, code, why, id, request_body }) => [
      method,
      path + query,
      code,
      why,
      id,
      request_body,
    ],
  },
});

export const withdrawalsPage = listPage<SandboxWithdrawal>({
  title: 'Withdrawals',
  rows: withdrawalsInOrder,
  columns: (_, exchange) => [
    {
      head: 'Withdrawal',
      cell: (row) => html`${idText(row.uuid)}<br><span class="soft small">${brief(row.actor)}</span>`,
    },
    {
      head: 'State',
      cell: (row) =>
        html`${stateTag(row.status)}${row.reject_reason !== null && html`<br><bdi class="soft small wrap">${row.reject_reason}</bdi>`}`,
    },
    {
      head: 'Amount',
      as: 'number',
      cell: (row) =>
        html`${money(row.amount, row.token)}<br><span class="soft small">sends ${grouped(row.amount_to_send ?? '')} by ${row.network}</span>`,
    },
    { head: 'Created', as: 'number', cell: (row) => moment(row.created_at) },
    {
      head: 'Actions',
      as: 'end',
      cell: ({ status, uuid }) =>
        status === 'pending' && ['Approve', 'Reject'].map((word) => smallButton(exchange, word, uuid, uuid)),
    },
  ],
  empty: nothing('No withdrawal', 'The option withdrawals gives some.'),
});

export const methodsPage = listPage<SandboxMethod>({
  title: 'Methods',
  heading: 'Payment methods',
  intro: html`The currencies and amounts that can be charged: <code>paymentMethods.forCharge</code>.`,
  rows: ({ settings }) => settings.methods,
  columns: () => [
    { head: 'Method', cell: (row) => brief(row.name) },
    { head: 'Id', as: 'number', cell: (row) => row.id },
    { head: 'From', as: 'number', cell: (row) => money(row.min_amount, row.currency.code) },
    { head: 'To', as: 'number', cell: (row) => money(row.max_amount, row.currency.code) },
    { head: 'Customer’s fee', as: 'number', cell: (row) => `${row.client_commission_percent} %` },
    { head: 'Merchant’s fee', as: 'number', cell: (row) => `${row.merchant_commission_percent} %` },
  ],
  empty: nothing('No method', 'The option methods gives some.'),
});

export const ratesPage = listPage<SandboxRate>({
  title: 'Rates',
  intro: html`Fiat for one USDT. Payments are credited at the first buying rate of their currency.`,
  rows: ({ settings }) => settings.rates,
  columns: () => [
    { head: 'Currency', cell: (row) => row.fiat },
    { head: 'Side', cell: (row) => row.side },
    { head: 'Source', cell: (row) => brief(row.platform) },
    {
      head: 'Price',
      as: 'number',
      cell: (row) => row.price ?? html`<span class="soft">no fresh data: not in the list</span>`,
    },
  ],
  empty: nothing('No rate', 'The option rates gives some.'),
});

/** The points that the interface leaves open, and how this sandbox answers them. */
export const dialectsPage = listPage<readonly [name: keyof Dialect, entry: DialectEntry]>({
  title: 'Dialects',
  intro: html`The interface of the service leaves these points open. A test sets them with the option <code>dialect</code>.`,
  rows: () => Object.entries(DIALECTS) as [keyof Dialect, DialectEntry][], // a key of the table is a key of the dialect
  columns: ({ settings: { dialect } }) => [
    { head: 'Name', cell: ([name]) => html`<code>${name}</code>` },
    {
      head: 'What is open',
      as: 'wide',
      cell: ([, { unsaid }]) => unsaid,
    },
    {
      head: 'Here',
      cell: ([name, entry]) =>
        html`<code>${dialect[name]}</code> ${dialect[name] !== entry.default && tag('changed', 'warn')}`,
    },
    {
      head: 'Other values',
      as: 'wide',
      cell: ([name, { values }]) => {
        const others = values.filter((value) => value !== dialect[name]);
        return html`<span class="soft">${others.join(', ')}</span>`;
      },
    },
  ],
  empty: nothing('None', ''),
});
