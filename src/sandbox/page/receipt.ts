import type { DeliveryRecord, InvoiceRecord } from '../store.ts';
import type { World } from '../world.ts';
import { type Html, html, safeLink } from './html.ts';

const STATES = {
  pending: 'This order is open.',
  success: 'Paid. Thank you.',
  fail: 'The payment failed.',
  expired: 'This order has expired.',
  canceled: 'This order was canceled.',
};

/** A closed invoice: its end, what was credited, what became of the webhook, and the way back to the shop. */
export function closedView(world: World, invoice: InvoiceRecord, problem: string | null): Html {
  const paid = invoice.status === 'success';
  const back = safeLink(paid ? invoice.success_url : invoice.fail_url);
  return html`<section aria-labelledby="order">
<h1 id="order">Order <bdi>${invoice.external_id}</bdi></h1>
${invoice.purpose && html`<p dir="auto">${invoice.purpose}</p>`}
<p class="amount">${invoice.amount} ${invoice.currency.code}</p>
<p role="status" class="${paid ? 'good' : 'bad'}">${STATES[invoice.status]}</p>
${problem !== null && html`<p role="alert" class="bad">${problem}</p>`}
<dl>
<dt>State</dt><dd>${invoice.status}, since ${moment(invoice.finishedAt)}</dd>
${paid && receipt(invoice)}
</dl>
${
  back === null
    ? html`<p class="soft">The shop gave no address to return to. You can close this page.</p>`
    : html`<p><a href="${back}" rel="noreferrer">${paid ? 'Return to the shop' : 'Go back to the shop'}</a></p>`
}
</section>
<section class="levers" aria-labelledby="levers">
<h2 id="levers">Test levers: after the end</h2>
<p class="soft">No customer sees this.</p>
${webhookLine(world, invoice)}
${paid && correction(invoice)}
</section>`;
}

function receipt(invoice: InvoiceRecord): Html {
  const { adjustment, currency, method, amountToSend } = invoice;
  return html`<dt>Method</dt><dd><bdi>${method?.name ?? ''}</bdi></dd>
<dt>To be paid</dt><dd>${amountToSend} ${currency.code}, commission included</dd>
${adjustment && html`<dt>Really paid</dt><dd>${adjustment.actual_amount_fiat} of ${adjustment.expected_amount_fiat} ${currency.code} (adjusted)</dd>`}
<dt>Merchant credited</dt><dd>${invoice.settledUsdt} USDT, at ${invoice.rate} ${currency.code} per USDT</dd>`;
}

function webhookLine(world: World, invoice: InvoiceRecord): Html {
  const delivery = world.store.deliveries(invoice).at(-1);
  if (delivery === undefined) return html`<p>No webhook: neither the invoice nor the business has a callback URL.</p>`;
  return html`<p>${describeDelivery(delivery)}</p>
<form method="post" action="/pay/${invoice.uuid}"><button name="action" value="resend">Send the webhook now</button></form>`;
}

/** One sentence on where a delivery stands. */
export function describeDelivery(delivery: DeliveryRecord): string {
  const { log, url, status, nextRetryAt } = delivery;
  const last = log.at(-1);
  const where = url === null ? 'nowhere' : URL.canParse(url) ? new URL(url).host : url;
  if (delivery.attempt !== null) return `Webhook on its way to ${where}, try ${log.length + 1}.`;
  if (last === undefined) return `Webhook ${status}.`;
  if (last.success) return `Webhook delivered to ${where} in ${last.duration_ms} ms (try ${log.length}).`;
  const next = nextRetryAt === null ? 'no further try by itself' : `next try at ${moment(nextRetryAt)}`;
  return `Webhook to ${where}: try ${log.length}, ${last.error}; ${next}.${status === 'delivered' ? ' It was delivered before.' : ''}`;
}

function correction(invoice: InvoiceRecord): Html {
  return html`<form method="post" action="/pay/${invoice.uuid}" class="row">
<label class="field"><span>Correct the paid amount (dispute; sends no second webhook)</span>
<input type="text" name="amount" inputmode="decimal" autocomplete="off" required></label>
<button name="action" value="adjust">Correct</button>
</form>`;
}

/** A time for people, on the sandbox clock. */
export function moment(at: number | null): string {
  return at === null ? '' : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
