import { shareOf } from '../../business/money.ts';
import type { InvoiceRecord } from '../../state/records.ts';
import type { World } from '../../world.ts';
import { type Html, html } from '../parts/html.ts';
import type { Offer } from './order.ts';

/** The controls for tests, which no customer sees: every other way in which a payment can end. */
export function testControls(
  world: World,
  invoice: InvoiceRecord,
  usable: readonly Offer[],
  checked: Offer | undefined,
): Html {
  const action = `/pay/${invoice.uuid}`;
  return html`<section class="controls stack" aria-labelledby="controls">
<div class="stack tight"><h2 id="controls">Test controls</h2>
<p class="soft small">No customer sees this part. Use it to try what can go wrong.${!world.clock.running() && html` The sandbox clock is frozen until you move it.`}</p></div>
${
  checked !== undefined &&
  html`<div class="grid">
${amountControl(invoice, checked, { name: 'underpay', label: 'Pay less', amount: shareOf(invoice.amount, '0.5') })}
${amountControl(invoice, checked, { name: 'overpay', label: 'Pay more', amount: shareOf(invoice.amount, '1.5') })}
</div>`
}
<form method="post" action="${action}" class="row">
${
  checked !== undefined &&
  html`<input type="hidden" name="method" value="${checked.method.id}" data-method>
<button name="action" value="dispute">Pay, then correct it (dispute)</button>`
}
<button name="action" value="fail">Let it fail</button>
<button name="action" value="expire">Let it expire</button>
</form>
${usable.length > 0 && merchantTable(invoice, usable)}
<p class="small"><a href="/invoices?q=${encodeURIComponent(invoice.uuid)}">This order on the dashboard</a></p>
</section>`;
}

function amountControl(
  invoice: InvoiceRecord,
  checked: Offer,
  { name, label, amount }: { readonly name: string; readonly label: string; readonly amount: string },
): Html {
  return html`<form method="post" action="/pay/${invoice.uuid}">
<input type="hidden" name="method" value="${checked.method.id}" data-method>
<label class="field" for="${name}"><span>${label} than ${invoice.amount} ${invoice.currency.code}, fee left out</span></label>
<div class="joined"><input type="text" id="${name}" name="amount" value="${amount}" inputmode="decimal" autocomplete="off" required>
<button name="action" value="${name}">${label}</button></div>
</form>`;
}

function merchantTable({ currency: { code } }: InvoiceRecord, usable: readonly Offer[]): Html {
  return html`<details><summary>What each method brings the merchant</summary>
<table class="rows"><thead><tr><th scope="col">Method</th><th scope="col">Customer pays</th><th scope="col">Merchant receives</th><th scope="col">Credited</th></tr></thead>
<tbody>${usable.map(
    ({
      method,
      quote,
    }) => html`<tr><td><bdi>${method.name}</bdi></td><td data-label="Customer pays">${quote?.amountToSend} ${code}</td>
<td data-label="Merchant receives">${quote?.merchantReceives} ${code}</td><td data-label="Credited">${quote?.usdt} USDT</td></tr>`,
  )}</tbody></table></details>`;
}
