import { sentenceOf } from '../../webhooks/diagnose.ts';
import type { SandboxEvent } from '../state/log.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import { answerTag, brief, lookOf, moment, nothing, orderLink, paidState, type Tone } from './elements.ts';
import { type Html, html } from './html.ts';
import { isRefused, requestName } from './lists.ts';

/** What happened last, newest first. Requests of the dashboard itself are left out. */
export function latest(world: World, count: number): Html {
  const events = world.log.all();
  if (events.length === 0)
    return nothing('Nothing has happened yet', 'Requests, payments and webhooks appear here as they come.');
  return timeline(world, events.slice(-count));
}

/** What happened to an invoice, newest first: changes of its state, requests that name it, attempts of its webhooks. */
export function historyOf(world: World, invoice: InvoiceRecord): Html {
  const events = world.log.all().filter((event) => concerns(event, invoice));
  const isWhole = events[0]?.at === new Date(invoice.createdAt).toISOString();
  return html`${timeline(world, events)}${!isWhole && html`<p class="soft small">Older entries are gone: the log keeps the last 2,000 events.</p>`}`;
}

function concerns(event: SandboxEvent, { uuid, external_id }: InvoiceRecord): boolean {
  if (event.kind === 'invoice') return event.uuid === uuid;
  if (event.kind === 'attempt') return event.external_id === external_id;
  if (event.kind === 'note') return false;
  const ident = event.path.split('/')[5] ?? '';
  if (ident !== '') return [external_id, encodeURIComponent(external_id), uuid].includes(ident);
  return event.operation === 'invoices.create' && event.request_body.includes(JSON.stringify(external_id));
}

function timeline(world: World, events: readonly SandboxEvent[]): Html {
  const items = events.map((event) => {
    const [tone, text] = described(world, event);
    return html`<li class="${tone}"><p>${text}</p><p class="soft small">${moment(event.at)}</p></li>`;
  });
  return html`<ol class="line">${items.reverse()}</ol>`;
}

/** The colour of an event, and the event in a few words. */
function described(world: World, event: SandboxEvent): readonly [Tone, Html] {
  switch (event.kind) {
    case 'request': {
      const link = html`<a class="mono" href="/requests/${event.id}">${requestName(event)}</a>`;
      const code = event.code && html`<code>${event.code}</code>`;
      return [isRefused(event) ? 'bad' : 'off', html`${link} ${answerTag(event.status)} ${code}`];
    }
    case 'invoice': {
      const { from, to, why, uuid, paid } = event;
      const amount = world.store.byUuid(uuid)?.amount;
      const [word, tone] = lookOf(to !== 'success' || amount === undefined ? to : paidState(amount, paid ?? amount));
      const change = from === null ? 'Created' : from === to ? 'Corrected' : word; // a correction keeps the status
      return [tone, html`<strong>${change}</strong> ${orderLink(event)} <bdi>${why}</bdi>`];
    }
    case 'attempt': {
      const { attempt, max_attempts, success, status_code, error, cause } = event;
      const why = cause && sentenceOf(cause);
      return [
        success ? 'good' : 'bad',
        html`<a href="/deliveries/${event.delivery_id}">${event.event_type}</a> of ${brief(event.external_id)}, try ${attempt} of ${max_attempts}: <bdi>${success ? `${status_code}, delivered` : error}</bdi>${why && html`<br><bdi class="soft small">${why}</bdi>`}`,
      ];
    }
    case 'note':
      return ['warn', html`<bdi>${event.text}</bdi>`];
  }
}
