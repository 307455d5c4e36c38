import { isSandboxSecret } from '../../environment.ts';
import { sentenceOf } from '../../webhooks/diagnose.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { brief, card, deliveryState, nothing, span, stateTag, table, tag } from './elements.ts';
import { activeFaults, faultForm } from './faults.ts';
import { dashboardPage } from './frame.ts';
import { latest } from './history.ts';
import { Html, html } from './html.ts';
import { invoiceColumns, NO_INVOICE } from './lists.ts';

/** The page at `/`: what is wrong now, what happened last, and how to connect a backend. */
export function overviewPage(world: World, exchange: Exchange): Answer {
  const invoices = world.store.invoices().slice(-5).reverse();
  const copy = html`<button type="button" class="small" data-copy-from="env-text" data-scripted hidden>Copy</button>`;
  const faults = html`<p class="soft small">Applies to the next request, or the next webhook.</p>
${faultForm(exchange, 'Faults', ['rate_limit', 'reset_after', 'wrong_signature', 'duplicate'])}`;
  return dashboardPage(world, exchange, {
    title: 'Overview',
    content: html`<div class="split">${card('wrong', 'What is wrong now', problems(world, exchange))}
${card('connect', 'Connect your backend', credentials(world, exchange), copy)}</div>
${card('newest', 'Latest invoices', table(invoiceColumns(exchange), invoices, NO_INVOICE), html`<a href="/invoices">All invoices</a>`)}
<div class="split">${card('happened', 'What happened last', latest(world, 8), html`<a href="/requests">All requests</a>`)}
${card('try', 'Try what can go wrong', faults, html`<a href="/faults">All faults</a>`)}</div>`,
  });
}

const PROBLEMS = 3;

/** Failing deliveries, active faults and a clock that is ahead of the world. */
function problems(world: World, exchange: Exchange): Html {
  const now = world.clock.now();
  const ahead = now - world.settings.wallClock();
  const failing = world.store.deliveries().filter((row) => /retrying|failed/.test(deliveryState(row)) && !row.attempt);
  const failures = failing.reverse().map((row) => {
    const { error, cause } = row.log.at(-1) ?? { error: 'not sent', cause: null };
    const why = cause && sentenceOf(cause);
    const next = row.nextRetryAt === null ? 'no further try' : `next try in ${span(row.nextRetryAt - now)}`;
    return html`${stateTag(deliveryState(row))} <a href="/deliveries/${row.id}">${row.eventType}</a> of ${brief(row.invoice.external_id)}: <bdi>${error}</bdi>, ${next}${why && html`<br><bdi class="soft small">${why}</bdi>`}`;
  });
  const more = failures.length - PROBLEMS;
  const items = [
    ...failures.slice(0, PROBLEMS),
    more > 0 && html`<a href="/deliveries?state=failed">${more} more deliveries fail</a>`,
    activeFaults(world, exchange),
    ahead > 60_000 && html`${tag('Clock', 'warn')} The clock of the sandbox is ${span(ahead)} ahead of the real time.`,
  ].filter((item) => item instanceof Html);
  if (items.length === 0)
    return nothing('Nothing is wrong', 'No webhook fails, no fault is active, and the clock is not ahead.');
  return html`<ul class="items">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

/** The values that are the same in every sandbox, so that anybody may see them. */
const PUBLIC: ReadonlySet<string> = new Set(['sk_sandbox', 'whsec_sandbox']);

/** Base URL, key and secret as lines of an `.env` file. Values that the user gave are shown only on request. */
function credentials({ url, settings: { apiKey, webhookSecret } }: World, exchange: Exchange): Html {
  const isShown = (value: string): boolean => PUBLIC.has(value) || exchange.url.searchParams.get('secrets') === 'shown';
  const shown = (value: string): string => (isShown(value) ? value : '(given with an option)');
  return html`<p class="soft small">The lines of an <code>.env</code> file.</p>
<pre id="env-text" class="scroll" tabindex="0" role="group" aria-label="Environment">MERCHANT_BASE_URL=${url}
MERCHANT_API_KEY=${shown(apiKey)}
MERCHANT_WEBHOOK_SECRET=${shown(webhookSecret)}${isSandboxSecret(webhookSecret) ? '\nMERCHANT_SANDBOX=1' : ''}</pre>
${!(isShown(apiKey) && isShown(webhookSecret)) && html`<p class="small"><a href="/?secrets=shown">Show the key and the secret</a></p>`}`;
}
