import { ACTIONS, isActionName } from '../actions.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import { type Html, html, pageAnswer } from './parts/html.ts';
import { addressOf } from './parts/table.ts';

const PAGES = [
  ['/', 'Overview'],
  ['/invoices', 'Invoices'],
  ['/deliveries', 'Deliveries'],
  ['/requests', 'Requests'],
  ['/withdrawals', 'Withdrawals'],
  ['/methods', 'Methods'],
  ['/rates', 'Rates'],
  ['/faults', 'Faults'],
  ['/assumptions', 'Assumptions'],
] as const;

/** One page of the dashboard. */
export function dashboardPage(exchange: Exchange, title: string, main: Html): Answer {
  const { url } = exchange;
  const done = url.searchParams.get('done') ?? '';
  const text = isActionName(done) ? ACTIONS[done].done : undefined; // the address holds only the name of the action
  const [, first = ''] = url.pathname.split('/');
  const nav = html`<nav class="top" aria-label="Sandbox">${PAGES.map(
    ([path, name]) => html`<a href="${path}"${path === `/${first}` && html` aria-current="page"`}>${name}</a>`,
  )}</nav>`;
  const notice = text !== undefined && html`<p role="status" class="notice good" tabindex="-1" autofocus>${text}</p>`;
  return pageAnswer(`${title} · Sandbox`, html`${notice}${main}`, { nav, wide: true });
}

/** A form that posts an action of the sandbox and returns to this page. */
export function actionForm(
  exchange: Exchange,
  action: string,
  content: Html,
  { ident, label, style }: { readonly ident?: string; readonly label?: string; readonly style?: 'row' | 'stack' } = {},
): Html {
  return html`<form method="post" action="/_/${action}"${style && html` class="${style}"`}${label && html` aria-label="${label}"`}><input type="hidden" name="back" value="${addressOf(exchange)}">${ident && html`<input type="hidden" name="ident" value="${ident}">`}
${content}</form>`;
}

/** A list of values to choose from, or any. */
export function selectField(
  name: string,
  label: string,
  values: readonly string[],
  chosen: string | null,
  { any = true }: { readonly any?: boolean } = {},
): Html {
  return html`<label class="field"><span>${label}</span><select name="${name}">${any && html`<option value="">any</option>`}${values.map(
    (value) => html`<option value="${value}"${value === chosen && html` selected`}>${value}</option>`,
  )}</select></label>`;
}

/** The path of a page with the notice of an action. Anything but a path of the sandbox leads to the overview. */
export function backWith(back: string | undefined, done: string): string {
  const origin = 'http://sandbox.invalid';
  const wanted = back?.startsWith('/') && URL.canParse(back, origin) ? new URL(back, origin) : new URL(origin);
  const target = wanted.origin === origin ? wanted : new URL(origin);
  if (done === '') target.searchParams.delete('done');
  else target.searchParams.set('done', done);
  return target.pathname.replace(/^\/+/, '/') + target.search;
}
