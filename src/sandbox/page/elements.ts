// The elements that all pages are made of: states, amounts, times, ids, tables, forms, filters, texts to copy.

import { compareAmounts } from '../business/money.ts';
import type { Exchange } from '../service/service.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import { type Html, html } from './html.ts';

/** A colour with a meaning: done, needs a look, in progress, over, failed. */
export type Tone = 'good' | 'warn' | 'wait' | 'off' | 'bad';

/** Each state with the word and the colour that every page shows for it. */
const STATES = {
  pending: ['Pending', 'wait'],
  paid: ['Paid', 'good'],
  underpaid: ['Underpaid', 'warn'],
  overpaid: ['Overpaid', 'warn'],
  fail: ['Failed', 'bad'],
  expired: ['Expired', 'off'],
  canceled: ['Canceled', 'off'],
  waiting: ['Waiting', 'wait'],
  delivering: ['Sending', 'wait'],
  retrying: ['Retrying', 'warn'],
  delivered: ['Delivered', 'good'],
  failed: ['Failed', 'bad'],
  approved: ['Approved', 'good'],
  rejected: ['Rejected', 'bad'],
} as const satisfies Readonly<Record<string, readonly [word: string, tone: Tone]>>;

export type State = keyof typeof STATES;

/** The state of an invoice as people name it. A status that the interface does not list is its own name. */
export function stateOf({ status, adjustment, amount }: InvoiceRecord): string {
  return status === 'success' ? paidState(amount, adjustment?.actual_amount_fiat ?? null) : status;
}

/** The state after a payment. Null means the ordered amount. */
export function paidState(ordered: string, paid: string | null): State {
  const order = paid === null ? 0 : compareAmounts(paid, ordered);
  return order === 0 ? 'paid' : order < 0 ? 'underpaid' : 'overpaid';
}

/** The state of a delivery as people name it: a pending one waits for its first try, or for the next. */
export function deliveryState({ status, made }: DeliveryRecord): string {
  return status !== 'pending' ? status : made === 0 ? 'waiting' : 'retrying';
}

export function wordOf(state: string): string {
  return Object.hasOwn(STATES, state) ? STATES[state as State][0] : state; // a key of the table
}

export function toneOf(state: string): Tone {
  return Object.hasOwn(STATES, state) ? STATES[state as State][1] : 'off'; // a key of the table
}

/** A word on its colour. */
export function tag(word: string | number, tone: Tone): Html {
  return html`<span class="tag ${tone}">${word}</span>`;
}

/** The state of an invoice, a delivery or a withdrawal. */
export function stateTag(state: string): Html {
  return tag(wordOf(state), toneOf(state));
}

/** The status of an answer. Null means that none came. */
export function answerTag(status: number | null): Html {
  return status === null ? tag('No answer', 'bad') : tag(status, status < 400 ? 'good' : 'bad');
}

/** Decimal text with its thousands apart, such as `12 500.00`. The gap is narrow and never breaks a line. */
export function grouped(amount: string): string {
  const [whole = '', ...fraction] = amount.split('.');
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, '\u202f'), ...fraction].join('.');
}

/** An amount and its currency on one line. */
export function money(amount: string, currency: string): Html {
  return html`<span class="money">${grouped(amount)} ${currency}</span>`;
}

/** A time, in the one form and the one zone of all pages: `01 Mar 2026 12:00:00 UTC`. */
export function moment(at: number | string | null): Html {
  if (at === null) return html``;
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}">${date.toUTCString().slice(5, 25)} UTC</time>`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/**
 * A duration in its largest unit, with the next unit where that is not zero: `1 h 30 min`. A part of a second counts as
 * one, so that what is left is never shown as nothing.
 */
export function span(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const at = UNITS.findIndex(([, size]) => seconds * 1000 >= size);
  if (at === -1) return `${Math.max(0, seconds)} s`;
  const parts: string[] = [];
  let rest = seconds * 1000;
  for (const [unit, size] of UNITS.slice(at, at + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(' ');
}

/** A text that is too long for a line, without its middle. */
export function shortened(text: string): string {
  const letters = [...text];
  return letters.length <= 24 ? text : `${letters.slice(0, 10).join('')}…${letters.slice(-8).join('')}`;
}

/** An id, shortened in its middle, with a button that copies it whole. */
export function idText(id: string): Html {
  return html`<span class="id"><code title="${id}"><bdi>${shortened(id)}</bdi></code>${copyButton(id, 'Copy the id')}</span>`;
}

/** The address of a receiver, which breaks after a slash alone, with a button that copies it. */
export function addressText(url: string): Html {
  const parts = url.split(/(?<=[/?&])/).map((part) => html`${part}<wbr>`);
  return html`<span>${parts}</span>${copyButton(url, 'Copy the address')}`;
}

/** A small button that copies a text. Only script can copy, so it is hidden without. */
export function copyButton(text: string, label: string): Html {
  return html` <button type="button" class="icon" data-copy="${text}" data-scripted hidden aria-label="${label}" title="${label}"></button>`;
}

/** A text with a button that copies it, and the text itself on request. */
export function copyBlock(id: string, label: string, note: string, text: string): Html {
  return html`<div class="copy"><div><p class="soft small">${note}</p>
<details><summary>Show it</summary><pre class="scroll" id="${id}-text" tabindex="0" role="group" aria-label="${label}">${text}</pre></details></div>
<button type="button" data-copy-from="${id}-text" data-scripted hidden>${label}</button></div>`;
}

/** Pairs of a name and a value. A pair without a value is left out. */
export function facts(pairs: readonly (readonly [name: string, value: Html | string | number | null | false])[]): Html {
  return html`<dl class="facts">${pairs.map(
    ([name, value]) => value !== null && value !== false && html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

/** A section with its heading, and what stands at the end of the line of the heading. */
export function card(
  id: string,
  title: string,
  content: Html,
  { live = false, aside = null }: { readonly live?: boolean; readonly aside?: Html | null } = {},
): Html {
  return html`<section class="card" id="${id}" aria-labelledby="${id}-title"${live && html` data-live`}>
<div class="head"><h2 id="${id}-title">${title}</h2>${aside}</div>
${content}</section>`;
}

/** What a list without rows says, and what to do about it. */
export function nothing(title: string, text: Html | string): Html {
  return html`<div class="nothing"><p><strong>${title}</strong></p><p class="soft">${text}</p></div>`;
}

/**
 * A column of a table. Numbers are aligned at their ends. `wide` ones may take several lines. On a narrow
 * screen `plain` ones go without their heading.
 */
interface Column {
  readonly head: string;
  readonly as?: 'number' | 'wide' | 'plain' | 'end';
}

/** A table that becomes a list on a narrow screen. Roles are explicit, because that layout removes them. */
export function table(columns: readonly (string | Column)[], rows: readonly (readonly Html[])[], empty: Html): Html {
  if (rows.length === 0) return empty;
  const all = columns.map((column): Column => (typeof column === 'string' ? { head: column } : column));
  const look = (at: number): string => all[at]?.as ?? '';
  return html`<table role="table"><thead role="rowgroup"><tr role="row">${all.map(
    ({ head }, at) =>
      html`<th role="columnheader" scope="col" class="${look(at)}">${look(at) === 'end' ? html`<span class="unseen">${head}</span>` : head}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells) =>
      html`<tr role="row">${cells.map((cell, at) => html`<td role="cell" class="${look(at)}" data-label="${all[at]?.head ?? ''}"><div>${cell}</div></td>`)}</tr>
`,
  )}</tbody></table>`;
}

/** The parts of a form besides its content. */
interface FormParts {
  /** Hidden fields. */
  readonly hidden?: Readonly<Record<string, string | null | undefined>>;
  readonly label?: string;
  readonly id?: string;
  readonly layout?: 'row' | 'stack';
}

/** A form that posts. */
export function form(action: string, content: Html, { hidden = {}, label, id, layout }: FormParts = {}): Html {
  return html`<form method="post" action="${action}"${id && html` id="${id}"`}${layout && html` class="${layout}"`}${label && html` aria-label="${label}"`}>
${Object.entries(hidden).map(([name, value]) => typeof value === 'string' && html`<input type="hidden" name="${name}" value="${value}">`)}
${content}</form>`;
}

/** A form that posts an action of the sandbox and returns to this page. */
export function actionForm(exchange: Exchange, action: string, content: Html, parts: FormParts = {}): Html {
  return form(`/_/${action}`, content, { ...parts, hidden: { back: addressOf(exchange), ...parts.hidden } });
}

/** A field for one line of text. */
interface Field {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly id?: string;
  readonly hint?: string;
  /** Why the typed value was refused. It takes the place of the hint, so that nothing moves. */
  readonly problem?: string | null;
  readonly numeric?: boolean;
  readonly focus?: boolean;
  /** A button on the line of the field. */
  readonly button?: Html;
}

export function field({ name, label, value, id = name, hint = '', problem = null, ...rest }: Field): Html {
  const marks = problem === null ? null : html` aria-invalid="true"`;
  return html`<div class="field"><label for="${id}">${label}</label>
<div class="joined"><input type="text" id="${id}" name="${name}" value="${value}" autocomplete="off"${(problem ?? hint) !== '' && html` aria-describedby="${id}-hint"`}${rest.numeric === true && html` inputmode="decimal"`}${marks}${(rest.focus === true || problem !== null) && html` autofocus data-select`}>${rest.button}</div>
${(problem ?? hint) !== '' && html`<p id="${id}-hint" class="hint"${problem !== null && html` role="alert"`}>${problem ?? hint}</p>`}</div>`;
}

/** A list of values to choose from. With `any` the first choice is none of them. */
export function selectField(name: string, label: string, values: readonly string[], any: string | null = null): Html {
  return html`<div class="field"><label for="${name}">${label}</label><select name="${name}" id="${name}">${any !== null && html`<option value="">${any}</option>`}${values.map(
    (value) => html`<option value="${value}">${value}</option>`,
  )}</select></div>`;
}

/** Chips that filter a list, and a field that searches it. */
export function filters(
  exchange: Exchange,
  search: string,
  name: string,
  chips: Readonly<Record<string, string>>,
): Html {
  const { pathname, searchParams } = exchange.url;
  const chosen = searchParams.get(name) ?? '';
  const q = searchParams.get('q') ?? '';
  return html`<div class="filters"><nav class="chips" aria-label="Filter">${Object.entries(chips).map(
    ([value, word]) =>
      html`<a href="${addressOf(exchange, { [name]: value, page: '' })}"${value === chosen && html` aria-current="true"`}>${word}</a>`,
  )}</nav>
<form method="get" action="${pathname}" role="search">${chosen !== '' && html`<input type="hidden" name="${name}" value="${chosen}">`}<div class="joined"><input type="search" name="q" value="${q}" placeholder="${search}" aria-label="${search}" autocomplete="off"><button>Search</button></div></form></div>`;
}

/** The text that the query searches for, in lower case. */
export function searched({ url }: Exchange): string {
  return (url.searchParams.get('q') ?? '').trim().toLowerCase();
}

/** True if one of the texts contains what is searched for. */
export function matches(q: string, texts: readonly (string | null)[]): boolean {
  return q === '' || texts.some((text) => text?.toLowerCase().includes(q));
}

/** Rows on one page of a list. */
const PAGE_SIZE = 25;

/** The rows of the page that the query asks for, and links to those before and after. An unusable page is the first. */
export function paged<T>(
  exchange: Exchange,
  rows: readonly T[],
): { readonly part: readonly T[]; readonly pager: Html } {
  const text = exchange.url.searchParams.get('page') ?? '1';
  const page = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1;
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_SIZE));
  const part = rows.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const link = (target: number, word: string): Html =>
    html`<a class="button" href="${addressOf(exchange, { page: String(target) })}">${word}</a>`;
  const count = html`<span class="soft num">${pages === 1 && page === 1 ? '' : `Page ${page} of ${pages}, `}${rows.length} in all</span>`;
  const pager = html`<nav class="pager" aria-label="Pages">${count}
${page > 1 && link(Math.min(page - 1, pages), 'Newer')} ${page < pages && link(page + 1, 'Older')}</nav>`;
  return { part, pager };
}

/** The path and query of a page with changed query members, without the notice of the last action. */
export function addressOf({ url }: Exchange, changes: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(url.searchParams);
  query.delete('done');
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  return `${url.pathname}${query.size === 0 ? '' : `?${query}`}`;
}
