import { activeCurrencies } from '../../business/methods-and-rates.ts';
import type { Exchange } from '../../service/service.ts';
import type { World } from '../../world.ts';
import { actionForm, selectField } from '../dashboard-frame.ts';
import { type Html, html } from '../parts/html.ts';

/** A form that creates an invoice, so that the pages can be tried before any code exists. */
export function newInvoiceForm(world: World, exchange: Exchange): Html {
  const { callback_url } = world.settings.defaults;
  const field = (name: string, label: string, value: string, placeholder = ''): Html =>
    html`<label class="field"><span>${label}</span><input type="text" name="${name}" value="${value}" placeholder="${placeholder}" autocomplete="off"></label>`;
  const currencies = activeCurrencies(world);
  const content = html`<div class="grid">${field('amount', 'Amount', '25.00')}
${selectField('currency', 'Currency', currencies, currencies[0] ?? null, { any: false })}
${field('external_id', 'Order', '', 'the next free one')}
${field('callback_url', 'Webhook to', '', callback_url ?? 'http://127.0.0.1:3000/webhook')}</div>
<div class="row"><button class="main">Create the invoice</button></div>`;
  return actionForm(exchange, 'create', content, { style: 'stack', label: 'New invoice' });
}
