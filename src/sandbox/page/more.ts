import { freshRates } from '../business/methods-and-rates.ts';
import { DIALECTS, type Dialect, type DialectEntry } from '../dialects.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import { withdrawalsInOrder } from '../service/write-resources.ts';
import type { SandboxWithdrawal } from '../wire-types.ts';
import type { World } from '../world.ts';
import { actionForm, grouped, idText, moment, money, nothing, shortened, stateTag, table, tag } from './elements.ts';
import { dashboardPage } from './frame.ts';
import { type Html, html, withCode } from './html.ts';

// The pages under “More”: withdrawals, payment methods, rates, dialects.

/** The withdrawals. A pending one can be approved or rejected. */
export function withdrawalsPage(world: World, exchange: Exchange): Answer {
  const rows = withdrawalsInOrder(world).map((row) => [
    html`${idText(row.uuid)}<br><bdi class="soft small" title="${row.actor}">${shortened(row.actor ?? '')}</bdi>`,
    html`${stateTag(row.status)}${row.reject_reason !== null && html`<br><bdi class="soft small wrap">${row.reject_reason}</bdi>`}`,
    html`${money(row.amount ?? '', row.token ?? '')}<br><span class="soft small">sends ${grouped(row.amount_to_send ?? '')} by ${row.network}</span>`,
    moment(row.created_at),
    row.status === 'pending' ? decisions(row, exchange) : html``,
  ]);
  const columns = [
    'Withdrawal',
    'State',
    { head: 'Amount', as: 'number' },
    { head: 'Created', as: 'number' },
    { head: 'Actions', as: 'end' },
  ] as const;
  return dashboardPage(world, exchange, {
    title: 'Withdrawals',
    content: html`<section class="card flush" id="rows" aria-label="Withdrawals" data-live>${table(columns, rows, nothing('No withdrawal', 'The option withdrawals gives some.'))}</section>`,
  });
}

function decisions({ uuid }: SandboxWithdrawal, exchange: Exchange): Html {
  return html`${['Approve', 'Reject'].map((word) =>
    actionForm(
      exchange,
      word.toLowerCase(),
      html`<button class="small" aria-label="${word} ${uuid}">${word}</button>`,
      { hidden: { ident: uuid } },
    ),
  )}`;
}

/** The payment methods with range and commission. */
export function methodsPage(world: World, exchange: Exchange): Answer {
  const rows = world.settings.methods.map((method) => [
    html`<bdi title="${method.name}">${shortened(method.name)}</bdi>`,
    html`${method.id}`,
    money(method.min_amount, method.currency.code),
    money(method.max_amount, method.currency.code),
    html`${method.client_commission_percent} %`,
    html`${method.merchant_commission_percent} %`,
  ]);
  const heads = ['Id', 'From', 'To', 'Customer’s fee', 'Merchant’s fee'].map(
    (head) => ({ head, as: 'number' }) as const,
  );
  return dashboardPage(world, exchange, {
    title: 'Methods',
    heading: html`Payment methods`,
    content: html`<p class="soft">The currencies and amounts that can be charged: <code>paymentMethods.forCharge</code>.</p>
<section class="card flush" aria-label="Payment methods">${table(['Method', ...heads], rows, nothing('No method', 'The option methods gives some.'))}</section>`,
  });
}

/** The rates, and those that the list leaves out. */
export function ratesPage(world: World, exchange: Exchange): Answer {
  const fresh = new Set(freshRates(world));
  const rows = world.settings.rates.map((rate) => [
    html`${rate.fiat}`,
    html`${rate.side}`,
    html`<bdi>${shortened(rate.platform)}</bdi>`,
    fresh.has(rate) ? html`${rate.price}` : html`<span class="soft">no fresh data: not in the list</span>`,
  ]);
  return dashboardPage(world, exchange, {
    title: 'Rates',
    content: html`<p class="soft">Fiat for one USDT. Payments are credited at the first buying rate of their currency.</p>
<section class="card flush" aria-label="Rates">${table(['Currency', 'Side', 'Source', { head: 'Price', as: 'number' }], rows, nothing('No rate', 'The option rates gives some.'))}</section>`,
  });
}

/** The points that the interface leaves open, and how this sandbox answers them. */
export function dialectsPage(world: World, exchange: Exchange): Answer {
  const entries = Object.entries(DIALECTS) as [keyof Dialect, DialectEntry][]; // a key of the table is a key of the dialect
  const rows = entries.map(([name, { unsaid, values, default: byDefault, tests }]) => {
    const value = world.settings.dialect[name];
    const shown = (each: string | number): string => (each === '' ? '(empty)' : String(each));
    const others = values.filter((each) => each !== value).map(shown);
    return [
      html`<code>${name}</code>`,
      html`${withCode(unsaid)}<br><span class="soft small">Tests ${withCode(tests)}.</span>`,
      html`<code>${shown(value)}</code>${value !== byDefault && html` ${tag('changed', 'warn')}`}`,
      html`<span class="soft">${others.join(', ')}</span>`,
    ];
  });
  return dashboardPage(world, exchange, {
    title: 'Dialects',
    content: html`<p class="soft">The interface of the service leaves these points open. A test sets them with the option <code>dialect</code>.</p>
<section class="card flush" aria-label="Dialects">${table(['Name', { head: 'What is open', as: 'wide' }, 'Here', { head: 'Other values', as: 'wide' }], rows, nothing('None', ''))}</section>`,
  });
}
