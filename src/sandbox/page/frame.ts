import { ACTIONS, isActionName } from '../actions.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { actionForm, counted, moment, tag } from './elements.ts';
import { type Html, html } from './html.ts';

// What surrounds the content of a page.

/** Pages load nothing from outside, have nothing inline, are not framed, and send forms only to the sandbox. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

export function fileAnswer(type: string, body: string, status = 200): Answer {
  return { status, headers: { ...HEADERS, 'Content-Type': type }, body };
}

/** Redirects the browser with GET, so that a reload repeats nothing. */
export function seeOther(location: string): Answer {
  return { status: 303, headers: { ...HEADERS, Location: location }, body: '' };
}

/** A whole page. The payment page has no tools: neither navigation nor clock. */
export function pageAnswer(title: string, main: Html, status = 200, tools: Html | null = null): Answer {
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
<body class="${tools === null ? 'checkout' : 'dashboard'}">
<header class="banner"><p><strong>SANDBOX</strong> No real money. Nothing leaves this machine.</p></header>
${tools}
<main id="main">
${main}
</main>
</body>
</html>
`;
  return fileAnswer('text/html; charset=utf-8', document.text, status);
}

/** A page with one sentence. */
export function messagePage(status: number, title: string, more: Html = html`<p><a href="/">To the sandbox</a></p>`) {
  return pageAnswer(title, html`<section class="card nothing"><h1>${title}</h1>${more}</section>`, status);
}

/** A page of the dashboard: its heading with what stands beside it, and its content. */
export interface DashboardPage {
  /** The title in the browser. */
  readonly title: string;
  /** Default: the title. */
  readonly heading?: Html | undefined;
  readonly aside?: Html;
  readonly content: Html;
  readonly status?: number;
}

/** A page of the dashboard, with the navigation and the tools that are at hand on each. */
export function dashboardPage(world: World, exchange: Exchange, page: DashboardPage): Answer {
  const done = exchange.url.searchParams.get('done') ?? '';
  const notice = isActionName(done) && ACTIONS[done].done; // the address holds only the name of the action
  const main = html`${notice && html`<p role="status" class="notice good" tabindex="-1" autofocus>${notice}</p>`}
<div class="title"><h1>${page.heading ?? page.title}</h1>${page.aside}</div>
${page.content}`;
  return pageAnswer(`${page.title} · Sandbox`, main, page.status, tools(world, exchange));
}

const PAGES = {
  '/': 'Overview',
  '/invoices': 'Invoices',
  '/deliveries': 'Deliveries',
  '/requests': 'Requests',
  '/faults': 'Faults',
};
const MORE = { '/withdrawals': 'Withdrawals', '/methods': 'Methods', '/rates': 'Rates', '/dialects': 'Dialects' };

function tools({ clock, faults, store }: World, exchange: Exchange): Html {
  const { pathname } = exchange.url;
  const current = `/${pathname.split('/')[1]}`;
  const links = (pages: Readonly<Record<string, string>>): Html[] =>
    Object.entries(pages).map(
      ([path, name]) => html`<a href="${path}"${path === current && html` aria-current="page"`}>${name}</a>`,
    );
  const active = faults.queued().length + (faults.chance === null ? 0 : 1);
  const isRunning = clock.running();
  const [verb, state] = isRunning ? ['Freeze', 'running'] : ['Unfreeze', 'frozen'];
  const steps = ['1m', '30m', '1h', '6h', '1d'].map(
    (step) => html`<button name="duration" value="${step}" aria-label="Move the clock by ${step}">+ ${step}</button>`,
  );
  return html`<a class="skip" href="#main">Skip to the content</a>
<nav class="side" aria-label="Sandbox"><p class="brand">Merchant Invoicing</p>
${links(PAGES)}
<details${current in MORE && html` open`}><summary>More</summary>${links(MORE)}</details></nav>
<section class="bar" aria-label="Clock, faults and new invoice">
<div id="tools" data-live><details class="menu"><summary><span class="soft">Clock</span> <span${isRunning && html` data-ticking`}>${moment(clock.now())}</span> ${tag(state, isRunning ? 'off' : 'wait')}</summary>
<div class="sheet"><p><strong>Move the clock</strong></p>
${actionForm(exchange, 'advance', html`${steps}`, { layout: 'row', label: 'Move the clock' })}
<p class="soft small">What falls due on the way happens: expiries, and the next tries of webhooks.</p>
${actionForm(exchange, verb.toLowerCase(), html`<button>${verb} the clock</button>`)}
<details><summary>Reset everything</summary><p class="small">${counted(store.invoices().length, 'invoice')}, their webhooks and the log are removed. This cannot be undone.</p>
${actionForm(exchange, 'reset', html`<button class="danger">Yes, reset</button>`)}</details></div></details>
${active > 0 && html`<a class="tag warn" href="/faults">${counted(active, 'fault')} active</a>`}</div>
<a class="button${pathname !== '/invoices/new' && ' main'}" href="/invoices/new">New invoice</a></section>`;
}
