import { quoted } from '../../../errors/checks.ts';
import { ConfigurationError } from '../../../errors/classes.ts';
import { isMerchantError } from '../../../errors/guards.ts';
import { type Html, html } from '../../html.ts';
import { isWebhookWaiting } from '../../story.ts';
import { ACTIONS, checkFields, isActionName, type Perform } from '../actions.ts';
import { activeCurrencies, isAmount } from '../business/money.ts';
import { ErrorResponse, type UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { SandboxDelivery, SandboxInvoice } from '../types.ts';
import type { World } from '../world.ts';
import { actionForm, type Field, field, selectField } from './elements.ts';
import { dashboardPage, fileResponse, seeOther } from './frame.ts';
import { crumbs } from './lists.ts';
import { keepRefusal, type Refusal, refusalOf, type Values } from './refusals.ts';

function jsonResponse(value: unknown, status = 200): UnsentResponse {
  return fileResponse('application/json', JSON.stringify(value), status);
}

/** The response of `GET /_/status`: clock, invoices and deliveries, as the action `status` returns them. */
export async function statusResponse(perform: Perform): Promise<UnsentResponse> {
  return jsonResponse({ ok: true, ...(await perform('status', {})) });
}

/** Milliseconds of real time that the payment page waits for the webhook, so that it can show the result. */
const MAX_WAIT = 1_500;

/**
 * Performs the action that `actionOf` reads from form fields or a JSON object. A client that accepts JSON gets JSON. A
 * browser gets a redirect: to the page that the form names, or to what the action made, with what was refused if it was.
 */
export async function actionResponse(
  world: World,
  perform: Perform,
  incoming: IncomingRequest,
  actionOf: (given: Values) => { readonly name: string; readonly values: Values },
): Promise<UnsentResponse> {
  const wantsJson = incoming.headers.get('accept')?.includes('application/json') ?? false;
  let name = '';
  let values: Values = {};
  try {
    const given = valuesOf(incoming);
    ({ name, values } = actionOf(given.values));
    if (isActionName(name)) checkFields(name, values);
    const wrong = wantsJson ? [] : wrongFields(name, values);
    if (wrong.length > 0)
      return refused(world, { action: name, typed: values, message: '', fields: wrong }, values['back']);
    const isOfMany = given.idents.length > 1 && given.idents.includes(values['ident'] ?? ''); // not of a payment page
    const orders = isOfMany ? given.idents : [values['ident']];
    const work = orders.map((ident) => perform(name, { ...values, ...(ident !== undefined && { ident }) }));
    const isOver = new AbortController();
    // A customer does not wait for a slow webhook: the page of the payment follows it.
    const isCustomer = !wantsJson && values['back']?.startsWith('/pay/');
    const limit = isCustomer ? [world.settings.sleep(MAX_WAIT, isOver.signal)] : [];
    const all = (await Promise.race([Promise.all(work), ...limit]).finally(() => isOver.abort())) ?? [];
    const [done] = all;
    const first = done?.lines[0];
    if (isActionName(name) && ACTIONS[name].isNoted && first !== undefined) world.log.note(first.text);
    if (wantsJson) return jsonResponse({ ok: true, ...done });
    const message =
      isOfMany && name === 'resend' ? refusedAgain(all.map(({ result }) => result as SandboxDelivery)) : null; // as resend returns it
    if (message !== null) return refused(world, { action: name, typed: values, message, fields: [] }, values['back']);
    const made = name === 'create' && done && `/payments/${(done.result as SandboxInvoice).uuid}`; // as create returns it
    return seeOther(ownPage(name === 'reset' ? '/' : made || values['back'], { done: name }));
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    const { message } = error;
    if (wantsJson) return jsonResponse({ ok: false, error: { message } }, 400);
    // What the service refuses of a new payment has the service's own words, at its fields.
    const problems = error.cause instanceof ErrorResponse ? error.cause.problems : [];
    const fields = problems.map((each) => ({ name: each.field ?? '', problem: `It ${each.message}.` }));
    return refused(world, { action: name, typed: values, message, fields }, values['back']);
  }
}

/** What came of many webhooks that were sent again. Null if all were accepted. */
function refusedAgain(sent: readonly SandboxDelivery[]): string | null {
  const accepted = sent.filter(({ status }) => status === 'delivered').length;
  const again = sent.filter((each) => each.status !== 'delivered' && !isWebhookWaiting(each));
  if (again.length === 0) return null;
  const statuses = new Set(again.map(({ last_http_status: status }) => status ?? 'no response'));
  return `${sent.length} sent, ${accepted === 0 ? '' : `${accepted} accepted, `}${again.length} refused again (${[...statuses].join(', ')})`;
}

function refused(world: World, refusal: Refusal, back: unknown): UnsentResponse {
  return seeOther(ownPage(back, { refused: keepRefusal(world, refusal) }));
}

function valuesOf({ headers, body }: IncomingRequest): { readonly values: Values; readonly idents: readonly string[] } {
  if (!headers.get('content-type')?.includes('json')) {
    const fields = new URLSearchParams(body);
    const values = Object.fromEntries([...fields].map(([name, text]) => [name, text.trim()]));
    return { values, idents: fields.getAll('ident') };
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
function wrongFields(action: string, values: Values): Refusal['fields'] {
  if (action === 'fault' && !/^[1-9]\d{0,5}$/.test(values['times'] || '1'))
    return [{ name: 'times', problem: 'Enter a whole number from 1.' }];
  const isPaid = action === 'adjust' || (action === 'pay' && 'amount' in values);
  const problem = isPaid ? wrongAmount(values['amount'] ?? '') : null;
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
  const mine = refusal?.action === (name === 'amount' ? 'pay' : name) ? refusal : null;
  const problem = mine?.fields[0]?.problem;
  const value = mine?.typed['amount'] ?? given.value;
  const focus = problem !== undefined || given.focus === true;
  return { input: field({ ...given, id: name, name: 'amount', value, problem, numeric: true, focus }), problem };
}

/** Why a typed amount cannot be used. Null if it can. */
function wrongAmount(typed: string): string | null {
  return isAmount(typed) ? null : 'Enter an amount such as 12.50.';
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
