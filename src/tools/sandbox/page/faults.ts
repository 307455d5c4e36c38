import { endpoints } from '../../../contract/endpoints.ts';
import { type Html, html, type Part } from '../../html.ts';
import type { IncomingRequest } from '../service/service.ts';
import { DELIVERY_FAULTS, FAULTS, type FaultType, REQUEST_FAULTS } from '../state/faults.ts';
import type { World } from '../world.ts';
import { actionForm, field, nothing, section, selectField, span } from './elements.ts';
import { refusalOf } from './refusals.ts';

/** The page of all faults: what is active, and a button for each. */
export function faultsContent(world: World, incoming: IncomingRequest): Html {
  const none = nothing('No fault is active', 'Everything works. Choose below what is to go wrong.');
  const refusal = refusalOf(world, incoming);
  const typed = (name: string): string => refusal?.typed[name] ?? '';
  const problem = refusal?.fields.find(({ name }) => name === 'times')?.problem;
  const isWebhook = DELIVERY_FAULTS.some((type) => type === typed('type'));
  const times = (id: string, isMine: boolean): Html =>
    field({
      id,
      name: 'times',
      label: 'How often',
      value: (isMine && typed('times')) || '1',
      numeric: true,
      problem: isMine ? problem : null,
      focus: isMine && problem !== undefined,
    });
  const order = (id: string, isMine: boolean): Html =>
    field({ id, name: 'order', label: 'Only order', value: isMine ? typed('order') : '', hint: 'Empty: any order.' });
  const operation = selectField('operation', 'Operation', ['', ...Object.keys(endpoints)], typed('operation'));
  const rates = ['0.05', '0.2', '0.5'].map(
    (rate) => html`<button name="rate" value="${rate}">${Number(rate) * 100} %</button>`,
  );
  return html`${section('active', 'Active', activeFaults(world, incoming) ?? none)}
${section('api', 'The next request to the API', faultButtons(incoming, 'Faults of requests', REQUEST_FAULTS, [operation, times('times', !isWebhook), order('order', !isWebhook)]))}
${section('webhook', 'The next webhook', faultButtons(incoming, 'Faults of webhooks', DELIVERY_FAULTS, [times('webhook-times', isWebhook), order('webhook-order', isWebhook)]))}
${section(
  'chance',
  'At random',
  html`<p class="soft small">Each request fails with this probability, with any fault except hang.</p>
${actionForm(incoming, 'fault', rates, { look: 'row', label: 'Random faults', hidden: { type: 'random' } })}`,
)}`;
}

/** The active faults, and a button that clears them. Null if no fault is active. */
export function activeFaults({ faults, clock }: World, incoming: IncomingRequest): Html | null {
  const items = faults.queued().map(({ fault: { type }, operation, order, until, times, rate }) => {
    const count = times === Number.POSITIVE_INFINITY ? 'until cleared' : times === 1 ? 'once' : `${times} times`;
    const often = until === null ? count : `for ${span(until - clock.now())}`;
    const share = rate < 1 && `, with ${Math.round(rate * 100)} %`;
    return html`<li><strong>${FAULTS[type].effect}</strong> <code class="soft">${type}</code>${operation && `, ${operation}`}${order && html`, order <bdi>${order}</bdi>`}, ${often}${share}</li>`;
  });
  if (items.length === 0) return null;
  const clear = html`<button name="type" value="clear">Clear all faults</button>`;
  return html`<ul class="stack small">${items}</ul>${actionForm(incoming, 'fault', clear)}`;
}

/** A button for each fault with its effect, below the fields that are sent with it. */
export function faultButtons(
  incoming: IncomingRequest,
  label: string,
  types: readonly FaultType[],
  fields: readonly Part[] = [],
): Html {
  const buttons = types.map(
    (type) =>
      html`<li><button name="type" value="${type}"><span>${FAULTS[type].effect}</span> <code class="soft">${type}</code></button></li>`,
  );
  return actionForm(
    incoming,
    'fault',
    html`${fields.length > 0 && html`<div class="grid">${fields}</div>`}<ul class="choices">${buttons}</ul>`,
    { label, look: 'stack' },
  );
}
