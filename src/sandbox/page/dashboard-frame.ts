import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import { type Html, html, pageAnswer } from './parts/html.ts';

const PAGES = [
  ['/', 'Overview'],
  ['/invoices', 'Invoices'],
  ['/deliveries', 'Deliveries'],
  ['/requests', 'Requests'],
  ['/faults', 'Faults'],
  ['/assumptions', 'Assumptions'],
] as const;

/** What an action has done; the name comes from the address, the words from here. */
const DONE: Readonly<Record<string, string>> = {
  advance: 'The clock was moved, and what fell due has happened.',
  freeze: 'The clock stands still.',
  unfreeze: 'The clock runs.',
  reset: 'Everything is back at the beginning.',
  resend: 'The webhook was sent.',
  explain: 'The search for the cause has ended.',
  fault: 'The fault waits for what it fits.',
  chance: 'Chance is on.',
  clear_faults: 'No fault is left.',
  choose: 'The method was chosen.',
  pay: 'The order was paid.',
  underpay: 'The order was paid with less.',
  overpay: 'The order was paid with more.',
  adjust: 'The paid amount was corrected.',
  fail: 'The payment failed.',
  cancel: 'The order was canceled.',
  expire: 'The order has expired.',
};

/** One page of the dashboard. */
export function dashboardPage(exchange: Exchange, title: string, main: Html): Answer {
  const { url } = exchange;
  const done = url.searchParams.get('done') ?? '';
  const text = Object.hasOwn(DONE, done) ? DONE[done] : undefined;
  const [, first = ''] = url.pathname.split('/');
  const nav = html`<nav class="top" aria-label="Sandbox">${PAGES.map(
    ([path, name]) => html`<a href="${path}"${path === `/${first}` && html` aria-current="page"`}>${name}</a>`,
  )}</nav>`;
  const notice = text !== undefined && html`<p role="status" class="notice good" tabindex="-1" autofocus>${text}</p>`;
  return pageAnswer(`${title} · Sandbox`, html`${notice}${main}`, { nav, wide: true });
}

/** Where a form of this page leads back to. */
export function backField({ url }: Exchange): Html {
  const query = new URLSearchParams(url.searchParams);
  query.delete('done');
  const search = query.size === 0 ? '' : `?${query}`;
  return html`<input type="hidden" name="back" value="${url.pathname}${search}">`;
}

/** The path to go back to, with a word on what was done. Anything but a path of the sandbox leads to the overview. */
export function backWith(back: string | undefined, done: string): string {
  const origin = 'http://sandbox.invalid';
  const wanted = back?.startsWith('/') && URL.canParse(back, origin) ? new URL(back, origin) : new URL(origin);
  const target = wanted.origin === origin ? wanted : new URL(origin);
  if (done === '') target.searchParams.delete('done');
  else target.searchParams.set('done', done);
  return target.pathname.replace(/^\/+/, '/') + target.search;
}

/** The address of this page with other members in its query; null takes one out. */
export function sameWith({ url }: Exchange, changes: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(url.searchParams);
  query.delete('done');
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return `${url.pathname}${query.size === 0 ? '' : `?${query}`}`;
}
