import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { actionForm, dashboardPage } from './dashboard-frame.ts';
import { deliveryTable } from './deliveries/deliveries-page.ts';
import { faultsInForce } from './faults-page.ts';
import { invoiceTable } from './invoices-page.ts';
import { type Html, html } from './parts/html.ts';
import { moment } from './parts/time.ts';
import { requestTable } from './requests-page.ts';

const SHOWN = 10;
const STEPS = ['1m', '30m', '1h', '6h', '1d'];

/** The page at `/`: the clock, and the newest of everything. */
export function dashboard(world: World, exchange: Exchange): Answer {
  const invoices = world.store.list().part(0, SHOWN, 'newest');
  const deliveries = world.store.deliveries().slice(-SHOWN).reverse();
  const requests = world.log.requests().slice(-SHOWN).reverse();
  return dashboardPage(
    exchange,
    'Overview',
    html`<h1>Merchant Invoicing sandbox</h1>
<div class="pair"><section class="card stack" aria-label="Clock">
<dl class="facts"><dt>API</dt><dd><code>${world.url}</code></dd>
<dt>Clock</dt><dd class="num">${moment(world.clock.now())}, ${world.clock.running() ? 'running' : 'frozen'}</dd></dl>
${clockForms(world, exchange)}</section>
<section class="card stack" aria-labelledby="force"><h2 id="force">Active faults</h2>${faultsInForce(world, exchange)}
<p class="small"><a href="/faults">Cause a fault</a> · <a href="/assumptions">What this sandbox assumes</a></p></section></div>
<section class="card stack" aria-labelledby="invoices"><div class="row apart"><h2 id="invoices">Invoices</h2><a href="/invoices">All ${world.store.list().length}</a></div>
${invoiceTable(invoices, exchange, 'No invoice yet.')}</section>
<section class="card stack" aria-labelledby="deliveries"><div class="row apart"><h2 id="deliveries">Webhook deliveries</h2><a href="/deliveries">All deliveries</a></div>
${deliveryTable(world, deliveries, exchange, 'No delivery yet.')}</section>
<section class="card stack" aria-labelledby="requests"><div class="row apart"><h2 id="requests">Requests</h2><a href="/requests">All requests</a></div>
${requestTable(requests, 'No request yet.')}</section>`,
  );
}

function clockForms(world: World, exchange: Exchange): Html {
  const isRunning = world.clock.running();
  const steps = STEPS.map(
    (step) => html`<button name="duration" value="${step}" aria-label="Move the clock by ${step}">+ ${step}</button>`,
  );
  const toggle = html`<button>${isRunning ? 'Stop the clock' : 'Let the clock run'}</button>`;
  return html`${actionForm(exchange, 'advance', html`${steps}`, { style: 'row', label: 'Move the clock' })}
<div class="row">${actionForm(exchange, isRunning ? 'freeze' : 'unfreeze', toggle)}
${actionForm(exchange, 'reset', html`<button>Reset everything</button>`)}</div>`;
}
