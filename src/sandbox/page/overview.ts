import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { DeliveryRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import { card, deliveryState, nothing, shortened, span, stateTag, tag } from './elements.ts';
import { activeFaults, faultButtons } from './faults.ts';
import { dashboardPage } from './frame.ts';
import { latest } from './history.ts';
import { type Html, html } from './html.ts';
import { invoiceTable, NO_INVOICE } from './invoices.ts';

const INVOICES = 5;
const EVENTS = 8;
const PROBLEMS = 3;

const COPY_ENV = html`<button type="button" class="small" data-copy-from="env-text" data-scripted hidden>Copy</button>`;

/** The page at `/`: what is wrong now, what happened last, and how to connect a backend. */
export function overviewPage(world: World, exchange: Exchange): Answer {
  const invoices = world.store.list().part(0, INVOICES, 'newest');
  const link = (path: string, text: string): { readonly aside: Html; readonly live: true } => ({
    aside: html`<a href="${path}">${text}</a>`,
    live: true,
  });
  return dashboardPage(world, exchange, {
    title: 'Overview',
    content: html`<div class="split">${card('wrong', 'What is wrong now', problems(world, exchange), { live: true })}
${card('connect', 'Connect your backend', credentials(world, exchange), { aside: COPY_ENV })}</div>
${card('newest', 'Latest invoices', invoiceTable(invoices, exchange, NO_INVOICE), link('/invoices', 'All invoices'))}
<div class="split">${card('happened', 'What happened last', latest(world, EVENTS), link('/requests', 'All requests'))}
${card('try', 'Try what can go wrong', html`<p class="soft small">Applies to the next request, or the next webhook.</p>${faultButtons(exchange)}`, { aside: html`<a href="/faults">All faults</a>` })}</div>`,
  });
}

/** Failing deliveries, active faults and a clock that is ahead of the world. */
function problems(world: World, exchange: Exchange): Html {
  const failing = world.store.deliveries().reverse().filter(isFailing);
  const ahead = world.clock.now() - world.settings.wallClock();
  const faults = activeFaults(world, exchange);
  const items = [
    ...failing.slice(0, PROBLEMS).map((row) => failure(world, row)),
    ...(failing.length > PROBLEMS
      ? [html`<a href="/deliveries?state=failed">${failing.length - PROBLEMS} more deliveries fail</a>`]
      : []),
    ...(faults === null ? [] : [faults]),
    ...(ahead > 60_000
      ? [html`${tag('Clock', 'warn')} The clock of the sandbox is ${span(ahead)} ahead of the real time.`]
      : []),
  ];
  if (items.length === 0)
    return nothing('Nothing is wrong', 'No webhook fails, no fault is active, and the clock is not ahead.');
  return html`<ul class="items">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

function isFailing(row: DeliveryRecord): boolean {
  return row.attempt === null && ['retrying', 'failed'].includes(deliveryState(row));
}

function failure(world: World, row: DeliveryRecord): Html {
  const last = row.log.at(-1);
  const next = row.nextRetryAt === null ? 'no further try' : `next try in ${span(row.nextRetryAt - world.clock.now())}`;
  return html`${stateTag(deliveryState(row))} <a href="/deliveries/${row.id}">${row.eventType}</a> of <bdi>${shortened(row.invoice.external_id)}</bdi>: <bdi>${last?.error ?? 'not sent'}</bdi>, ${next}${last?.why && html`<br><bdi class="soft small">${last.why}</bdi>`}`;
}

/** The values that are the same in every sandbox, so that anybody may see them. */
const PUBLIC: ReadonlySet<string> = new Set(['sk_sandbox', 'whsec_sandbox']);

/** Base URL, key and secret as lines of an `.env` file. Values that the user gave are shown only on request. */
function credentials(world: World, { url }: Exchange): Html {
  const { apiKey, webhookSecret } = world.settings;
  const isAsked = url.searchParams.get('secrets') === 'shown';
  const hides = !isAsked && !(PUBLIC.has(apiKey) && PUBLIC.has(webhookSecret));
  const shown = (value: string): string => (isAsked || PUBLIC.has(value) ? value : '(given with an option)');
  const values = {
    MERCHANT_BASE_URL: world.url,
    MERCHANT_API_KEY: shown(apiKey),
    MERCHANT_WEBHOOK_SECRET: shown(webhookSecret),
  };
  const text = Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
  return html`<p class="soft small">The lines of an <code>.env</code> file.</p>
<pre id="env-text" class="scroll" tabindex="0" role="group" aria-label="Environment">${text}</pre>
${hides && html`<p class="small"><a href="/?secrets=shown">Show the key and the secret</a></p>`}`;
}
