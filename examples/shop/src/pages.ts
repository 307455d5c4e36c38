import { Decimal } from 'merchant-invoicing';
import {
  CURRENCY,
  type Line,
  MAX_QUANTITY,
  PRODUCTS,
  SHOP_NAME,
} from './catalogue.ts';
import { type Html, html } from './html.ts';
import type { Order } from './order.ts';

/** Shows an amount as text, never through a number. */
const money = (amount: Decimal | string, currency = CURRENCY): string =>
  `${new Decimal(amount).toFixed(2)} ${currency}`;

const page = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${SHOP_NAME}</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><a href="/">${SHOP_NAME}</a></header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text;

export function productPage(problem = ''): string {
  const rows = PRODUCTS.map(
    ({ id, name, price }) => html`<li><label for="${id}">${name}</label>
<span>${money(price)}</span>
<input id="${id}" name="${id}" type="number" min="0" max="${MAX_QUANTITY}"
 value="0" inputmode="numeric"></li>`,
  );
  const body = html`${notice(problem)}<form method="post" action="/cart">
<ul class="lines">${rows}</ul>
<button>To the checkout</button>
</form>`;
  return page('Products', body);
}

export function checkoutPage(
  order: Order,
  problem = '',
  name = '',
  address = '',
): string {
  const body = html`${notice(problem)}${summary(order)}
<form method="post" action="/orders/${order.id}/pay">
<input type="hidden" name="number" value="${order.charge}">
<label for="name">Name</label>
<input id="name" name="name" value="${name}" required maxlength="200"
 autocomplete="name">
<label for="address">Address</label>
<textarea id="address" name="address" required maxlength="500" rows="3"
 autocomplete="street-address">${address}</textarea>
<button>Pay ${money(order.amount, order.currency)}</button>
</form>
<p><a href="/">Change the order</a></p>`;
  return page('Checkout', body);
}

/**
 * The page of a placed order. `returned`: the customer comes back from the
 * payment page.
 */
export function orderPage(
  order: Order,
  { returned = false, problem = '' } = {},
): string {
  const body = html`${notice(problem)}${status(order, returned)}
${summary(order)}
<h2>Delivery</h2>
<p class="typed">${order.name ?? ''}
${order.address ?? ''}</p>`;
  return page(`Order ${order.id.slice(0, 8)}`, body);
}

export function messagePage(title: string, text: string): string {
  return page(title, html`<p>${text}</p><p><a href="/">To the shop</a></p>`);
}

function status(order: Order, returned: boolean): Html {
  const { currency, paid, surplus } = order;
  const open = money(order.missing, currency);
  switch (order.state) {
    case 'paid': {
      const more = surplus.isZero()
        ? ''
        : `You paid ${money(surplus, currency)} too much. We will return it.`;
      return html`<p class="status good">Paid. We will send your parcel.
${more}</p>`;
    }
    case 'waiting':
      return returned
        ? html`<p class="status">Thank you.
We wait for the confirmation of your payment.</p>`
        : html`<p class="status">We wait for your payment of ${open}.</p>
${payButton(order, 'Pay now')}`;
    case 'underpaid':
      return html`<p class="status bad">
We received ${money(paid, currency)}. ${open} are missing.</p>
${payButton(order, 'Pay the rest')}`;
    default:
      return html`<p class="status bad">The payment has ended without a result.
You were not charged.</p>
${payButton(order, 'Try again')}`;
  }
}

const payButton = ({ id, charge }: Order, text: string): Html =>
  html`<form method="post" action="/orders/${id}/pay">
<input type="hidden" name="number" value="${charge}">
<button>${text}</button></form>`;

function summary({ lines, amount, currency }: Order): Html {
  const rows = lines.map(
    ({
      name,
      price,
      quantity,
    }: Line) => html`<li><span>${quantity} × ${name}</span>
<span>${money(new Decimal(price).times(quantity), currency)}</span></li>`,
  );
  return html`<ul class="lines">${rows}<li class="total"><span>Total</span>
<span>${money(amount, currency)}</span></li></ul>`;
}

const notice = (problem: string): Html =>
  problem === ''
    ? html``
    : html`<p class="status bad" role="alert">${problem}</p>`;
