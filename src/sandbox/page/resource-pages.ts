import { freshRates } from '../business/methods-and-rates.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import { withdrawalsInOrder } from '../service/write-resources.ts';
import type { SandboxWithdrawal } from '../wire-types.ts';
import type { World } from '../world.ts';
import { actionForm, dashboardPage } from './dashboard-frame.ts';
import { grouped } from './parts/amount.ts';
import { type Html, html } from './parts/html.ts';
import { pill, table } from './parts/table.ts';
import { moment } from './parts/time.ts';

// The pages of the other resources: withdrawals, payment methods, rates.

/** The withdrawals. A pending one can be approved or rejected. */
export function withdrawalsPage(world: World, exchange: Exchange): Answer {
  const rows = withdrawalsInOrder(world).map((row) => [
    html`<code class="any">${row.uuid}</code><br><span class="soft small"><bdi>${row.actor}</bdi></span>`,
    html`<span class="num">${grouped(row.amount ?? '')} ${row.token}</span><br><span class="soft small">${row.network}, sends ${grouped(row.amount_to_send ?? '')}</span>`,
    html`${pill(row.status)}${row.reject_reason !== null && html`<br><span class="small"><bdi>${row.reject_reason}</bdi></span>`}`,
    html`${moment(row.created_at)}`,
    row.status === 'pending' ? decisions(row, exchange) : html``,
  ]);
  const heads = [{ silent: 'Withdrawal' }, 'Amount', { silent: 'State' }, 'Created', { silent: 'Actions' }];
  return dashboardPage(
    exchange,
    'Withdrawals',
    html`<h1>Withdrawals</h1>
<section class="card" id="rows" aria-label="Withdrawals" data-live>${table(heads, rows, 'No withdrawal. The option withdrawals gives some.')}</section>`,
  );
}

function decisions({ uuid }: SandboxWithdrawal, exchange: Exchange): Html {
  return html`${actionForm(exchange, 'approve', html`<button class="small" aria-label="approve ${uuid}">approve</button>`, { ident: uuid })}
${actionForm(exchange, 'reject', html`<button class="small" aria-label="reject ${uuid}">reject</button>`, { ident: uuid })}`;
}

/** The payment methods with range and commission. */
export function methodsPage(world: World, exchange: Exchange): Answer {
  const rows = world.settings.methods.map((method) => [
    html`<bdi>${method.name}</bdi><br><span class="soft small">id ${method.id}</span>`,
    html`${method.currency.code}`,
    html`<span class="num">${grouped(method.min_amount)} to ${grouped(method.max_amount)}</span>`,
    html`<span class="num">${method.client_commission_percent} %</span>`,
    html`<span class="num">${method.merchant_commission_percent} %</span>`,
  ]);
  const heads = [{ silent: 'Method' }, 'Currency', 'Takes', 'Customer’s fee', 'Merchant’s fee'];
  return dashboardPage(
    exchange,
    'Methods',
    html`<h1>Payment methods</h1>
<p>These currencies and amounts can be charged. Ask for them before you create an invoice: <code>paymentMethods.forCharge</code>.</p>
<section class="card" aria-label="Payment methods">${table(heads, rows, 'No method. The option methods gives some.')}</section>`,
  );
}

/** The rates, and those that the list leaves out. */
export function ratesPage(world: World, exchange: Exchange): Answer {
  const fresh = new Set(freshRates(world));
  const rows = world.settings.rates.map((rate) => [
    html`${rate.fiat}`,
    html`${rate.side}`,
    html`<bdi>${rate.platform}</bdi>`,
    fresh.has(rate)
      ? html`<span class="num">${rate.price}</span>`
      : html`<span class="soft">no fresh data: not in the list</span>`,
  ]);
  return dashboardPage(
    exchange,
    'Rates',
    html`<h1>Rates</h1>
<p>Fiat for one USDT. Payments are credited at the first buying rate of their currency.</p>
<section class="card" aria-label="Rates">${table(['Currency', 'Side', 'Source', 'Price'], rows, 'No rate. The option rates gives some.')}</section>`,
  );
}
