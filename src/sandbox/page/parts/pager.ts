import type { Exchange } from '../../service/service.ts';
import { sameWith } from '../dashboard-frame.ts';
import { type Html, html } from './html.ts';

/** Rows on one page of the dashboard. */
export const PAGE_SIZE = 25;

/** The page asked for, from 1; nonsense is 1. */
export function pageAsked({ url }: Exchange): number {
  const text = url.searchParams.get('page') ?? '1';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1;
}

/** Links to the pages before and after. */
export function pager(exchange: Exchange, total: number): Html {
  const page = pageAsked(exchange);
  const pages = Math.max(1, Math.ceil(total / PAGE_SIZE));
  if (pages === 1 && page === 1) return html`<p class="soft small">${total} in all</p>`;
  const to = (target: number, text: string): Html =>
    html`<a class="button" href="${sameWith(exchange, { page: String(target) })}">${text}</a>`;
  return html`<nav class="row" aria-label="Pages">${page > 1 && to(Math.min(page - 1, pages), 'Newer')}
<span class="soft small num">Page ${page} of ${pages}, ${total} in all</span>
${page < pages && to(page + 1, 'Older')}</nav>`;
}
