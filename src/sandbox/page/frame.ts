import { ACTIONS, isActionName } from '../actions.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { actionForm, moment } from './elements.ts';
import { type Html, html, pageAnswer } from './html.ts';

const PAGES = [
  ['/', 'Overview'],
  ['/invoices', 'Invoices'],
  ['/deliveries', 'Deliveries'],
  ['/requests', 'Requests'],
  ['/faults', 'Faults'],
] as const;

/** The pages that are read once. */
const MORE = [
  ['/withdrawals', 'Withdrawals'],
  ['/methods', 'Methods'],
  ['/rates', 'Rates'],
  ['/dialects', 'Dialects'],
] as const;

/** A page of the dashboard: its heading with what stands beside it, and its content. */
export interface DashboardPage {
  /** The title in the browser. Default: the heading. */
  readonly title: string;
  readonly heading?: Html;
  readonly aside?: Html;
  readonly content: Html;
  readonly status?: number;
}

/** One page of the dashboard, with the navigation and the tools that are at hand on each. */
export function dashboardPage(
  world: World,
  exchange: Exchange,
  { title, heading = html`${title}`, aside, content, status = 200 }: DashboardPage,
): Answer {
  const done = exchange.url.searchParams.get('done') ?? '';
  const text = isActionName(done) ? ACTIONS[done].done : undefined; // the address holds only the name of the action
  const notice = text !== undefined && html`<p role="status" class="notice good" tabindex="-1" autofocus>${text}</p>`;
  const main = html`${notice}<div class="title"><h1>${heading}</h1>${aside}</div>
${content}`;
  return pageAnswer(`${title} · Sandbox`, main, { status, tools: tools(world, exchange) });
}

function tools(world: World, exchange: Exchange): Html {
  const [, first = ''] = exchange.url.pathname.split('/');
  const link = ([path, name]: readonly [string, string]): Html =>
    html`<a href="${path}"${path === `/${first}` && html` aria-current="page"`}>${name}</a>`;
  const isMore = MORE.some(([path]) => path === `/${first}`);
  const active = world.faults.queued().length + (world.faults.chance === null ? 0 : 1);
  return html`<a class="skip" href="#main">Skip to the content</a>
<nav class="side" aria-label="Sandbox"><p class="brand">Merchant Invoicing</p>
${PAGES.map(link)}
<details${isMore && html` open`}><summary>More</summary>${MORE.map(link)}</details></nav>
<section class="bar" aria-label="Clock, faults and new invoice">
<div id="tools" data-live>${clockMenu(world, exchange)}
${active > 0 && html`<a class="tag warn" href="/faults">${active} ${active === 1 ? 'fault' : 'faults'} active</a>`}</div>
<a class="button${exchange.url.pathname !== '/invoices/new' && ' main'}" href="/invoices/new">New invoice</a></section>`;
}

const STEPS = ['1m', '30m', '1h', '6h', '1d'];

function clockMenu(world: World, exchange: Exchange): Html {
  const isRunning = world.clock.running();
  const steps = STEPS.map(
    (step) => html`<button name="duration" value="${step}" aria-label="Move the clock by ${step}">+ ${step}</button>`,
  );
  const total = world.store.list().length;
  return html`<details class="menu"><summary><span class="soft">Clock</span> <span${isRunning && html` data-ticking`}>${moment(world.clock.now())}</span> <span class="tag ${isRunning ? 'off' : 'wait'}">${isRunning ? 'running' : 'frozen'}</span></summary>
<div class="sheet"><p><strong>Move the clock</strong></p>
${actionForm(exchange, 'advance', html`${steps}`, { layout: 'row', label: 'Move the clock' })}
<p class="soft small">What falls due on the way happens: expiries, and the next tries of webhooks.</p>
${actionForm(exchange, isRunning ? 'freeze' : 'unfreeze', html`<button>${isRunning ? 'Freeze the clock' : 'Unfreeze the clock'}</button>`)}
<details><summary>Reset everything</summary><p class="small">${total} ${total === 1 ? 'invoice' : 'invoices'}, their webhooks and the log are removed. This cannot be undone.</p>
${actionForm(exchange, 'reset', html`<button class="danger">Yes, reset</button>`)}</details></div></details>`;
}

/** The path of a page with the notice of an action. No more than path and query count, so it cannot lead elsewhere. */
export function backWith(back: unknown, done: string): string {
  const origin = 'http://sandbox.invalid';
  const target = new URL(typeof back === 'string' && URL.canParse(back, origin) ? back : '/', origin);
  if (done === '') target.searchParams.delete('done');
  else target.searchParams.set('done', done);
  return target.pathname.replace(/^\/*/, '/') + target.search; // two slashes would begin the name of a host
}
