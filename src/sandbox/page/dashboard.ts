import type { Sandbox } from '../api.ts';
import { describeEvent } from '../events.ts';
import type { Answer } from '../respond.ts';
import type { SandboxDelivery, SandboxInvoice } from '../wire-types.ts';
import { type Html, html, pageAnswer } from './html.ts';

const SHOWN = 50;
const STEPS = ['1m', '30m', '1h', '6h', '1d'];

/** The page at `/`: what is there, what was asked, what was delivered, and the clock. */
export function dashboard(sandbox: Sandbox): Answer {
  const invoices = sandbox.invoices().slice(0, SHOWN);
  const deliveries = sandbox.deliveries().slice(0, SHOWN);
  const events = sandbox.events().reverse().slice(0, SHOWN);
  return pageAnswer(
    'Sandbox',
    html`<section aria-labelledby="top">
<h1 id="top">Merchant Invoicing sandbox</h1>
<dl><dt>API</dt><dd>${sandbox.url}</dd><dt>Clock</dt><dd>${sandbox.now().toISOString()}</dd></dl>
<form method="post" action="/_/advance" class="row" aria-label="Clock">
${STEPS.map((step) => html`<button name="duration" value="${step}">+ ${step}</button>`)}
</form>
</section>
<section aria-labelledby="invoices"><h2 id="invoices">Invoices</h2>
${table(['Order', 'Amount', 'State', 'Created', ''], invoices.map(invoiceRow), 'No invoice yet.')}</section>
<section aria-labelledby="deliveries"><h2 id="deliveries">Webhook deliveries</h2>
${table(['Event', 'To', 'State', 'Attempts', ''], deliveries.map(deliveryRow), 'No delivery yet.')}</section>
<section aria-labelledby="log"><h2 id="log">Log</h2>
${events.length === 0 ? html`<p class="soft">Nothing yet.</p>` : html`<pre>${events.map((event) => `${describeEvent(event)}\n`)}</pre>`}</section>`,
  );
}

function table(heads: readonly string[], rows: readonly Html[], empty: string): Html {
  if (rows.length === 0) return html`<p class="soft">${empty}</p>`;
  return html`<div class="wide" tabindex="0"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function invoiceRow(invoice: SandboxInvoice): Html {
  const { external_id, amount, currency, status, created_at, uuid } = invoice;
  const button = (
    action: string,
  ): Html => html`<form method="post" action="/_/${action}"><input type="hidden" name="ident" value="${uuid}">
<button aria-label="${action} ${external_id}">${action}</button></form> `;
  return html`<tr><td><a href="/pay/${uuid}"><bdi>${external_id}</bdi></a></td><td>${amount} ${currency.code}</td><td>${status}</td>
<td>${created_at.slice(0, 19).replace('T', ' ')}</td><td>${status === 'pending' && ['pay', 'fail', 'cancel', 'expire'].map(button)}</td></tr>`;
}

function deliveryRow(delivery: SandboxDelivery): Html {
  const {
    event_type,
    external_id,
    url,
    status,
    attempts,
    max_attempts,
    attempt_log,
    next_retry_at,
    invoice_uuid,
    body,
  } = delivery;
  return html`<tr><td>${event_type}<br><bdi>${external_id}</bdi></td><td>${url ?? 'nowhere'}</td>
<td>${status}${next_retry_at !== null && html`<br>next try ${next_retry_at.slice(11, 19)}`}</td>
<td>${attempts} of ${max_attempts}
<details><summary>attempts and body</summary><ol>${attempt_log.map(
    (
      attempt,
    ) => html`<li>${attempt.created_at.slice(11, 19)} ${attempt.triggered_by}: ${attempt.success ? `${attempt.status_code}` : attempt.error}, ${attempt.duration_ms} ms
${attempt.response_body && html`<pre dir="auto">${attempt.response_body}</pre>`}</li>`,
  )}</ol><pre>${body}</pre></details></td>
<td><form method="post" action="/_/resend"><input type="hidden" name="ident" value="${invoice_uuid}"><button aria-label="resend ${external_id}">resend</button></form></td></tr>`;
}
