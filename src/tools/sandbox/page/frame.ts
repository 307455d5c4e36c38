import { type Html, html, type Part } from '../../html.ts';
import { ACTIONS, isActionName } from '../actions.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { World } from '../world.ts';
import { actionForm, counted, menu, moment, span } from './elements.ts';
import { activeFaults, faultButtons } from './faults.ts';
import { refusalOf } from './refusals.ts';
import { unheardIn } from './unheard.ts';

// What surrounds the content of a page.

/** Pages load nothing from outside, have nothing inline, are not framed, and send forms only to the sandbox. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

export function fileResponse(type: string, body: string, status = 200): UnsentResponse {
  return { status, headers: { ...HEADERS, 'Content-Type': type }, body };
}

/** Redirects the browser with GET, so that a reload repeats nothing. */
export function seeOther(location: string): UnsentResponse {
  return { status: 303, headers: { ...HEADERS, Location: location }, body: '' };
}

/** A whole page. */
export function pageResponse(title: string, look: string, body: Html, status = 200): UnsentResponse {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/sandbox.css">
<script src="/assets/sandbox.js" defer></script>
</head>
<body class="${look}">
${body}
</body>
</html>
`;
  return fileResponse('text/html; charset=utf-8', document.text, status);
}

/** A page with one sentence. */
export function messagePage(status: number, title: string): UnsentResponse {
  const main = html`<header class="top"><strong class="mark">SANDBOX</strong></header>
<main id="main"><section class="card nothing"><h1>${title}</h1><p><a href="/">To the sandbox</a></p></section></main>`;
  return pageResponse(title, 'message', main, status);
}

/** A page of the dashboard: its heading with what stands beside it, and its content. */
export interface DashboardPage {
  /** The title in the browser. */
  readonly title: string;
  /** Default: the title. Null: the content has its own. */
  readonly heading?: Html | null;
  readonly aside?: Part;
  /** What stands above the heading. */
  readonly above?: Part;
  readonly content: Part;
  /** True for a list with a detail beside it, which has no margin. */
  readonly isWide?: boolean;
  /** The notices after an action where the page says more than its table: null where its content says it. */
  readonly done?: Readonly<Record<string, Part>>;
}

/** A page of the dashboard, with the navigation and the tools that are at hand on each. */
export function dashboardPage(world: World, incoming: IncomingRequest, page: DashboardPage): UnsentResponse {
  const { searchParams } = incoming.url;
  const done = searchParams.get('done') ?? '';
  // The address holds only the name of the action.
  const notice =
    page.done !== undefined && done in page.done ? page.done[done] : isActionName(done) && ACTIONS[done].done;
  const refusal = refusalOf(world, incoming);
  const shown = page.heading === undefined ? html`${page.title}` : page.heading;
  const body = html`<a class="skip" href="#main">Skip to the content</a>
${topBar(world, incoming)}
${sideBar(world, incoming)}
<main id="main"${page.isWide && html` class="wide"`}>
${notice && html`<p role="status" class="notice good" tabindex="-1" autofocus>${notice}</p>`}
${refusal && refusal.fields.length === 0 && html`<p role="alert" class="notice bad" tabindex="-1" autofocus>${refusal.message}</p>`}
${shown !== null && html`<div class="titles">${page.above}<div class="title"><h1>${shown}</h1>${page.aside}</div></div>`}
${page.content}
</main>`;
  return pageResponse(`${page.title} · Sandbox`, 'dashboard', body);
}

const STEPS = ['1m', '30m', '1h', '6h', '1d'];

function topBar(world: World, incoming: IncomingRequest): Html {
  const { clock, store, settings } = world;
  const isRunning = clock.running();
  const ahead = clock.now() - settings.wallClock();
  const lead = !isRunning ? 'frozen' : ahead > 60_000 ? `+${span(ahead)}` : 'real time';
  const [verb, action] = isRunning ? ['Freeze the clock', 'freeze'] : ['Let the clock run', 'unfreeze'];
  const steps = STEPS.map(
    (step) => html`<button name="duration" value="${step}" aria-label="Move the clock by ${step}">+${step}</button>`,
  );
  const sheet = html`<p class="soft small">${moment(clock.now())}</p>
${actionForm(incoming, 'advance', steps, { look: 'row', label: 'Move the clock' })}
<p class="soft small">What is due on the way happens: expiries, and the next attempts of webhooks.</p>
${actionForm(incoming, action, html`<button>${verb}</button>`)}
<details><summary>Reset everything</summary><p class="small">${counted(store.invoices().length, 'payment')}, their webhooks and the log are removed.</p>
${actionForm(incoming, 'reset', html`<button class="danger">Yes, reset</button>`)}</details>`;
  const active = activeFaults(world, incoming);
  const faults = html`${active ?? html`<p class="soft small">Everything works. What is to go wrong next?</p>`}
${faultButtons(incoming, 'Faults', ['rate_limit', 'reset_after', 'wrong_signature', 'outage'])}
<p><a href="/faults">All faults</a></p>`;
  const count = world.faults.queued().length;
  return html`<header class="top"><strong class="mark">SANDBOX</strong><span class="wide-only">No real money</span><span class="grow"></span>
<div id="clock" data-live>${menu(html`<span${isRunning && html` data-ticking`} data-clock>${timeOfDay(clock.now())}</span> <span class="lead wide-only">${lead}</span>`, sheet, 'pill')}</div>
<div id="faults-menu" data-live>${menu(html`Faults<span class="wide-only">: ${count === 0 && 'none'}</span>${count > 0 && html` ${count}`}`, faults, count > 0 ? 'pill on' : 'pill')}</div>
<a class="pill main" href="/payments/new">New<span class="wide-only"> payment</span></a></header>`;
}

function timeOfDay(at: number): Html {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}">${date.toUTCString().slice(17, 25)}</time>`;
}

const PAGES = { '/': 'Overview', '/payments': 'Payments', '/webhooks': 'Webhooks', '/requests': 'Requests' };
const MORE = { '/payouts': 'Payouts' };

function sideBar(world: World, incoming: IncomingRequest): Html {
  const current = `/${incoming.url.pathname.split('/')[1]}`;
  const count = unheardIn(world).length;
  const links = (pages: Readonly<Record<string, string>>): Html[] =>
    Object.entries(pages).map(
      ([path, name]) =>
        html`<a href="${path}"${path === current && html` aria-current="page"`}>${name}${path === '/webhooks' && count > 0 && html` <span class="count" title="${count} not delivered">${count}<span class="unseen"> not delivered</span></span>`}</a>`,
    );
  return html`<nav class="side" id="side" aria-label="Sandbox" data-live>${links(PAGES)}<hr>${links(MORE)}</nav>`;
}
