import { shareOf } from '../../business/money.ts';
import type { InvoiceRecord } from '../../state/records.ts';
import type { World } from '../../world.ts';
import { grouped } from '../parts/amount.ts';
import { type Html, html } from '../parts/html.ts';
import { amountField, type Offer, type Problem } from './order.ts';

/** The controls for tests, which no customer sees: every other way in which a payment can end. */
export function testControls(
  world: World,
  invoice: InvoiceRecord,
  {
    usable,
    checked,
    problem,
  }: {
    readonly usable: readonly Offer[];
    readonly checked: Offer | undefined;
    readonly problem: Problem | null;
  },
): Html {
  const action = `/pay/${invoice.uuid}`;
  return html`<section class="controls stack" aria-labelledby="controls">
<div class="stack tight"><h2 id="controls">Test controls</h2>
<p class="soft small">No customer sees this part. Use it to try what can go wrong.${!world.clock.running() && html` The sandbox clock is frozen until you move it.`}</p></div>
${
  checked !== undefined &&
  html`<div class="grid">
${amountControl(invoice, checked, { name: 'underpay', label: 'Pay less', amount: shareOf(invoice.amount, '0.5'), problem })}
${amountControl(invoice, checked, { name: 'overpay', label: 'Pay more', amount: shareOf(invoice.amount, '1.5'), problem })}
</div>`
}
<form method="post" action="${action}" class="row">
${
  checked !== undefined &&
  html`<input type="hidden" name="method" value="${checked.method.id}" data-method>
<button name="action" value="dispute">Pay, then correct it (dispute)</button>
<button form="pay-form" name="action" value="choose">Choose the method, pay later</button>`
}
<button name="action" value="fail">Let it fail</button>
<button name="action" value="expire">Let it expire</button>
</form>
${usable.length > 0 && merchantTable(invoice, usable)}
<p class="small"><a href="/invoices/${invoice.uuid}">This order on the dashboard</a></p>
</section>`;
}

function amountControl(
  invoice: InvoiceRecord,
  checked: Offer,
  {
    name,
    label,
    ...field
  }: { readonly name: string; readonly label: string; readonly amount: string; readonly problem: Problem | null },
): Html {
  const title = `${label} than ${grouped(invoice.amount)} ${invoice.currency.code}, before the fee`;
  return html`<form method="post" action="/pay/${invoice.uuid}">
<input type="hidden" name="method" value="${checked.method.id}" data-method>
${amountField(name, title, label, field)}
</form>`;
}

function merchantTable({ currency: { code } }: InvoiceRecord, usable: readonly Offer[]): Html {
  return html`<details><summary>What each method brings the merchant</summary>
<table class="rows"><thead><tr><th scope="col">Method</th><th scope="col">Customer pays</th><th scope="col">Merchant receives</th><th scope="col">Credited</th></tr></thead>
<tbody>${usable.map(
    ({
      method,
      quote,
    }) => html`<tr><td><bdi>${method.name}</bdi></td><td data-label="Customer pays">${grouped(quote?.amountToSend ?? '')} ${code}</td>
<td data-label="Merchant receives">${grouped(quote?.merchantReceives ?? '')} ${code}</td><td data-label="Credited">${grouped(quote?.usdt ?? '')} USDT</td></tr>`,
  )}</tbody></table></details>`;
}
