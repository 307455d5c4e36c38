import type { RequestEntry, SandboxEvent } from '../state/log.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import { answerTag, moment, nothing, paidState, shortened, type Tone, toneOf, wordOf } from './elements.ts';
import { type Html, html } from './html.ts';
import { requestName } from './requests.ts';

/** What happened last, newest first. Requests of the dashboard itself are left out. */
export function latest(world: World, count: number): Html {
  const events = world.log.all().filter((event) => event.kind !== 'request' || event.operation !== 'page');
  if (events.length === 0)
    return nothing('Nothing has happened yet', 'Requests, payments and webhooks appear here as they come.');
  return lines(world, events.slice(-count));
}

/** What happened to an invoice, newest first: changes of its state, requests that name it, attempts of its webhooks. */
export function historyOf(world: World, invoice: InvoiceRecord): Html {
  const events = world.log.all().filter((event) => concerns(event, invoice));
  if (events.length === 0) return nothing('Not kept', 'It is older than the log, which keeps the last 2,000 events.');
  const isKept = events[0]?.at === new Date(invoice.createdAt).toISOString();
  return html`${lines(world, events)}${!isKept && html`<p class="soft small">Older entries are no longer kept.</p>`}`;
}

function lines(world: World, events: readonly SandboxEvent[]): Html {
  return html`<ol class="line">${[...events].reverse().map((event) => {
    const [tone, text] = described(world, event);
    return html`<li class="${tone}"><p>${text}</p><p class="soft small">${moment(event.at)}</p></li>`;
  })}</ol>`;
}

/** The colour of an event, and the event in a few words. */
function described(world: World, event: SandboxEvent): readonly [Tone, Html] {
  switch (event.kind) {
    case 'request': {
      const isRefused = event.status === null || event.status >= 400;
      const link = html`<a class="mono" href="/requests/${event.id}">${requestName(event)}</a>`;
      const code = event.code !== null && html` <code>${event.code}</code>`;
      return [isRefused ? 'bad' : 'off', html`${link} ${answerTag(event.status)}${code}`];
    }
    case 'invoice': {
      const { from, to, why, uuid, external_id, paid } = event;
      const invoice = world.store.byUuid(uuid);
      const state = to === 'success' && invoice !== undefined ? paidState(invoice.amount, paid) : to;
      const change = from === null ? 'Created' : from === to ? 'Corrected' : wordOf(state); // a correction keeps the status
      const link = html`<a href="/invoices/${uuid}"><bdi>${shortened(external_id)}</bdi></a>`;
      return [toneOf(state), html`<strong>${change}</strong> ${link} <bdi>${why}</bdi>`];
    }
    case 'attempt': {
      const { delivery_id, event_type, attempt, max_attempts, success, status_code, error, why } = event;
      const outcome = success ? `${status_code}, delivered` : error;
      const link = html`<a href="/deliveries/${delivery_id}">${event_type}</a>`;
      const cause = why !== null && html`<br><bdi class="soft small">${why}</bdi>`;
      const text = html`${link} of <bdi>${shortened(event.external_id)}</bdi>, try ${attempt} of ${max_attempts}: <bdi>${outcome}</bdi>${cause}`;
      return [success ? 'good' : 'bad', text];
    }
    case 'note':
      return ['warn', html`<bdi>${event.text}</bdi>`];
  }
}

function concerns(event: SandboxEvent, invoice: InvoiceRecord): boolean {
  switch (event.kind) {
    case 'invoice':
      return event.uuid === invoice.uuid;
    case 'attempt':
      return event.external_id === invoice.external_id;
    case 'request':
      return namesInvoice(event, invoice);
    case 'note':
      return false;
  }
}

/** True for a request to the API whose path or body names the invoice. */
function namesInvoice({ operation, path, request_body }: RequestEntry, { uuid, external_id }: InvoiceRecord): boolean {
  if (operation === 'page' || operation === null) return false;
  try {
    if (operation === 'invoices.create')
      return (JSON.parse(request_body) as { readonly external_id?: unknown } | null)?.external_id === external_id; // any JSON
    const ident = decodeURIComponent(path.split('/')[5] ?? '');
    return ident === external_id || ident.toLowerCase() === uuid;
  } catch {
    return false; // not JSON, cut off, or no encoded text
  }
}
