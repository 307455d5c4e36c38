import { endpoints } from '../../contract/endpoints.ts';
import { MAGIC_OUTCOMES } from '../business/magic-outcomes.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import { DELIVERY_FAULTS, type FaultType, REQUEST_FAULTS } from '../state/faults.ts';
import type { World } from '../world.ts';
import { actionForm, dashboardPage, selectField } from './dashboard-frame.ts';
import { type Html, html, withCode } from './parts/html.ts';
import { table } from './parts/table.ts';

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
};

/** The active faults, and a button for each fault. */
export function faultsPage(world: World, exchange: Exchange): Answer {
  return dashboardPage(
    exchange,
    'Faults',
    html`<h1>Faults</h1>
<section class="card stack" aria-labelledby="force"><h2 id="force">Active</h2>${faultsInForce(world, exchange)}</section>
<section class="card stack" aria-labelledby="api"><h2 id="api">For the next request to the API</h2>${buttons(REQUEST_FAULTS, exchange, true)}</section>
<section class="card stack" aria-labelledby="webhook"><h2 id="webhook">For the next webhook</h2>${buttons(DELIVERY_FAULTS, exchange, false)}</section>
<section class="card stack" aria-labelledby="chance"><h2 id="chance">At random</h2>
<p class="soft small">Each request fails with this probability, with any fault except hang.</p>
${actionForm(
  exchange,
  'fault',
  html`<input type="hidden" name="type" value="random">${['0.05', '0.2', '0.5'].map((rate) => html`<button name="rate" value="${rate}">${Number(rate) * 100} %</button>`)}`,
  { style: 'row', label: 'Random faults' },
)}</section>
<section class="card stack" aria-labelledby="magic"><h2 id="magic">Orders that end automatically</h2>
<p class="soft small">${world.settings.magicOutcomes ? 'On: an order whose external_id begins so ends one second after its creation, on the sandbox clock.' : 'Off here. The option magicOutcomes turns them on.'}</p>
${table(
  ['external_id begins with', 'Ends'],
  MAGIC_OUTCOMES.map(({ prefix, ends }) => [html`<code>${prefix}</code>`, withCode(ends)]),
  '',
)}</section>`,
  );
}

export function faultsInForce(world: World, exchange: Exchange): Html {
  const queued = world.faults.queued();
  const { chance } = world.faults;
  if (queued.length === 0 && chance === null) return html`<p class="soft">None: everything works.</p>`;
  return html`<ul class="stack tight">${queued.map(
    ({ fault, operation, times, rate }) =>
      html`<li><code>${fault.type}</code>, ${EFFECTS[fault.type]}: ${operation ?? 'the next one'}, ${times === Number.POSITIVE_INFINITY ? 'until cleared' : `${times} ×`}${rate < 1 && html`, with ${Math.round(rate * 100)} %`}</li>`,
  )}${chance !== null && html`<li>At random, ${Math.round(chance.rate * 100)} % of the requests</li>`}</ul>
${actionForm(exchange, 'fault', html`<button name="type" value="clear">Clear all</button>`)}`;
}

function buttons(types: readonly FaultType[], exchange: Exchange, forApi: boolean): Html {
  const content = html`<div class="grid">${forApi && selectField('operation', 'Operation', Object.keys(endpoints), null)}
<label class="field"><span>How often</span><input type="text" name="times" value="1" inputmode="numeric" autocomplete="off"></label></div>
<div class="grid">${types.map(
    (type) =>
      html`<div class="stack tight"><button name="type" value="${type}" aria-describedby="${type}-what">${type}</button><p class="soft small" id="${type}-what">${EFFECTS[type]}</p></div>`,
  )}</div>`;
  const label = forApi ? 'Faults of requests' : 'Faults of webhooks';
  return actionForm(exchange, 'fault', content, { style: 'stack', label });
}
