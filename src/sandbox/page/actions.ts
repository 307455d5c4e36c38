import type { Operation } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import type { Sandbox } from '../api.ts';
import { DIALECTS, type DialectEntry } from '../dialect/dialects.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { FaultType } from '../state/faults.ts';
import type { World } from '../world.ts';
import { backWith } from './frame.ts';
import { fileAnswer, html, pageAnswer, seeOther } from './html.ts';
import { newInvoicePage } from './invoices.ts';

type Fields = Readonly<Record<string, string>>;

type Action = (sandbox: Sandbox, fields: Fields) => unknown;

/** The actions on one order, named by `ident`. */
export const ORDER_ACTIONS: Readonly<Record<string, Action>> = {
  choose: (sandbox, { ident = '', method = '' }) => sandbox.choose(ident, method),
  pay: (sandbox, { ident = '', method }) => sandbox.pay(ident, { method }),
  underpay: (sandbox, { ident = '', amount = '', method }) => sandbox.underpay(ident, amount, { method }),
  overpay: (sandbox, { ident = '', amount = '', method }) => sandbox.overpay(ident, amount, { method }),
  adjust: (sandbox, { ident = '', amount = '' }) => sandbox.adjust(ident, amount),
  fail: (sandbox, { ident = '' }) => sandbox.fail(ident),
  cancel: (sandbox, { ident = '' }) => sandbox.cancel(ident),
  expire: (sandbox, { ident = '' }) => sandbox.expire(ident),
  resend: (sandbox, { ident = '' }) => sandbox.resend(ident),
};

const WITHDRAWAL_REASON = 'rejected by hand';

/** The actions of the dashboard and the command line on a running sandbox. */
const ACTIONS: Readonly<Record<string, Action>> = {
  ...ORDER_ACTIONS,
  create: (sandbox, { amount = '', currency = '', external_id, customer_id, callback_url }) =>
    sandbox.create({
      amount,
      currency,
      external_id: external_id || undefined,
      customer_id: customer_id || undefined,
      callback_url: callback_url || undefined,
    }),
  approve: (sandbox, { ident = '' }) => sandbox.approve(ident),
  reject: (sandbox, { ident = '', reason }) => sandbox.reject(ident, reason || WITHDRAWAL_REASON),
  assume: (sandbox, { name = '', value = '' }) => sandbox.assume({ [name]: dialectValue(name, value) }),
  explain: (sandbox, { ident = '' }) => sandbox.explain(ident),
  advance: async (sandbox, { duration = '' }) => {
    await sandbox.advance(/^\d+$/.test(duration) ? Number(duration) : duration);
    return { now: sandbox.now().toISOString() };
  },
  reset: (sandbox) => {
    sandbox.reset();
    return { now: sandbox.now().toISOString() };
  },
  freeze: (sandbox) => {
    sandbox.freeze();
    return { frozen: true };
  },
  unfreeze: (sandbox) => {
    sandbox.unfreeze();
    return { frozen: false };
  },
  fault: (sandbox, { type = '', operation, times, rate }) => {
    sandbox.faults.next(type as FaultType, {
      // next() checks the type
      ...(operation ? { operation: operationFrom(operation) } : {}),
      ...(times ? { times: times === 'Infinity' ? Number.POSITIVE_INFINITY : Number(times) } : {}),
      ...(rate ? { rate: Number(rate) } : {}),
    });
    return { queued: sandbox.faults.queued() };
  },
  chance: (sandbox, { rate = '' }) => {
    sandbox.faults.random(rate === '' ? Number.NaN : Number(rate));
    return { rate: Number(rate) };
  },
  clear_faults: (sandbox) => {
    sandbox.faults.clear();
    return { queued: [] };
  },
};

/** The value of a dialect from its text. Some values are numbers. */
function dialectValue(name: string, text: string): string | number {
  const table: Readonly<Record<string, DialectEntry>> = DIALECTS;
  const values = Object.hasOwn(table, name) ? (table[name]?.values ?? []) : [];
  return values.find((value) => String(value) === text) ?? text;
}

function operationFrom(name: string): Operation {
  const found = Object.values(endpoints).find(({ operation }) => operation === name);
  if (found !== undefined) return found.operation;
  throw new ConfigurationError(`There is no operation ${name}, only ${Object.keys(endpoints).join(', ')}`);
}

function jsonAnswer(value: unknown): Answer {
  return fileAnswer('application/json', JSON.stringify(value));
}

/** The answer of `GET /_/status`: clock, invoices and deliveries. */
export function statusAnswer(sandbox: Sandbox): Answer {
  const [invoices, deliveries, withdrawals] = [sandbox.invoices(), sandbox.deliveries(), sandbox.withdrawals()];
  return jsonAnswer({ url: sandbox.url, now: sandbox.now().toISOString(), invoices, deliveries, withdrawals });
}

/**
 * Answers `POST /_/{action}` with form fields or a JSON object. A client that accepts JSON gets JSON. A browser gets a
 * redirect to the page that the form names, or to what the action made.
 */
export async function actionAnswer(world: World, sandbox: Sandbox, name: string, exchange: Exchange): Promise<Answer> {
  const wantsJson = exchange.headers.get('accept')?.includes('application/json') ?? false;
  let fields: Fields = {};
  try {
    fields = fieldsOf(exchange);
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined)
      throw new ConfigurationError(`There is no action ${name}, only ${Object.keys(ACTIONS).join(', ')}`);
    const result: unknown = await action(sandbox, fields);
    const answer = wantsJson
      ? jsonAnswer({ ok: true, result })
      : seeOther(backWith(pageAfter(world, name, fields), name));
    return { ...answer, why: name };
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    const { message } = error;
    if (wantsJson) return { ...jsonAnswer({ ok: false, error: { message } }), status: 400, why: message };
    return { ...refusal(world, exchange, name, { fields, message }), why: message };
  }
}

/** The page that a browser sees after an action: the new invoice, the beginning after a reset, else where it was. */
function pageAfter(world: World, name: string, { back }: Fields): string | undefined {
  if (name === 'reset') return '/';
  const [newest] = name === 'create' ? world.store.list().part(0, 1, 'newest') : [];
  return newest === undefined ? back : `/invoices/${newest.uuid}`;
}

function refusal(
  world: World,
  exchange: Exchange,
  name: string,
  { fields, message }: { readonly fields: Fields; readonly message: string },
): Answer {
  if (name === 'create') {
    const url = new URL('/invoices/new', exchange.url);
    return newInvoicePage(world, { ...exchange, url }, { typed: fields, problem: message });
  }
  const body = html`<section class="card nothing"><h1>Not done</h1><p role="alert" class="notice bad">${message}</p><p><a href="${backWith(fields['back'], '')}">Back</a></p></section>`;
  return pageAnswer('Not done', body, { status: 400 });
}

function fieldsOf({ headers, body }: Exchange): Fields {
  if (!headers.get('content-type')?.includes('json')) return Object.fromEntries(new URLSearchParams(body));
  try {
    const value: unknown = JSON.parse(body === '' ? '{}' : body);
    const given = Object.entries(value ?? {}).filter(([, field]) => field !== null && field !== undefined);
    return Object.fromEntries(given.map(([name, field]) => [name, String(field)]));
  } catch {
    throw new ConfigurationError('The body is not JSON');
  }
}
