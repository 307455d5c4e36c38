import { ConfigurationError } from '../../../errors/classes.ts';
import { isMerchantError } from '../../../errors/guards.ts';
import { ACTIONS, checkFields, isActionName, type Perform } from '../actions.ts';
import { activeCurrencies, isAmount, rangesOf } from '../business/money.ts';
import { quoted } from '../option-checks.ts';
import { problemsOfDraft } from '../service/handlers.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { SandboxInvoice } from '../wire-types.ts';
import type { World } from '../world.ts';
import { actionForm, type Field, field, selectField } from './elements.ts';
import { dashboardPage, fileResponse, seeOther } from './frame.ts';
import { type Html, html } from './html.ts';
import { crumbs } from './lists.ts';
import { keepRefusal, type Refusal, refusalOf, type Values } from './refusals.ts';

function jsonResponse(value: unknown, status = 200): UnsentResponse {
  return fileResponse('application/json', JSON.stringify(value), status);
}

/** The response of `GET /_/status`: clock, invoices and deliveries, as the action `status` returns them. */
export async function statusResponse(perform: Perform): Promise<UnsentResponse> {
  return jsonResponse({ ok: true, ...(await perform('status', {})) });
}

/**
 * Answers `POST /_/{action}` with form fields or a JSON object. A client that accepts JSON gets JSON. A browser gets a
 * redirect: to the page that the form names, or to what the action made, with what was refused if it was.
 */
export async function actionResponse(
  world: World,
  perform: Perform,
  name: string,
  incoming: IncomingRequest,
): Promise<UnsentResponse> {
  const wantsJson = incoming.headers.get('accept')?.includes('application/json') ?? false;
  let values: Values = {};
  let idents: readonly string[] = [];
  try {
    ({ values, idents } = valuesOf(incoming));
    if (isActionName(name)) checkFields(name, values);
    const wrong = wantsJson ? [] : wrongFields(world, name, values);
    if (wrong.length > 0)
      return refused(world, { action: name, typed: values, message: '', fields: wrong }, values['back']);
    const [done] = await Promise.all(
      (idents.length > 1 ? idents : [values['ident']]).map((ident) =>
        perform(name, { ...values, ...(ident !== undefined && { ident }) }),
      ),
    );
    if (done === undefined) throw new ConfigurationError('Nothing was done');
    const [first] = done.lines;
    if (isActionName(name) && ACTIONS[name].isNoted && first !== undefined) world.log.note(first.text);
    if (wantsJson) return jsonResponse({ ok: true, ...done });
    const made = name === 'create' && `/payments/${(done.result as SandboxInvoice).uuid}`; // create returns an invoice
    return seeOther(ownPage(name === 'reset' ? '/' : made || values['back'], { done: name }));
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    const { message } = error;
    if (wantsJson) return jsonResponse({ ok: false, error: { message } }, 400);
    return refused(world, { action: name, typed: values, message, fields: [] }, values['back']);
  }
}

function refused(world: World, refusal: Refusal, back: unknown): UnsentResponse {
  return seeOther(ownPage(back, { refused: keepRefusal(world, refusal) }));
}

function valuesOf({ headers, body }: IncomingRequest): { readonly values: Values; readonly idents: readonly string[] } {
  if (!headers.get('content-type')?.includes('json')) {
    const fields = new URLSearchParams(body);
    return { values: Object.fromEntries(fields), idents: fields.getAll('ident') };
  }
  let given: object;
  try {
    given = Object(JSON.parse(body || '{}'));
  } catch {
    throw new ConfigurationError('The body is not JSON');
  }
  const texts = Object.entries(given).map(([name, value]): [string, string] => {
    if (typeof value === 'object' && value !== null)
      throw new ConfigurationError(`${name} must be text, not ${quoted(value)}`);
    return [name, String(value ?? '')];
  });
  return { values: Object.fromEntries(texts), idents: [] };
}

/** The path of a page, with what was done or refused. No more than path and query count, so it cannot lead elsewhere. */
function ownPage(back: unknown, add: Readonly<Record<string, string>>): string {
  const origin = 'http://sandbox.invalid';
  const target = new URL(typeof back === 'string' && URL.canParse(back, origin) ? back : '/', origin);
  for (const [name, value] of Object.entries(add)) target.searchParams.set(name, value);
  return target.pathname.replace(/^\/*/, '/') + target.search; // two slashes would begin the name of a host
}

/** The fields of a form that are wrong, each with its reason in the words of a form. */
function wrongFields(world: World, action: string, values: Values): Refusal['fields'] {
  const typed = (name: string): string => (values[name] ?? '').trim();
  if (action === 'create') return wrongDraft(world, values);
  if (action === 'fault' && !/^[1-9]\d{0,5}$/.test(typed('times') || '1'))
    return [{ name: 'times', problem: 'Enter a whole number from 1.' }];
  const problem = action === 'adjust' || 'amount' in values ? wrongAmount(typed('amount')) : null;
  return problem === null ? [] : [{ name: 'amount', problem }];
}

/**
 * A field for an amount with its button. After a refusal of the action `name` it keeps what was typed, and names the
 * problem.
 */
export function amountField(
  world: World,
  incoming: IncomingRequest,
  { name, ...given }: Pick<Field, 'name' | 'label' | 'value' | 'hint' | 'focus'> & { readonly button: Html },
): { readonly input: Html; readonly problem: string | undefined } {
  const refusal = refusalOf(world, incoming);
  const mine = refusal?.action === name ? refusal : null;
  const problem = mine?.fields[0]?.problem;
  const value = mine?.typed['amount'] ?? given.value;
  const focus = problem !== undefined || given.focus === true;
  return { input: field({ ...given, id: name, name: 'amount', value, problem, numeric: true, focus }), problem };
}

/** Why a typed amount cannot be used. Null if it can. */
export function wrongAmount(typed: string): string | null {
  return isAmount(typed) ? null : 'Enter an amount such as 12.50.';
}

function wrongDraft(world: World, values: Values): Refusal['fields'] {
  const { back: _, ...given } = values;
  const draft = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  return problemsOfDraft(world, { external_id: 'new', customer_id: 'new', ...draft }).map(({ field: name, type }) => {
    if (name === 'external_id' && type === 'taken') return { name, problem: 'This order has a payment already.' };
    if (type === 'string_too_long') return { name: name ?? '', problem: 'This is too long.' };
    if (type === 'url_scheme')
      return { name: name ?? '', problem: 'Enter an https:// address, or http:// on this machine.' };
    if (name === 'currency') return { name, problem: 'No payment method serves this currency.' };
    if (name === 'amount' && type === 'value_error')
      return {
        name,
        problem: `No payment method takes this amount. They take ${rangesOf(world, values['currency'] ?? '')}.`,
      };
    return {
      name: name ?? '',
      problem: name === 'amount' ? 'Enter an amount above 0, such as 12.50.' : 'This cannot be used.',
    };
  });
}

/** A form that creates a payment, so that the pages can be tried before any code exists. A refusal keeps what was typed. */
export function newPaymentPage(world: World, incoming: IncomingRequest): UnsentResponse {
  const { callback_url } = world.settings.defaults;
  const currencies = activeCurrencies(world);
  const refusal = refusalOf(world, incoming);
  const [firstWrong] = refusal?.fields ?? [];
  const text = (name: string, otherwise = ''): string => {
    return refusal?.typed[name] ?? otherwise;
  };
  const input = (name: string, label: string, hint: string, value = ''): Html => {
    const problem = refusal?.fields.find((each) => each.name === name)?.problem;
    return field({
      name,
      label,
      hint,
      value: text(name, value),
      problem,
      numeric: name === 'amount',
      focus: firstWrong?.name === name,
    });
  };
  const content = html`<div class="grid">${input('amount', 'Amount', 'Up to 2 decimals.', '25.00')}
${selectField('currency', 'Currency', currencies, text('currency', currencies[0]))}
${input('external_id', 'Order', 'Empty: the next free one, such as order-1001.')}
${input('customer_id', 'Customer', 'Empty: customer-1.')}</div>
${input('callback_url', 'Webhook to', callback_url === null ? 'Empty: no webhook is sent.' : `Empty: ${callback_url}, the address of the business.`)}
<div class="row"><button class="main">Create the payment</button></div>`;
  return dashboardPage(world, incoming, {
    title: 'New payment',
    above: crumbs('/payments', 'Payments', 'New'),
    content: html`<section class="card narrow">${actionForm(incoming, 'create', content, { look: 'stack', label: 'New payment' })}</section>`,
  });
}
