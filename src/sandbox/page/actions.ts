import { ConfigurationError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { runAction } from '../actions.ts';
import type { Sandbox } from '../api.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { SandboxInvoice } from '../wire-types.ts';
import type { World } from '../world.ts';
import { backWith } from './frame.ts';
import { fileAnswer, html, pageAnswer, seeOther } from './html.ts';
import { newInvoicePage } from './invoices.ts';

function jsonAnswer(value: unknown): Answer {
  return fileAnswer('application/json', JSON.stringify(value));
}

/** The answer of `GET /_/status`: clock, invoices and deliveries, as the action `status` returns them. */
export async function statusAnswer(sandbox: Sandbox): Promise<Answer> {
  return jsonAnswer({ ok: true, ...(await runAction(sandbox, 'status', {})) });
}

/** The fields of a form, or the members of a JSON object. */
type Values = Readonly<Record<string, unknown>>;

/**
 * Answers `POST /_/{action}` with form fields or a JSON object. A client that accepts JSON gets JSON. A browser gets a
 * redirect to the page that the form names, or to what the action made.
 */
export async function actionAnswer(world: World, sandbox: Sandbox, name: string, exchange: Exchange): Promise<Answer> {
  const wantsJson = exchange.headers.get('accept')?.includes('application/json') ?? false;
  let values: Values = {};
  try {
    values = valuesOf(exchange);
    const done = await runAction(sandbox, name, values);
    if (wantsJson) return { ...jsonAnswer({ ok: true, ...done }), why: name };
    return { ...seeOther(backWith(pageAfter(name, values['back'], done.result), name)), why: name };
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    const { message } = error;
    if (wantsJson) return { ...jsonAnswer({ ok: false, error: { message } }), status: 400, why: message };
    return { ...refusal(world, exchange, name, { values, message }), why: message };
  }
}

/** The page that a browser sees after an action: the new invoice, the beginning after a reset, else where it was. */
function pageAfter(name: string, back: unknown, result: unknown): unknown {
  if (name === 'reset') return '/';
  return name === 'create' ? `/invoices/${(result as SandboxInvoice).uuid}` : back; // create returns an invoice
}

function refusal(
  world: World,
  exchange: Exchange,
  name: string,
  { values, message }: { readonly values: Values; readonly message: string },
): Answer {
  if (name === 'create') {
    const url = new URL('/invoices/new', exchange.url);
    return newInvoicePage(world, { ...exchange, url }, { typed: values, problem: message });
  }
  const body = html`<section class="card nothing"><h1>Not done</h1><p role="alert" class="notice bad">${message}</p><p><a href="${backWith(values['back'], '')}">Back</a></p></section>`;
  return pageAnswer('Not done', body, { status: 400 });
}

function valuesOf({ headers, body }: Exchange): Values {
  if (!headers.get('content-type')?.includes('json')) return Object.fromEntries(new URLSearchParams(body));
  try {
    const value: unknown = JSON.parse(body === '' ? '{}' : body);
    return { ...Object(value) };
  } catch {
    throw new ConfigurationError('The body is not JSON');
  }
}
