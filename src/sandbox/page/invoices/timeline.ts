import type { RequestEntry, SandboxEvent } from '../../state/log.ts';
import type { InvoiceRecord } from '../../state/records.ts';
import type { World } from '../../world.ts';
import { type Html, html } from '../parts/html.ts';
import { moment } from '../parts/time.ts';

/** One entry of a timeline. */
interface Entry {
  readonly at: string;
  readonly tone: 'good' | 'bad' | '';
  readonly content: Html;
}

/** The history of an invoice, newest first: changes of its state, requests that name it, attempts of its webhooks. */
export function timeline(world: World, invoice: InvoiceRecord): Html {
  const entries = world.log.all().flatMap((event) => entryOf(event, invoice) ?? []);
  const isKept = entries[0]?.at === new Date(invoice.createdAt).toISOString();
  if (entries.length === 0)
    return html`<p class="soft">It is older than the log, which keeps the last 2,000 events.</p>`;
  return html`<ol class="line">${entries
    .reverse()
    .map(
      ({ at, tone, content }) =>
        html`<li class="${tone}"><div class="stack tight"><p>${content}</p><p class="soft small num">${moment(at)}</p></div></li>`,
    )}</ol>${!isKept && html`<p class="soft small">Older entries are no longer kept.</p>`}`;
}

function entryOf(event: SandboxEvent, invoice: InvoiceRecord): Entry | null {
  const { at } = event;
  switch (event.kind) {
    case 'invoice': {
      if (event.uuid !== invoice.uuid) return null;
      const { from, to, why } = event;
      const isSame = from === to; // a correction keeps the status
      const change = from === null ? 'created' : isSame ? 'corrected' : `${from} → ${to}`;
      const tone = to === 'success' ? 'good' : to === 'pending' ? '' : 'bad';
      return { at, tone, content: html`<strong>${change}</strong> <bdi>${why}</bdi>` };
    }
    case 'attempt': {
      if (event.external_id !== invoice.external_id) return null;
      const outcome = event.success ? `${event.status_code} delivered` : event.error;
      const content = html`<a href="/deliveries/${event.delivery_id}">${event.event_type}</a>, try ${event.attempt} of ${event.max_attempts}: <bdi>${outcome}</bdi>${event.why !== null && html` <bdi>${event.why}</bdi>`}`;
      return { at, tone: event.success ? 'good' : 'bad', content };
    }
    case 'request': {
      if (!namesInvoice(event, invoice)) return null;
      const isRefused = event.status === null || event.status >= 400;
      const content = html`<a class="mono any" href="/requests/${event.id}">${event.method} ${event.path.replace('/api/v1/external', '')}</a> ${event.status ?? 'no answer'}${event.code !== null && html` <code>${event.code}</code>`}`;
      return { at, tone: isRefused ? 'bad' : '', content };
    }
    default:
      return null;
  }
}

/** True for a request to the API whose path or body names the invoice. */
function namesInvoice({ operation, path, request_body }: RequestEntry, { uuid, external_id }: InvoiceRecord): boolean {
  if (operation === 'page' || operation === null) return false;
  if (operation === 'invoices.create') return createdId(request_body) === external_id;
  const ident = decoded(path.split('/')[5] ?? '');
  return ident === external_id || ident.toLowerCase() === uuid;
}

function createdId(body: string): unknown {
  try {
    return (JSON.parse(body) as { readonly external_id?: unknown } | null)?.external_id; // any JSON
  } catch {
    return undefined; // not JSON, or cut off
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
