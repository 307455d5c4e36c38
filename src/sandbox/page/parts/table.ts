import type { Exchange } from '../../service/service.ts';
import { type Html, html } from './html.ts';

/** A head that a narrow screen omits, for example before buttons. It shows any other head before each cell. */
interface SilentHead {
  readonly silent: string;
}

/** A table that becomes a list of cards on a narrow screen. Roles are explicit, because that layout removes them. */
export function table(
  heads: readonly (string | SilentHead)[],
  rows: readonly (readonly Html[])[],
  empty: string,
): Html {
  if (rows.length === 0) return html`<p class="soft">${empty}</p>`;
  const texts = heads.map((head) => (typeof head === 'string' ? head : head.silent));
  return html`<table class="rows" role="table"><thead role="rowgroup"><tr role="row">${texts.map((text) => html`<th role="columnheader" scope="col">${text}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells) =>
      html`<tr role="row">${cells.map((cell, at) => html`<td role="cell"${typeof heads[at] === 'string' && html` data-label="${heads[at]}"`}>${cell}</td>`)}</tr>
`,
  )}</tbody></table>`;
}

const STATES: Readonly<Record<string, 'good' | 'bad' | ''>> = {
  success: 'good',
  delivered: 'good',
  fail: 'bad',
  failed: 'bad',
  expired: 'bad',
  canceled: 'bad',
};

export function pill(state: string): Html {
  return html`<span class="pill ${Object.hasOwn(STATES, state) ? STATES[state] : ''}">${state}</span>`;
}

/** Rows on one page of a list. */
const PAGE_SIZE = 25;

/** The range of rows that the query `page` asks for. An unusable page is the first. */
export function rangeOf(exchange: Exchange): readonly [start: number, end: number] {
  const start = (pageNumber(exchange) - 1) * PAGE_SIZE;
  return [start, start + PAGE_SIZE];
}

function pageNumber({ url }: Exchange): number {
  const text = url.searchParams.get('page') ?? '1';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1;
}

/** Links to the pages before and after. */
export function pager(exchange: Exchange, total: number): Html {
  const page = pageNumber(exchange);
  const pages = Math.max(1, Math.ceil(total / PAGE_SIZE));
  if (pages === 1 && page === 1) return html`<p class="soft small">${total} in all</p>`;
  const link = (target: number, text: string): Html =>
    html`<a class="button" href="${addressOf(exchange, { page: String(target) })}">${text}</a>`;
  return html`<nav class="row" aria-label="Pages">${page > 1 && link(Math.min(page - 1, pages), 'Newer')}
<span class="soft small num">Page ${page} of ${pages}, ${total} in all</span>
${page < pages && link(page + 1, 'Older')}</nav>`;
}

/** The path and query of a page with changed query members, without the notice of the last action. */
export function addressOf({ url }: Exchange, changes: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(url.searchParams);
  query.delete('done');
  for (const [name, value] of Object.entries(changes)) query.set(name, value);
  return `${url.pathname}${query.size === 0 ? '' : `?${query}`}`;
}
