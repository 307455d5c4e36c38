import { ConfigurationError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { checkFields, isActionName, type Perform } from '../actions.ts';
import { activeCurrencies } from '../business/money.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { SandboxInvoice } from '../wire-types.ts';
import type { World } from '../world.ts';
import { actionForm, field, selectField } from './elements.ts';
import { dashboardPage, fileAnswer, messagePage, seeOther } from './frame.ts';
import { type Html, html } from './html.ts';

function jsonAnswer(value: unknown, status = 200): Answer {
  return fileAnswer('application/json', JSON.stringify(value), status);
}

/** The answer of `GET /_/status`: clock, invoices and deliveries, as the action `status` returns them. */
export async function statusAnswer(perform: Perform): Promise<Answer> {
  return jsonAnswer({ ok: true, ...(await perform('status', {})) });
}

/** The fields of a form, or the members of a JSON object. */
type Values = Readonly<Record<string, unknown>>;

/**
 * Answers `POST /_/{action}` with form fields or a JSON object. A client that accepts JSON gets JSON. A browser gets a
 * redirect to the page that the form names, or to what the action made.
 */
export async function actionAnswer(world: World, perform: Perform, name: string, exchange: Exchange): Promise<Answer> {
  const wantsJson = exchange.headers.get('accept')?.includes('application/json') ?? false;
  let values: Values = {};
  try {
    values = valuesOf(exchange);
    if (isActionName(name)) checkFields(name, values);
    const done = await perform(name, values);
    if (wantsJson) return { ...jsonAnswer({ ok: true, ...done }), why: name };
    const made = name === 'create' && `/invoices/${(done.result as SandboxInvoice).uuid}`; // create returns an invoice
    return { ...seeOther(ownPage(name === 'reset' ? '/' : made || values['back'], name)), why: name };
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    const why = error.message;
    if (wantsJson) return { ...jsonAnswer({ ok: false, error: { message: why } }, 400), why };
    if (name === 'create') return { ...newInvoicePage(world, exchange, values, why), why };
    const more = html`<p role="alert" class="notice bad">${why}</p><p><a href="${ownPage(values['back'])}">Back</a></p>`;
    return { ...messagePage(400, 'Not done', more), why };
  }
}

function valuesOf({ headers, body }: Exchange): Values {
  if (!headers.get('content-type')?.includes('json')) return Object.fromEntries(new URLSearchParams(body));
  try {
    return { ...Object(JSON.parse(body || '{}')) };
  } catch {
    throw new ConfigurationError('The body is not JSON');
  }
}

/** The path of a page with the notice of an action. No more than path and query count, so it cannot lead elsewhere. */
function ownPage(back: unknown, done = ''): string {
  const origin = 'http://sandbox.invalid';
  const target = new URL(typeof back === 'string' && URL.canParse(back, origin) ? back : '/', origin);
  if (done !== '') target.searchParams.set('done', done);
  return target.pathname.replace(/^\/*/, '/') + target.search; // two slashes would begin the name of a host
}

/** A form that creates an invoice, so that the pages can be tried before any code exists. A refusal keeps what was typed. */
export function newInvoicePage(world: World, exchange: Exchange, typed: Values = {}, refusal = ''): Answer {
  const { callback_url } = world.settings.defaults;
  const currencies = activeCurrencies(world);
  const problems = refusal.replace('The invoice was not created: ', '').split('; ');
  const text = (name: string, otherwise = ''): string => {
    const value = typed[name];
    return typeof value === 'string' ? value : otherwise;
  };
  const placed = new Set<string>();
  const input = (name: string, label: string, hint: string, value = ''): Html => {
    const problem = problems.find((each) => each.startsWith(`${name} `)) ?? null; // it begins with the name of its field
    if (problem !== null) placed.add(problem);
    return field({ name, label, hint, value: text(name, value), problem, numeric: name === 'amount' });
  };
  const content = html`<div class="grid">${input('amount', 'Amount', 'Up to 2 decimals.', '25.00')}
${selectField('currency', 'Currency', currencies, text('currency', currencies[0]))}
${input('external_id', 'Order', 'Empty: the next free one, such as order-1001.')}
${input('customer_id', 'Customer', 'Empty: customer-1.')}</div>
${input('callback_url', 'Webhook to', callback_url === null ? 'Empty: no webhook is sent.' : `Empty: ${callback_url}, the address of the business.`)}
<div class="row"><button class="main">Create the invoice</button></div>`;
  const others = problems.filter((each) => !placed.has(each)).join('; ');
  const page = { ...exchange, url: new URL('/invoices/new', exchange.url) };
  return dashboardPage(world, page, {
    title: 'New invoice',
    status: refusal === '' ? 200 : 422,
    content: html`${others && html`<p role="alert" class="notice bad">${others}</p>`}
<section class="card narrow">${actionForm(page, 'create', content, { layout: 'stack', label: 'New invoice' })}</section>`,
  });
}
