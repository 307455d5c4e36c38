import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { credentials } from './credentials.ts';
import { actionForm, dashboardPage } from './dashboard-frame.ts';
import { deliveryTable } from './deliveries/deliveries-page.ts';
import { faultsInForce } from './faults-page.ts';
import { invoiceTable } from './invoices/invoices-page.ts';
import { newInvoiceForm } from './invoices/new-invoice.ts';
import { type Html, html } from './parts/html.ts';
import { moment, span } from './parts/time.ts';
import { requestTable } from './requests-page.ts';

const SHOWN = 5;
const STEPS = ['1m', '30m', '1h', '6h', '1d'];

/** The page at `/`: what waits, the clock, the credentials, and the newest of everything. */
export function overviewPage(world: World, exchange: Exchange): Answer {
  const invoices = world.store.list().part(0, SHOWN, 'newest');
  const deliveries = world.store.deliveries().slice(-SHOWN).reverse();
  const requests = world.log
    .requests()
    .filter(({ operation }) => operation !== 'page')
    .slice(-SHOWN)
    .reverse();
  return dashboardPage(
    exchange,
    'Overview',
    html`<div class="row apart"><h1>Merchant Invoicing sandbox</h1><ul class="row" id="counts" aria-label="What waits" data-live>${counts(world)}</ul></div>
<div class="pair"><section class="card stack" aria-labelledby="connect"><h2 id="connect">Connect your backend</h2>${credentials(world, exchange)}</section>
<section class="card stack" aria-labelledby="clock"><h2 id="clock">Clock</h2>
<p class="num" id="now" data-live>${moment(world.clock.now())}, ${world.clock.running() ? 'running' : 'frozen'}</p>
${clockForms(world, exchange)}
<div id="force" data-live>${faultsInForce(world, exchange)}</div>
<p class="small"><a href="/faults">Cause a fault</a> · <a href="/assumptions">What this sandbox assumes</a></p></section></div>
<section class="card stack" aria-labelledby="invoices"><div class="row apart"><h2 id="invoices">Invoices</h2><a href="/invoices">All invoices</a></div>
<details class="more"><summary>New invoice</summary>${newInvoiceForm(world, exchange)}</details>
<div id="newest" data-live>${invoiceTable(invoices, exchange, 'None yet. Create one above, or with merchant.invoices.create and the values of “Connect your backend”.')}</div></section>
<section class="card stack" aria-labelledby="deliveries"><div class="row apart"><h2 id="deliveries">Webhook deliveries</h2><a href="/deliveries">All deliveries</a></div>
<div id="sent" data-live>${deliveryTable(world, deliveries, exchange, 'None yet. A webhook is sent when an invoice with a callback URL ends: pay one.')}</div></section>
<section class="card stack" aria-labelledby="requests"><div class="row apart"><h2 id="requests">Requests to the API</h2><a href="/requests?show=api">All requests</a></div>
<div id="asked" data-live>${requestTable(requests, 'None yet. Send one with the base URL and the key above.')}</div></section>`,
  );
}

/** The numbers of pending invoices, waiting and failed webhooks, and pending withdrawals. */
function counts(world: World): Html {
  const pending = world.store.list({ status: 'pending' }).length;
  const open = world.store.deliveries().filter(({ status }) => status === 'pending' || status === 'delivering');
  const failed = world.store.deliveries().filter(({ status }) => status === 'failed').length;
  const next = Math.min(...open.map(({ nextRetryAt }) => nextRetryAt ?? Number.POSITIVE_INFINITY));
  const when = Number.isFinite(next) ? `, next in ${span(next - world.clock.now())}` : '';
  const withdrawals = world.store.withdrawals.filter(({ status }) => status === 'pending').length;
  const count = (number: number, one: string, many: string, path: string, end = ''): Html | false =>
    number > 0 && html`<li><a class="pill" href="${path}">${number} ${number === 1 ? one : many}${end}</a></li>`;
  return html`${count(pending, 'invoice pending', 'invoices pending', '/invoices?status=pending')}
${count(open.length, 'webhook waiting', 'webhooks waiting', '/deliveries', when)}
${count(failed, 'webhook failed', 'webhooks failed', '/deliveries?status=failed')}
${count(withdrawals, 'withdrawal pending', 'withdrawals pending', '/withdrawals')}`;
}

function clockForms(world: World, exchange: Exchange): Html {
  const isRunning = world.clock.running();
  const steps = STEPS.map(
    (step) => html`<button name="duration" value="${step}" aria-label="Move the clock by ${step}">+ ${step}</button>`,
  );
  const toggle = html`<button>${isRunning ? 'Stop the clock' : 'Let the clock run'}</button>`;
  const total = world.store.list().length;
  const loss = `${total} ${total === 1 ? 'invoice' : 'invoices'}, their webhooks and the log are removed. This cannot be undone.`;
  return html`${actionForm(exchange, 'advance', html`${steps}`, { style: 'row', label: 'Move the clock' })}
<div class="row">${actionForm(exchange, isRunning ? 'freeze' : 'unfreeze', toggle)}
<details class="more"><summary>Reset everything …</summary><div class="stack tight"><p class="small">${loss}</p>${actionForm(exchange, 'reset', html`<button>Yes, reset</button>`)}</div></details></div>`;
}
