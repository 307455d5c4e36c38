// The elements that all pages are made of: states, amounts, times, texts to copy, menus, forms.

import { Decimal } from '../../../contract/values/decimal.ts';
import { type Html, html, type Part } from '../../html.ts';
import { isWebhookWaiting, moneyText, noWebhookWord, paymentWord, webhookWord } from '../../story.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';

/** Good: done. Warn: partial, or a fault is active. Bad: somebody must act. Wait: in progress. Off: ended unpaid. */
export type Tone = 'good' | 'warn' | 'bad' | 'wait' | 'off' | 'plain';

/** What became of the webhook of a payment, in a few words. */
export interface WebhookState {
  readonly word: string;
  readonly tone: Tone;
}

export function webhookState(delivery: DeliveryRecord): WebhookState {
  const { status, made, log } = delivery;
  const last_http_status = log.at(-1)?.status_code ?? null;
  const word = webhookWord({ status, attempts: made, last_http_status });
  const isWaiting = isWebhookWaiting({ status, attempts: made });
  return { word, tone: status === 'delivered' ? 'good' : isWaiting ? 'wait' : 'bad' };
}

export function webhookOf({ store }: World, invoice: InvoiceRecord): WebhookState {
  const delivery = store.latestDelivery(invoice);
  if (delivery !== undefined) return webhookState(delivery);
  const isOff = invoice.callback_url === null && invoice.status !== 'pending';
  return { word: noWebhookWord(invoice), tone: isOff ? 'off' : 'plain' };
}

const PAYMENT_TONES: Readonly<Record<string, Tone>> = {
  Open: 'wait',
  Paid: 'good',
  'Paid less': 'warn',
  'Paid more': 'good',
};

export function paymentTag(invoice: InvoiceRecord): Html {
  const word = paymentWord(invoice);
  return tag(invoice.paidAfter === null ? word : `${word}, late`, PAYMENT_TONES[word] ?? 'off');
}

/** What the customer paid without the fee, and the fee: null without one, and where a corrected amount no longer says. */
export function paidOf(invoice: InvoiceRecord): { readonly amount: string; readonly fee: string | null } {
  const { adjustment, amountToSend, amount } = invoice;
  if (adjustment !== null) return { amount: adjustment.actual_amount_fiat, fee: null };
  const fee = new Decimal(amountToSend ?? amount).minus(amount);
  return { amount, fee: fee.isZero() ? null : fee.toFixed(2) };
}

/** A word on its colour. */
export function tag(word: string | number, tone: Tone): Html {
  return html`<span class="tag ${tone}">${word}</span>`;
}

/** The status of a response to a webhook, of which only 2xx accepts it. Null means that none came. */
export function statusTag(status: number | null): Html {
  return status === null ? tag('No response', 'bad') : tag(status, status >= 200 && status < 300 ? 'good' : 'bad');
}

export function money(amount: string, code: string): Html {
  return html`<span class="money">${moneyText(amount, code)}</span>`;
}

/** Sums in several currencies. A line may end between them. */
export function sums(texts: readonly string[]): Html {
  return html`${texts.map((text, at) => html`${at > 0 && ', '}<span class="money">${text}</span>`)}`;
}

/** A time of the day, with the whole time in its tooltip. The script makes both local. */
export function time(at: number | string): Html {
  const date = new Date(at);
  const utc = date.toUTCString();
  return html`<time datetime="${date.toISOString()}" title="${utc.slice(5, 25)} UTC">${utc.slice(17, 25)}</time>`;
}

/** A date with its time. */
export function moment(at: number | string): Html {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}" data-full>${date.toUTCString().slice(5, 25)} UTC</time>`;
}

/** An hour and a minute. */
export function minute(at: number): Html {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}" data-minute>${date.toISOString().slice(11, 16)}</time>`;
}

const HALF_A_DAY = 43_200_000;

/** When something began: the minute, with its day where that is not about today. */
export function since(at: number, now: number): Html {
  if (now - at < HALF_A_DAY) return minute(at);
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}" data-day>${date.toUTCString().slice(5, 11)} ${date.toISOString().slice(11, 16)}</time>`;
}

/** A heading for each day of a list whose rows are in the order of time. */
export function byDay<Row>(
  rows: readonly Row[],
  at: (row: Row) => number | string,
  show: (row: Row) => Html,
  times: string,
): Html {
  let day = '';
  const items = rows.map((row) => {
    const today = new Date(at(row)).toUTCString().slice(5, 16);
    const head = today === day ? null : html`<li class="day">${today}<span>${times}</span></li>`;
    day = today;
    return html`${head}<li>${show(row)}</li>\n`;
  });
  return html`<ol class="rows" data-days="${times}">${items}</ol>`;
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
  if (letters.length <= 24) return html`<bdi title="${text}">${text}</bdi>`;
  return html`<bdi class="whole" title="${text}">${letters.slice(0, 10).join('')}…${letters.slice(-6).join('')}</bdi>`;
}

/** A button that copies a text. Only script can copy, so it is hidden without. */
export function copyButton(text: string, label: Part, look = 'link'): Html {
  return html`<button type="button" class="${look}" data-copy="${text}" data-scripted hidden>${label}</button>`;
}

/** A text to read and copy, such as a request. */
export function code(id: string, label: string, text: Part): Html {
  return html`<pre id="${id}" dir="auto" tabindex="0" role="group" aria-label="${label}">${text}</pre>`;
}

/** What to change, with the names in it that a line must not break. */
export function remedyText(text: string): Html {
  const parts = text.split(/(\{timestamp\}\.\{body\}|\bMERCHANT_[A-Z_]+)/);
  return html`<bdi>${parts.map((part, at) => (at % 2 === 0 ? part : html`<code class="whole">${part}</code>`))}</bdi>`;
}

/** JSON with indents and its texts in a colour. Any other text is unchanged. */
export function highlighted(text: string): Html {
  let shown: string;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return html`${text}`;
  }
  const parts = shown.split(/("(?:[^"\\]|\\.)*")(?=,?\n)/); // a value ends its line, and a name does not
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : html`<span class="str">${part}</span>`))}`;
}

/** The headers of a message, a line each. */
export function headerLines(headers: Readonly<Record<string, string>>): Html {
  return html`${Object.entries(headers).map(([name, value]) => html`<span class="name">${name}:</span> ${value}\n`)}`;
}

/** Pairs of a name and a value. A pair without a value is left out. */
export function facts(pairs: readonly (readonly [name: string, value: Part])[]): Html {
  const shown = pairs.filter(([, value]) => value !== null && value !== false && value !== '');
  return html`<dl>${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A section with its heading, and what stands at the end of the line of the heading. */
export function section(id: string, title: string, content: Part, aside: Part = null): Html {
  return html`<section class="card" id="${id}" aria-labelledby="${id}-title" data-live>
<div class="head"><h2 id="${id}-title">${title}</h2>${aside}</div>
${content}</section>`;
}

/** What a list without rows says, and what to do about it. */
export function nothing(title: string, text: Part): Html {
  return html`<div class="nothing"><p><strong>${title}</strong></p><p class="soft">${text}</p></div>`;
}

/** A table. The last column has the actions if its heading is empty. */
export function table(heads: readonly string[], rows: readonly (readonly Part[])[]): Html {
  const label = (at: number): string => heads[at] ?? '';
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head || html`<span class="unseen">Actions</span>`}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, at) => html`<td data-label="${label(at)}">${cell}</td>`)}</tr>\n`)}</tbody></table></div>`;
}

/** A button that opens a small sheet, without script too. */
export function menu(label: Part, content: Part, look = 'button'): Html {
  return html`<details class="menu"><summary class="${look}">${label}</summary><div class="sheet">${content}</div></details>`;
}

/** The parts of a form besides its content. */
interface FormParts {
  readonly hidden?: Readonly<Record<string, string | readonly string[]>>;
  readonly label?: string;
  readonly id?: string;
  readonly look?: string;
}

/** A form that posts. */
export function form(action: string, content: Part, { hidden = {}, label, id, look }: FormParts = {}): Html {
  const fields = Object.entries(hidden).flatMap(([name, values]) => [values].flat().map((value) => ({ name, value })));
  return html`<form method="post" action="${action}"${id && html` id="${id}"`}${look && html` class="${look}"`}${label && html` aria-label="${label}"`}>
${fields.map(({ name, value }) => html`<input type="hidden" name="${name}" value="${value}">`)}${content}</form>`;
}

/** A form that posts an action of the sandbox and returns to this page. */
export function actionForm(incoming: IncomingRequest, action: string, content: Part, parts: FormParts = {}): Html {
  return form(`/_/${action}`, content, { ...parts, hidden: { back: addressOf(incoming), ...parts.hidden } });
}

/** The words of a button that sends the webhook of an order again. Its name has the order, so that two of them differ. */
export function againWords({ external_id }: InvoiceRecord): Html {
  return html`Send <span class="unseen">${external_id} </span>again`;
}

/** A button that performs an action on an order. */
export function orderButton(
  incoming: IncomingRequest,
  action: string,
  word: Part,
  ident: string | readonly string[],
  look = '',
): Html {
  return actionForm(incoming, action, html`<button class="${look}">${word}</button>`, { hidden: { ident } });
}

/** A field for one line of text. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** Default: the name. */
  readonly id?: string;
  readonly hint?: Part;
  /** Why the typed value was refused. It takes the place of the hint, so that nothing moves. */
  readonly problem?: string | null | undefined;
  readonly numeric?: boolean;
  /** The first field with a problem, or the one to fill in now. */
  readonly focus?: boolean;
  /** A button on the line of the field. */
  readonly button?: Html;
}

export function field({ name, label, value, id = name, hint, problem, numeric, focus, button }: Field): Html {
  const note = problem || hint;
  const marks = [
    note && html` aria-describedby="${id}-hint"`,
    numeric && html` inputmode="decimal"`,
    problem && html` aria-invalid="true"`,
    focus && html` autofocus data-select`,
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

/** The path and query of a page with changed query members, without what the last action left there. */
export function addressOf({ url }: IncomingRequest, changes: Readonly<Record<string, string>> = {}): string {
  const passing = ['done', 'refused'];
  const query = new URLSearchParams(
    [...url.searchParams].filter(([name]) => !passing.includes(name) && !(name in changes)),
  );
  for (const [name, value] of Object.entries(changes)) if (value !== '') query.set(name, value);
  return `${url.pathname}${query.size === 0 ? '' : `?${query}`}`;
}
