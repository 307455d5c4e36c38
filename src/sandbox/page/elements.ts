// The elements that all pages are made of: states, amounts, times, ids, tables, forms, texts to copy.

import { compareAmounts } from '../business/money.ts';
import type { Exchange } from '../service/service.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import { type Html, html, type Part } from './html.ts';

/** A colour with a meaning: done, needs a look, in progress, over, failed. */
export type Tone = 'good' | 'warn' | 'wait' | 'off' | 'bad';

/** Each state with the word and the colour that every page shows for it. */
const STATES: ReadonlyMap<string, readonly [word: string, tone: Tone]> = new Map([
  ['pending', ['Pending', 'wait']],
  ['paid', ['Paid', 'good']],
  ['underpaid', ['Underpaid', 'warn']],
  ['overpaid', ['Overpaid', 'warn']],
  ['fail', ['Failed', 'bad']],
  ['expired', ['Expired', 'off']],
  ['canceled', ['Canceled', 'off']],
  ['waiting', ['Waiting', 'wait']],
  ['delivering', ['Sending', 'wait']],
  ['retrying', ['Retrying', 'warn']],
  ['delivered', ['Delivered', 'good']],
  ['failed', ['Failed', 'bad']],
  ['approved', ['Approved', 'good']],
  ['rejected', ['Rejected', 'bad']],
]);

/** The word and the colour of a state. A status that the interface does not list is its own name. */
export function lookOf(state: string): readonly [word: string, tone: Tone] {
  return STATES.get(state) ?? [state, 'off'];
}

/** The state of an invoice as people name it. */
export function stateOf({ status, adjustment, amount }: InvoiceRecord): string {
  return status === 'success' ? paidState(amount, adjustment?.actual_amount_fiat ?? amount) : status;
}

export function paidState(ordered: string, paid: string): string {
  const order = compareAmounts(paid, ordered);
  return order === 0 ? 'paid' : order < 0 ? 'underpaid' : 'overpaid';
}

/** The state of a delivery as people name it: a pending one waits for its first try, or for the next. */
export function deliveryState({ status, made }: DeliveryRecord): string {
  return status !== 'pending' ? status : made === 0 ? 'waiting' : 'retrying';
}

/** A word on its colour. */
export function tag(word: string | number, tone: Tone): Html {
  return html`<span class="tag ${tone}">${word}</span>`;
}

/** The state of an invoice, a delivery or a withdrawal. */
export function stateTag(state: string): Html {
  return tag(...lookOf(state));
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
export function money(amount: string | null, currency: string | null): Html {
  return html`<span class="money">${grouped(amount ?? '')} ${currency}</span>`;
}

/** A time, in the one form and the one zone of all pages: `01 Mar 2026 12:00:00 UTC`. */
export function moment(at: number | string | null): Html | null {
  if (at === null) return null;
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}">${date.toUTCString().slice(5, 25)} UTC</time>`;
}

/**
 * A duration in its largest unit, with the next unit where that is not zero: `1 h 30 min`. A part of a second counts as
 * one, so that what is left is never shown as nothing.
 */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const parts = [
    { count: Math.floor(minutes / 1440), unit: 'd' },
    { count: Math.floor(minutes / 60) % 24, unit: 'h' },
    { count: minutes % 60, unit: 'min' },
  ];
  const first = parts.findIndex(({ count }) => count > 0);
  if (first === -1) return `${seconds} s`;
  const shown = parts.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ count, unit }) => `${count} ${unit}`).join(' ');
}

/** The duration of a request. A clock that counts milliseconds cannot tell less than one. */
export function milliseconds(count: number): string {
  return count < 1 ? '< 1 ms' : `${count} ms`;
}

/** A count with its noun, such as `2 faults`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A text of the merchant. One that is too long for a line goes without its middle, and is whole in the tooltip. */
export function brief(text: string | null): Html {
  const letters = [...(text ?? '')];
  const shown = letters.length <= 24 ? text : `${letters.slice(0, 10).join('')}…${letters.slice(-8).join('')}`;
  return html`<bdi title="${text}">${shown}</bdi>`;
}

/** The name of an order, which leads to its page. */
export function orderLink({ uuid, external_id }: Pick<InvoiceRecord, 'uuid' | 'external_id'>): Html {
  return html`<a href="/invoices/${uuid}">${brief(external_id)}</a>`;
}

/** A small button that copies a text. Only script can copy, so it is hidden without. */
function copyButton(text: string, label: string): Html {
  return html` <button type="button" class="icon" data-copy="${text}" data-scripted hidden aria-label="${label}" title="${label}"></button>`;
}

/** An id, shortened in its middle, with a button that copies it whole. */
export function idText(id: string): Html {
  return html`<span class="id"><code>${brief(id)}</code>${copyButton(id, 'Copy the id')}</span>`;
}

/** The address of a receiver, which breaks after a slash alone, with a button that copies it. */
export function addressText(url: string): Html {
  const parts = url.split(/(?<=[/?&])/).map((part) => html`${part}<wbr>`);
  return html`<span>${parts}</span>${copyButton(url, 'Copy the address')}`;
}

/** A text with a button that copies it, and the text itself on request. */
export function copyBlock(id: string, label: string, note: string, text: string): Html {
  return html`<div class="copy"><div><p class="soft small">${note}</p>
<details><summary>Show it</summary><pre class="scroll" id="${id}-text" tabindex="0" role="group" aria-label="${label}">${text}</pre></details></div>
<button type="button" data-copy-from="${id}-text" data-scripted hidden>${label}</button></div>`;
}

/** Pairs of a name and a value. A pair without a value is left out. */
export function facts(pairs: readonly (readonly [name: string, value: Part])[]): Html {
  const shown = pairs.filter(([, value]) => value !== null && value !== false);
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A section with its heading, and what stands at the end of the line of the heading. */
export function card(id: string, title: string, content: Html, aside: Html | null = null): Html {
  return html`<section class="card" id="${id}" aria-labelledby="${id}-title" data-live>
<div class="head"><h2 id="${id}-title">${title}</h2>${aside}</div>
${content}</section>`;
}

/** What a list without rows says, and what to do about it. */
export function nothing(title: string, text: Html | string): Html {
  return html`<div class="nothing"><p><strong>${title}</strong></p><p class="soft">${text}</p></div>`;
}

/**
 * A column of a table. Numbers are aligned at their ends, `wide` cells may take several lines, and the heading of
 * actions is unseen.
 */
export interface Column<Row> {
  readonly head: string;
  readonly as?: 'number' | 'wide' | 'end';
  readonly cell: (row: Row) => Part;
}

/** A table that becomes a list on a narrow screen. Roles are explicit, because that layout removes them. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], empty: Html = html``): Html {
  if (rows.length === 0) return empty;
  return html`<table role="table"><thead role="rowgroup"><tr role="row">${columns.map(
    ({ head, as }) =>
      html`<th role="columnheader" scope="col" class="${as}">${as === 'end' ? html`<span class="unseen">${head}</span>` : head}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) =>
      html`<tr role="row">${columns.map(({ head, as, cell }) => html`<td role="cell" class="${as}" data-label="${head}"><div>${cell(row)}</div></td>`)}</tr>
`,
  )}</tbody></table>`;
}

/** The parts of a form besides its content. */
interface FormParts {
  readonly hidden?: Readonly<Record<string, string>>;
  readonly label?: string;
  readonly id?: string;
  readonly layout?: 'row' | 'stack';
}

/** A form that posts. */
export function form(action: string, content: Html, { hidden = {}, label, id, layout }: FormParts = {}): Html {
  return html`<form method="post" action="${action}"${id && html` id="${id}"`}${layout && html` class="${layout}"`}${label && html` aria-label="${label}"`}>
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${content}</form>`;
}

/** A form that posts an action of the sandbox and returns to this page. */
export function actionForm(exchange: Exchange, action: string, content: Html, parts: FormParts = {}): Html {
  return form(`/_/${action}`, content, { ...parts, hidden: { back: addressOf(exchange), ...parts.hidden } });
}

/** A field for one line of text. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** Default: the name. */
  readonly id?: string;
  readonly hint?: string;
  /** Why the typed value was refused. It takes the place of the hint, so that nothing moves. */
  readonly problem?: string | null;
  readonly numeric?: boolean;
  readonly focus?: boolean;
  /** A button on the line of the field. */
  readonly button?: Html;
}

export function field({ name, label, value, id = name, hint, problem, numeric, focus, button }: Field): Html {
  const note = problem ?? hint;
  const marks = [
    note && html` aria-describedby="${id}-hint"`,
    numeric && html` inputmode="decimal"`,
    problem && html` aria-invalid="true"`,
    (focus || problem) && html` autofocus data-select`,
  ];
  return html`<div class="field"><label for="${id}">${label}</label>
<div class="joined"><input type="text" id="${id}" name="${name}" value="${value}" autocomplete="off"${marks}>${button}</div>
${note && html`<p id="${id}-hint" class="hint"${problem && html` role="alert"`}>${note}</p>`}</div>`;
}

/** A list of values to choose from. The empty one means any of them. */
export function selectField(name: string, label: string, values: readonly string[], chosen = ''): Html {
  return html`<div class="field"><label for="${name}">${label}</label><select name="${name}" id="${name}">${values.map(
    (value) => html`<option value="${value}"${value === chosen && html` selected`}>${value || 'any'}</option>`,
  )}</select></div>`;
}

/** The path and query of a page with changed query members, without the notice of the last action. */
export function addressOf({ url }: Exchange, changes: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams([...url.searchParams].filter(([name]) => name !== 'done' && !(name in changes)));
  for (const [name, value] of Object.entries(changes)) if (value !== '') query.set(name, value);
  return `${url.pathname}${query.size === 0 ? '' : `?${query}`}`;
}
