import { withdrawalsInOrder } from '../business/withdrawals.ts';
import { DIALECTS, type Dialect, type DialectEntry } from '../dialects.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { World } from '../world.ts';
import { actionForm, brief, moment, money, nothing, section, type Tone, table, tag } from './elements.ts';
import { dashboardPage } from './frame.ts';
import { html } from './html.ts';

const TONES: Readonly<Record<string, Tone>> = { pending: 'wait', approved: 'good', rejected: 'off' };

/** The withdrawals, and buttons that decide on them. */
export function payoutsPage(world: World, incoming: IncomingRequest): UnsentResponse {
  const rows = withdrawalsInOrder(world).map(
    ({ uuid, status, amount, amount_to_send, token, network, created_at, reject_reason }) => [
      html`${tag(status[0]?.toUpperCase() + status.slice(1), TONES[status] ?? 'off')}${reject_reason !== null && html`<br><bdi class="soft small">${reject_reason}</bdi>`}`,
      html`${money(amount ?? '0', token ?? '')}<br><span class="soft small">sends ${amount_to_send} by ${network}</span>`,
      html`<span class="mono">${brief(uuid)}</span>`,
      created_at && moment(created_at),
      status === 'pending' &&
        html`<div class="row pair">${['Approve', 'Reject'].map((word) => actionForm(incoming, word.toLowerCase(), html`<button aria-label="${word} ${uuid}">${word}</button>`, { hidden: { ident: uuid } }))}</div>`,
    ],
  );
  const content =
    rows.length === 0
      ? nothing('No payouts', 'The option withdrawals gives some.')
      : table(['State', 'Amount', 'Id', 'Created', ''], rows);
  return dashboardPage(world, incoming, {
    title: 'Payouts',
    content: html`<p class="soft">The withdrawals of the interface. They have no webhook.</p><section class="card" id="rows" aria-label="Payouts" data-live>${content}</section>`,
  });
}

/** What this sandbox offers and assumes: methods, rates, and the open points of the interface. */
export function referencePage(world: World, incoming: IncomingRequest): UnsentResponse {
  const { methods, rates, dialect } = world.settings;
  const open = Object.entries(DIALECTS) as [keyof Dialect, DialectEntry][]; // a key of the table is a key of the dialect
  return dashboardPage(world, incoming, {
    title: 'Reference',
    content: html`${section(
      'methods',
      'Payment methods',
      table(
        ['Method', 'Id', 'From', 'To', 'Customer’s fee', 'Merchant’s fee'],
        methods.map((row) => [
          brief(row.name),
          row.id,
          money(row.min_amount, row.currency.code),
          money(row.max_amount, row.currency.code),
          `${row.client_commission_percent} %`,
          `${row.merchant_commission_percent} %`,
        ]),
      ),
    )}
${section(
  'rates',
  'Rates',
  html`<p class="soft small">Fiat for one USDT. Payments are credited at the first buying rate of their currency.</p>${table(
    ['Currency', 'Side', 'Source', 'Price'],
    rates.map((row) => [
      row.fiat,
      row.side,
      brief(row.platform),
      row.price ?? html`<span class="soft">no fresh data: not in the list</span>`,
    ]),
  )}`,
)}
${section(
  'open',
  'Open points of the interface',
  html`<p class="soft small">A test sets them with the option <code>dialect</code>, the command line with <code>sandbox assume</code>.</p>${table(
    ['Name', 'What is open', 'Here', 'Other values'],
    open.map(([name, { values, openPoint, default: usual }]) => [
      html`<code>${name}</code>`,
      openPoint,
      html`<code>${dialect[name]}</code> ${dialect[name] !== usual && tag('changed', 'warn')}`,
      html`<span class="soft">${values.filter((value) => value !== dialect[name]).join(', ')}</span>`,
    ]),
  )}`,
)}`,
  });
}
