import { MAX_ATTEMPTS } from '../../delivery/deliveries.ts';
import { signedRequest } from '../../delivery/signed-request.ts';
import type { Answer } from '../../service/respond.ts';
import type { Exchange } from '../../service/service.ts';
import type { DeliveryRecord } from '../../state/records.ts';
import type { SandboxAttempt } from '../../wire-types.ts';
import type { World } from '../../world.ts';
import { actionForm, dashboardPage } from '../dashboard-frame.ts';
import { copyBlock } from '../parts/copy.ts';
import { type Html, html, indented } from '../parts/html.ts';
import { pill } from '../parts/table.ts';
import { moment, span } from '../parts/time.ts';
import { curlCommand, testOf } from './copies.ts';
import { resendButton } from './deliveries-page.ts';

/** One delivery: its state, why it was refused, each attempt with request and answer, and copies as curl and test. */
export async function deliveryPage(world: World, exchange: Exchange, row: DeliveryRecord): Promise<Answer> {
  const { invoice, url, log, nextRetryAt } = row;
  const last = log.at(-1);
  const target = url ?? 'http://127.0.0.1:3000/webhook';
  const curl = curlCommand(await signedRequest(world.settings, row, target, world.settings.wallClock()), '-i');
  return dashboardPage(
    exchange,
    `${row.eventType} of ${invoice.external_id}`,
    html`<div class="stack tight"><h1>${row.eventType}</h1><p><a href="/invoices/${invoice.uuid}">Order <bdi>${invoice.external_id}</bdi></a></p></div>
<section class="card stack" id="state" aria-label="State" data-live><dl class="facts">
<dt>State</dt><dd>${pill(row.status)} ${row.made} of ${MAX_ATTEMPTS} attempts</dd>
<dt>To</dt><dd><code>${url ?? 'nowhere: neither the invoice nor the business has a callback URL'}</code></dd>
<dt>Delivery id</dt><dd><code>${row.id}</code></dd>
${nextRetryAt !== null && html`<dt>Next try</dt><dd>in ${span(nextRetryAt - world.clock.now())}, at ${moment(nextRetryAt)}</dd>`}
${row.deliveredAt !== null && html`<dt>Delivered</dt><dd>${moment(row.deliveredAt)}</dd>`}
</dl>
${last?.why && html`<p class="notice ${last.success ? '' : 'bad'}"><strong>Why:</strong> <bdi>${last.why}</bdi></p>`}
${row.finding !== null && html`<p class="notice">${row.finding}</p>`}
<div class="row">${url !== null && resendButton(row, exchange)}${hasCause(row) && searchButton(row, exchange)}</div></section>
<section class="card stack" id="tries" aria-labelledby="attempts" data-live><h2 id="attempts">Attempts</h2>
${log.length < row.made && html`<p class="soft small">The latest ${log.length} of ${row.made} are stored.</p>`}
${log.length === 0 ? html`<p class="soft">${row.attempt === null ? 'None.' : 'The first is in progress.'}</p>` : html`<ol class="line">${[...log].reverse().map((attempt, at) => attemptItem(attempt, row.made - at, at === 0))}</ol>`}</section>
<section class="card stack" aria-labelledby="body"><h2 id="body">Body</h2>
<pre dir="auto">${indented(row.body)}</pre>
<details><summary>The bytes as they are signed and sent</summary><div class="stack tight"><p class="soft small">Every attempt sends the same bytes.</p><pre dir="auto" id="raw-body">${row.body}</pre></div></details></section>
<section class="card stack" aria-labelledby="again"><h2 id="again">Do it again</h2>
${copyBlock('curl', 'Copy as curl', 'Signed when this page was made. A receiver that checks the age accepts it for about 5 minutes.', curl)}
${copyBlock('test', 'Copy as test', 'Passes unchanged and needs no port. Replace receive with your endpoint.', testOf(world, invoice))}</section>`,
  );
}

function hasCause({ log, attempt }: DeliveryRecord): boolean {
  const last = log.at(-1);
  return attempt === null && last !== undefined && !last.success && last.status_code !== null;
}

function searchButton({ invoice }: DeliveryRecord, exchange: Exchange): Html {
  const button = html`<button aria-describedby="search-what">Search for the cause</button>`;
  return html`${actionForm(exchange, 'explain', button, { ident: invoice.uuid })}
<p class="soft small" id="search-what">Sends up to 25 requests. Each is accepted only by a receiver with one particular mistake.</p>`;
}

function attemptItem(attempt: SandboxAttempt, number: number, open: boolean): Html {
  const { success, status_code, error, duration_ms, triggered_by, created_at, request, why, fault } = attempt;
  return html`<li class="${success ? 'good' : 'bad'}"><div class="stack tight">
<h3>Try ${number}: ${success ? `${status_code}, delivered` : error}</h3>
<p class="soft small num">${moment(created_at)} · ${duration_ms} ms · ${triggered_by === 'manual' ? 'resent manually' : 'on schedule'}${fault !== null && html` · <span class="pill">fault: ${fault}</span>`}</p>
${why !== null && !open && html`<p><strong>Why:</strong> <bdi>${why}</bdi></p>`}
<details${open && html` open`}><summary>What was sent and answered</summary><div class="stack tight">
${request === null ? html`<p class="soft">Nothing was sent.</p>` : html`<pre>${request.method} ${request.url}\n${lines(request.headers)}</pre>`}
${answer(attempt)}</div></details></div></li>`;
}

function answer({ status_code, response_headers, response_body }: SandboxAttempt): Html {
  if (status_code === null) return html`<p class="soft">No answer.</p>`;
  return html`<pre class="scroll" dir="auto" tabindex="0" role="group" aria-label="Answer">${status_code}\n${lines(response_headers ?? {})}\n\n${response_body}</pre>`;
}

function lines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
