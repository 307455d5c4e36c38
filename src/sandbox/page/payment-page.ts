import { methodsFor, settlementRate } from '../catalogue.ts';
import { outOfRange, type Quote, quote } from '../money.ts';
import type { Answer } from '../respond.ts';
import type { InvoiceRecord } from '../store.ts';
import type { SandboxMethod } from '../wire-types.ts';
import type { World } from '../world.ts';
import { type Html, html, pageAnswer } from './html.ts';
import { closedView } from './receipt.ts';

/** The hosted page of an invoice: above what a customer sees, below, set apart, what tests need. */
export function paymentPage(world: World, invoice: InvoiceRecord, problem: string | null = null): Answer {
  const underWay = world.store.deliveries(invoice).some(({ attempt }) => attempt !== null);
  const view = invoice.status === 'pending' ? openView(world, invoice, problem) : closedView(world, invoice, problem);
  return pageAnswer(`Order ${invoice.external_id}`, view, {
    status: problem === null ? 200 : 422,
    refresh: underWay ? 2 : 0,
  });
}

/** A method with what the invoice comes to, or with the reason why it cannot be used. */
interface Offer {
  readonly method: SandboxMethod;
  readonly quote: Quote | null;
  readonly problem: string | null;
}

function offersFor(world: World, invoice: InvoiceRecord): Offer[] {
  return methodsFor(world, invoice.currency.code).map((method) => {
    const problem = outOfRange(invoice.amount, method);
    if (problem !== null) return { method, quote: null, problem };
    try {
      const rate = invoice.rate ?? settlementRate(world, invoice.currency.code);
      return { method, quote: quote(invoice.amount, method, rate), problem: null };
    } catch {
      return { method, quote: null, problem: 'not available now: there is no fresh rate' };
    }
  });
}

function openView(world: World, invoice: InvoiceRecord, problem: string | null): Html {
  const offers = offersFor(world, invoice);
  const usable = offers.filter((offer) => offer.quote !== null);
  const chosen = usable.find(({ method }) => method.id === invoice.method?.id);
  const checked = chosen ?? usable[0];
  const code = invoice.currency.code;
  return html`<section aria-labelledby="order">
<h1 id="order">Order <bdi>${invoice.external_id}</bdi></h1>
${invoice.purpose && html`<p dir="auto">${invoice.purpose}</p>`}
<p class="amount">${invoice.amount} ${code}</p>
${countdown(world, invoice)}
${problem !== null && html`<p role="alert" class="bad">${problem}</p>`}
${chosen && html`<p role="status">${chosen.method.name} is chosen: you pay ${chosen.quote?.amountToSend} ${code}.</p>`}
<form method="post" action="/pay/${invoice.uuid}" data-pay-form>
<fieldset>
<legend>How do you want to pay?</legend>
${offers.map((offer) => methodChoice(offer, code, offer === checked))}
</fieldset>
${
  checked === undefined
    ? html`<p class="bad">No method takes this amount.</p>`
    : html`<div class="row">
<button class="main" name="action" value="pay" data-pay-button>${chosen ? `Pay ${chosen.quote?.amountToSend} ${code}` : 'Pay with this method'}</button>
<button name="action" value="choose">Choose, pay later</button>
</div>`
}
</form>
<form method="post" action="/pay/${invoice.uuid}"><p><button name="action" value="cancel">Cancel and go back</button></p></form>
</section>
${levers(invoice, checked)}`;
}

function countdown(world: World, invoice: InvoiceRecord): Html {
  const left = invoice.expiresAt - world.clock.now();
  const minutes = Math.max(0, Math.ceil(left / 60_000));
  const until = new Date(invoice.expiresAt).toISOString().slice(0, 16).replace('T', ' ');
  const text = `${minutes} min left`;
  return html`<p class="soft"><span data-left="${left}" data-clock="${world.settings.clock}">${text}</span>, until ${until} UTC</p>`;
}

function methodChoice({ method, quote: comes, problem }: Offer, code: string, checked: boolean): Html {
  const id = `method-${method.id}`;
  const range = `${method.min_amount} to ${method.max_amount} ${code}`;
  if (comes === null) {
    return html`<div class="method off"><input type="radio" id="${id}" name="method" value="${method.id}" disabled aria-describedby="${id}-why">
<div><label for="${id}"><bdi>${method.name}</bdi></label> <span class="soft">${range}</span><span id="${id}-why">${problem}</span></div></div>`;
  }
  const pays = `${comes.amountToSend} ${code}`;
  return html`<div class="method"><input type="radio" id="${id}" name="method" value="${method.id}" data-pay="${pays}"${checked && html` checked`} aria-describedby="${id}-what">
<div><label for="${id}"><bdi>${method.name}</bdi></label> <span class="soft">${range}</span>
<span id="${id}-what">you pay <strong>${pays}</strong> · merchant receives ${comes.merchantReceives} ${code} = ${comes.usdt} USDT</span></div></div>`;
}

function levers(invoice: InvoiceRecord, checked: Offer | undefined): Html {
  const action = `/pay/${invoice.uuid}`;
  return html`<section class="levers" aria-labelledby="levers">
<h2 id="levers">Test levers: what can go wrong</h2>
<p class="soft">No customer sees this.</p>
${
  checked !== undefined &&
  html`<form method="post" action="${action}" class="row">
<input type="hidden" name="method" value="${checked.method.id}" data-method>
<label class="field"><span>Another amount, commission left out (ordered: ${invoice.amount})</span>
<input type="text" name="amount" inputmode="decimal" autocomplete="off" required></label>
<button name="action" value="pay_other">Pay this amount</button>
</form>`
}
<form method="post" action="${action}" class="row">
<button name="action" value="fail">Let it fail</button>
<button name="action" value="expire">Let it expire</button>
</form>
</section>`;
}
