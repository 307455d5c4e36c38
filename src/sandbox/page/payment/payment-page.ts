// The folder `payment` is the hosted payment page: the open order, its buttons, the controls for tests and the receipt.
import { compareAmounts } from '../../business/money.ts';
import type { Answer } from '../../service/respond.ts';
import type { InvoiceRecord } from '../../state/records.ts';
import type { SandboxMethod } from '../../wire-types.ts';
import type { World } from '../../world.ts';
import { grouped } from '../parts/amount.ts';
import { type Html, html, pageAnswer } from '../parts/html.ts';
import { moment, span } from '../parts/time.ts';
import { type Arrival, type Offer, offersFor, orderHeading, problemNotice } from './order.ts';
import { closedView } from './receipt.ts';
import { testControls } from './test-controls.ts';

const TITLES = { pending: 'Pay', success: 'Paid', fail: 'Failed', expired: 'Expired', canceled: 'Canceled' };

/** The hosted page of an invoice: above what a customer sees, below, clearly apart, the controls for tests. */
export function paymentPage(world: World, invoice: InvoiceRecord, arrival: Arrival = {}): Answer {
  const isSending = world.store.deliveries(invoice).some(({ attempt }) => attempt !== null);
  const isOpen = invoice.status === 'pending';
  const view = isOpen ? openView(world, invoice, arrival) : closedView(world, invoice, arrival, isSending);
  const problem = arrival.problem ?? null;
  const title = `${problem === null ? '' : 'Not done: '}${TITLES[invoice.status]} · Order ${invoice.external_id}`;
  return pageAnswer(title, view, { status: problem === null ? 200 : 422, reload: isSending });
}

function openView(world: World, invoice: InvoiceRecord, { problem = null, done = null }: Arrival): Html {
  const offers = offersFor(world, invoice);
  const usable = offers.filter((offer) => offer.quote !== null);
  const chosen = usable.find(({ method }) => method.id === invoice.method?.id);
  const checked = chosen ?? usable[0];
  const code = invoice.currency.code;
  const action = `/pay/${invoice.uuid}`;
  return html`<div class="checkout">
<section class="stack tight" aria-labelledby="order">
${orderHeading(world, invoice)}
${countdown(world, invoice)}
</section>
<section class="card stack" aria-label="Payment">
${problemNotice(problem)}
${
  chosen &&
  html`<p role="status" class="notice good"${done === 'choose' && html` tabindex="-1" autofocus`}><bdi>${chosen.method.name}</bdi> is chosen: you pay ${grouped(chosen.quote?.amountToSend ?? '')} ${code}.</p>`
}
<div class="stack tight"><form method="post" action="${action}" id="pay-form" data-pay-form class="stack">
<fieldset>
<legend>How do you want to pay?</legend>
${offers.map((offer) => methodChoice(offer, code, offer === checked))}
</fieldset>
${
  checked === undefined
    ? html`<p class="notice bad">No method takes this amount.</p>`
    : html`<button class="main full" name="action" value="pay" data-pay-button>${chosen ? `Pay ${grouped(chosen.quote?.amountToSend ?? '')} ${code}` : 'Pay with this method'}</button>`
}
</form>
<form method="post" action="${action}"><button class="quiet full" name="action" value="cancel">Cancel and go back</button></form></div>
</section>
</div>
${testControls(world, invoice, { usable, checked, problem })}`;
}

function countdown(world: World, invoice: InvoiceRecord): Html {
  const left = Math.max(0, invoice.expiresAt - world.clock.now());
  const running = world.clock.running() ? 'real' : 'virtual';
  return html`<p class="soft"><span class="num" role="timer" data-left="${left}" data-clock="${running}">${span(left)} left</span>, until ${moment(invoice.expiresAt)}</p>`;
}

function methodChoice({ method, quote: comes, problem }: Offer, code: string, checked: boolean): Html {
  const id = `method-${method.id}`;
  const range = `${grouped(method.min_amount)} to ${grouped(method.max_amount)} ${code}`;
  if (comes === null) {
    return html`<div class="method off"><input type="radio" id="${id}" name="method" value="${method.id}" disabled aria-describedby="${id}-what">
<div><label for="${id}">${icon(method)}<bdi>${method.name}</bdi></label></div>
<p class="small" id="${id}-what">${range} · ${problem}</p></div>`;
  }
  const pays = `${grouped(comes.amountToSend)} ${code}`;
  const percent = method.client_commission_percent;
  const fee = compareAmounts(percent, '0') === 0 ? 'no fee' : `with the fee of ${percent} %`;
  return html`<div class="method"><input type="radio" id="${id}" name="method" value="${method.id}" data-pay="${pays}"${checked && html` checked`} aria-describedby="${id}-pays ${id}-what">
<div><label for="${id}">${icon(method)}<bdi>${method.name}</bdi></label> <span class="num" id="${id}-pays">you pay <strong>${pays}</strong></span></div>
<p class="small soft" id="${id}-what">${range} · ${fee}</p></div>`;
}

function icon({ id }: SandboxMethod): Html {
  return html`<img src="/assets/methods/${id}.svg" width="32" height="22" alt="">`;
}
