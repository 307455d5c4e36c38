import type { Answer } from '../../service/respond.ts';
import type { Exchange } from '../../service/service.ts';
import { toSandboxInvoice } from '../../service/write-resources.ts';
import type { InvoiceRecord } from '../../state/records.ts';
import type { SandboxInvoice } from '../../wire-types.ts';
import type { World } from '../../world.ts';
import { dashboardPage } from '../dashboard-frame.ts';
import { testOf } from '../deliveries/copies.ts';
import { deliveryTable } from '../deliveries/deliveries-page.ts';
import { grouped } from '../parts/amount.ts';
import { copyBlock } from '../parts/copy.ts';
import { type Html, html } from '../parts/html.ts';
import { pill } from '../parts/table.ts';
import { moment } from '../parts/time.ts';
import { invoiceButtons } from './invoices-page.ts';
import { timeline } from './timeline.ts';

/** One invoice: its state, what happened to it in order, its webhooks, and the order as a test. */
export function invoicePage(world: World, exchange: Exchange, invoice: InvoiceRecord): Answer {
  const { external_id, uuid, amount, currency, status } = invoice;
  const deliveries = world.store.deliveries(invoice).reverse();
  return dashboardPage(
    exchange,
    `Order ${external_id}`,
    html`<div class="row apart"><h1>Order <bdi>${external_id}</bdi></h1><p><a href="/pay/${uuid}">${status === 'pending' ? 'Payment page' : 'Receipt'}</a></p></div>
<section class="card stack" id="state" aria-label="State" data-live>
<p class="row"><strong class="num">${grouped(amount)} ${currency.code}</strong> ${pill(status)}</p>
${facts(toSandboxInvoice(world, invoice))}
<div class="row">${status === 'pending' && invoiceButtons(invoice, exchange)}</div></section>
<section class="card stack" id="line" aria-labelledby="timeline" data-live><h2 id="timeline">Timeline</h2>
${timeline(world, invoice)}</section>
<section class="card stack" id="webhooks" aria-labelledby="webhook" data-live><h2 id="webhook">Webhook</h2>
${deliveryTable(world, deliveries, exchange, status === 'pending' ? 'It is sent when the order ends.' : 'None was sent: neither the invoice nor the business has a callback URL.')}</section>
<section class="card stack" aria-labelledby="keep"><h2 id="keep">Keep it</h2>
${copyBlock('test', 'Copy as test', 'Passes unchanged and needs no port. Replace receive with your endpoint.', status === 'pending' ? null : testOf(world, invoice))}
${copyBlock('json', 'The invoice as JSON', 'As GET /api/v1/external/invoices lists it.', JSON.stringify(toSandboxInvoice(world, invoice), null, 2))}</section>`,
  );
}

/** The members that a reader looks for. The JSON below has all. */
const FACTS = [
  ['uuid', 'Id'],
  ['customer_id', 'Customer'],
  ['purpose', 'Purpose'],
  ['amount_to_send', 'Customer pays'],
  ['settled_amount_usdt', 'Credited, USDT'],
  ['rate', 'Rate'],
  ['callback_url', 'Webhook to'],
] as const;

function facts(invoice: SandboxInvoice): Html {
  const { adjustment, payment_method, created_at, expires_at, finished_at } = invoice;
  return html`<dl class="facts">${FACTS.map(([name, label]) => {
    const value = invoice[name];
    return value !== null && html`<dt>${label}</dt><dd class="any"><bdi>${value}</bdi></dd>`;
  })}
${payment_method !== null && html`<dt>Method</dt><dd><bdi>${payment_method.name}</bdi></dd>`}
${adjustment !== null && html`<dt>Paid</dt><dd class="num">${grouped(adjustment.actual_amount_fiat)} of ${grouped(adjustment.expected_amount_fiat)}</dd>`}
<dt>Created</dt><dd>${moment(created_at)}</dd>
${finished_at === null ? html`<dt>Expires</dt><dd>${moment(expires_at)}</dd>` : html`<dt>Ended</dt><dd>${moment(finished_at)}</dd>`}
</dl>`;
}
