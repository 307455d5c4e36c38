import { endpoints } from '../../contract/endpoints.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import { DELIVERY_FAULTS, type FaultType, REQUEST_FAULTS } from '../state/faults.ts';
import type { World } from '../world.ts';
import { actionForm, card, field, nothing, selectField, tag } from './elements.ts';
import { dashboardPage } from './frame.ts';
import { type Html, html } from './html.ts';

const EFFECTS: Readonly<Record<FaultType, string>> = {
  rate_limit: 'refused with a rate limit',
  server_error: '503 instead of the work',
  html: 'a proxy’s page with 502',
  hang: 'no answer at all',
  reset_before: 'connection breaks before the work',
  reset_after: 'connection breaks after the work',
  truncated: 'half of the answer',
  malformed: 'an answer that is not JSON',
  slow: 'the answer in slow pieces',
  wrong_signature: 'signed with another secret',
  late_timestamp: 'ten minutes old',
  duplicate: 'sent twice',
  reserialized: 'body rewritten after signing',
  ack_lost: 'received, and the answer is lost',
  hold: 'held for ten minutes',
  outage: 'endpoint out of reach for an hour',
};

/** The active faults, and a button for each fault. */
export function faultsPage(world: World, exchange: Exchange): Answer {
  const none = nothing('No fault is active', 'Everything works. Choose below what is to go wrong.');
  const times = (id: string): Html => field({ id, name: 'times', label: 'How often', value: '1', numeric: true });
  const operation = selectField('operation', 'Operation', ['', ...Object.keys(endpoints)]);
  const rates = ['0.05', '0.2', '0.5'].map(
    (rate) => html`<button name="rate" value="${rate}">${Number(rate) * 100} %</button>`,
  );
  return dashboardPage(world, exchange, {
    title: 'Faults',
    content: html`${card('active', 'Active', activeFaults(world, exchange) ?? none)}
${card('api', 'For the next request to the API', faultForm(exchange, 'Faults of requests', REQUEST_FAULTS, html`${operation}${times('times')}`))}
${card('webhook', 'For the next webhook', faultForm(exchange, 'Faults of webhooks', DELIVERY_FAULTS, times('webhook-times')))}
${card(
  'chance',
  'At random',
  html`<p class="soft small">Each request fails with this probability, with any fault except hang.</p>
${actionForm(exchange, 'fault', html`${rates}`, { layout: 'row', label: 'Random faults', hidden: { type: 'random' } })}`,
)}`,
  });
}

/** A chip for each active fault, and a button that clears them. Null if there is none. */
export function activeFaults({ faults }: World, exchange: Exchange): Html | null {
  const chips = faults.queued().map(({ fault: { type }, operation, times, rate }) => {
    const count = times === Number.POSITIVE_INFINITY ? 'until cleared' : times === 1 ? 'once' : `${times} times`;
    const share = rate < 1 && `, with ${Math.round(rate * 100)} %`;
    return html`<li>${tag(type, 'warn')} ${EFFECTS[type]}: ${operation ?? 'the next one'}, ${count}${share}</li>`;
  });
  if (faults.chance !== null)
    chips.push(html`<li>${tag('random', 'warn')} ${Math.round(faults.chance.rate * 100)} % of the requests</li>`);
  if (chips.length === 0) return null;
  const clear = html`<button class="small" name="type" value="clear">Clear all faults</button>`;
  return html`<div class="row apart"><ul class="faults">${chips}</ul>${actionForm(exchange, 'fault', clear)}</div>`;
}

/** A button for each fault with its effect, below the fields that are sent with it. */
export function faultForm(exchange: Exchange, label: string, types: readonly FaultType[], fields?: Html): Html {
  const buttons = types.map(
    (type) =>
      html`<div><button name="type" value="${type}" aria-describedby="${type}-what">${type}</button><p class="soft small" id="${type}-what">${EFFECTS[type]}</p></div>`,
  );
  const content = html`${fields && html`<div class="grid short">${fields}</div>`}<div class="grid buttons">${buttons}</div>`;
  return actionForm(exchange, 'fault', content, { layout: 'stack', label });
}
