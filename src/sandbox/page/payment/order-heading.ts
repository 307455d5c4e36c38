import type { InvoiceRecord } from '../../state/store.ts';
import { type Html, html } from '../parts/html.ts';

/** Order, amount and purpose, the same for an open and a closed order. */
export function heading(invoice: InvoiceRecord): Html {
  const { external_id, amount, currency, purpose } = invoice;
  return html`<h1 class="order" id="order">Order <bdi>${external_id}</bdi></h1>
<p class="amount">${amount} <span>${currency.code}</span></p>
${purpose && html`<p dir="auto">${purpose}</p>`}`;
}
