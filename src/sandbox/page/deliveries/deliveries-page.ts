// The folder `deliveries` shows webhook deliveries: the list, one delivery, and its copies as curl and as a test.
import { DELIVERY_STATUSES } from '../../../contract/statuses.ts';
import { MAX_ATTEMPTS } from '../../delivery/deliveries.ts';
import type { Answer } from '../../service/respond.ts';
import type { Exchange } from '../../service/service.ts';
import type { DeliveryRecord } from '../../state/records.ts';
import type { World } from '../../world.ts';
import { actionForm, dashboardPage, selectField } from '../dashboard-frame.ts';
import { type Html, html } from '../parts/html.ts';
import { pager, pill, rangeOf, table } from '../parts/table.ts';
import { span } from '../parts/time.ts';

/** The deliveries of webhooks, newest first. */
export function deliveriesPage(world: World, exchange: Exchange): Answer {
  const status = exchange.url.searchParams.get('status') || null;
  const rows = world.store.deliveries().reverse();
  const found = status === null ? rows : rows.filter((row) => row.status === status);
  return dashboardPage(
    exchange,
    'Deliveries',
    html`<h1>Webhook deliveries</h1>
<form method="get" action="/deliveries" class="grid" role="search" aria-label="Deliveries">
${selectField('status', 'State', DELIVERY_STATUSES, status)}<button>Filter</button></form>
<section class="card" id="rows" aria-label="Deliveries found" data-live>${deliveryTable(world, found.slice(...rangeOf(exchange)), exchange, 'No delivery matches.')}</section>
${pager(exchange, found.length)}`,
  );
}

const HEADS = [{ silent: 'Event' }, 'To', { silent: 'State' }, 'Last attempt', { silent: 'Actions' }];

export function deliveryTable(world: World, rows: readonly DeliveryRecord[], exchange: Exchange, empty: string): Html {
  return table(
    HEADS,
    rows.map((row) => [
      html`<a href="/deliveries/${row.id}">${row.eventType}</a><br><span class="soft small"><bdi>${row.invoice.external_id}</bdi></span>`,
      html`<span class="small any">${row.url ?? 'nowhere'}</span>`,
      html`${pill(row.status)}<br><span class="small soft">${row.made} of ${MAX_ATTEMPTS}${row.nextRetryAt !== null && html`, next try ${clockTime(row.nextRetryAt)}, in ${span(row.nextRetryAt - world.clock.now())}`}</span>`,
      lastAttempt(row),
      resendButton(row, exchange, true),
    ]),
    empty,
  );
}

function clockTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

function lastAttempt({ log, attempt }: DeliveryRecord): Html {
  const last = log.at(-1);
  if (attempt !== null) return html`in progress`;
  if (last === undefined) return html`none`;
  const outcome = last.success ? `${last.status_code} in ${last.duration_ms} ms` : last.error;
  return html`<span class="${last.success ? '' : 'bad'}"><bdi>${outcome}</bdi></span>${last.why !== null && html`<br><span class="small"><bdi>${last.why}</bdi></span>`}`;
}

export function resendButton({ invoice, retry }: DeliveryRecord, exchange: Exchange, small = false): Html {
  const button = small
    ? html`<button class="small" aria-label="resend ${invoice.external_id}">resend</button>`
    : html`<button>${retry === null ? 'Send it again' : 'Send it now'}</button>`;
  return actionForm(exchange, 'resend', button, { ident: invoice.uuid });
}
