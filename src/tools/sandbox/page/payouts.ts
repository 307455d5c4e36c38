import { html } from '../../html.ts';
import { withdrawalsInOrder } from '../business/withdrawals.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { World } from '../world.ts';
import { actionForm, brief, moment, money, nothing, type Tone, table, tag } from './elements.ts';
import { dashboardPage } from './frame.ts';

const TONES: Readonly<Record<string, Tone>> = { pending: 'wait', approved: 'good', rejected: 'off' };

/** The withdrawals, and buttons that decide on them. */
export function payoutsPage(world: World, incoming: IncomingRequest): UnsentResponse {
  const rows = withdrawalsInOrder(world).map(
    ({ uuid, status, amount, amount_to_send, token, network, created_at, reject_reason }) => [
      html`<div>${tag(status[0]?.toUpperCase() + status.slice(1), TONES[status] ?? 'off')}${reject_reason !== null && html`<bdi class="soft small below">${reject_reason}</bdi>`}</div>`,
      html`<div>${money(amount ?? '0', token ?? '')}<span class="soft small below">sends ${money(amount_to_send ?? '0', token ?? '')} by ${network}</span></div>`,
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
