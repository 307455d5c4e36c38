import { MAX_ATTEMPTS } from '../../delivery/deliveries.ts';
import type { Answer } from '../../service/respond.ts';
import type { Exchange } from '../../service/service.ts';
import type { DeliveryRecord } from '../../state/store.ts';
import type { World } from '../../world.ts';
import { backField, dashboardPage } from '../dashboard-frame.ts';
import { choice } from '../invoices-page.ts';
import { type Html, html } from '../parts/html.ts';
import { span } from '../parts/moments.ts';
import { PAGE_SIZE, pageAsked, pager } from '../parts/pager.ts';
import { pill, table } from '../parts/table.ts';

/** The inbox of webhooks, newest first. */
export function deliveriesPage(world: World, exchange: Exchange): Answer {
  const status = exchange.url.searchParams.get('status') || null;
  const rows = world.store.deliveries().reverse();
  const found = status === null ? rows : rows.filter((row) => row.status === status);
  const from = (pageAsked(exchange) - 1) * PAGE_SIZE;
  return dashboardPage(
    exchange,
    'Deliveries',
    html`<h1>Webhook deliveries</h1>
<form method="get" action="/deliveries" class="grid" role="search" aria-label="Deliveries">
${choice('status', 'State', ['pending', 'delivering', 'delivered', 'failed'], status)}<button>Filter</button></form>
<section class="card" aria-label="Deliveries found">${deliveryTable(world, found.slice(from, from + PAGE_SIZE), exchange, 'No delivery fits.')}</section>
${pager(exchange, found.length)}`,
  );
}

const COLUMNS = [
  { head: 'Event', silent: true },
  { head: 'To' },
  { head: 'State', silent: true },
  { head: 'Last attempt' },
  { head: 'Actions', silent: true },
];

export function deliveryTable(world: World, rows: readonly DeliveryRecord[], exchange: Exchange, empty: string): Html {
  return table(
    COLUMNS,
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
  if (attempt !== null) return html`under way`;
  if (last === undefined) return html`none`;
  const outcome = last.success ? `${last.status_code} in ${last.duration_ms} ms` : last.error;
  return html`<span class="${last.success ? '' : 'bad'}"><bdi>${outcome}</bdi></span>${last.why !== null && html`<br><span class="small"><bdi>${last.why}</bdi></span>`}`;
}

export function resendButton(row: DeliveryRecord, exchange: Exchange, small = false): Html {
  return html`<form method="post" action="/_/resend">${backField(exchange)}<input type="hidden" name="ident" value="${row.invoice.uuid}">
<button${small && html` class="small" aria-label="resend ${row.invoice.external_id}"`}>${small ? 'resend' : row.retry === null ? 'Send it again' : 'Send it now'}</button></form>`;
}
