import { ConfigurationError, isMerchantError } from '../../errors.ts';
import type { Sandbox } from '../api.ts';
import type { Answer } from '../respond.ts';
import type { Exchange } from '../service.ts';
import { fileAnswer, html, pageAnswer, seeOther } from './html.ts';

type Fields = Readonly<Record<string, string>>;

/** What can be done to a running sandbox from outside: by the buttons of `/`, and by a command line. */
const ACTIONS: Readonly<Record<string, (sandbox: Sandbox, fields: Fields) => unknown>> = {
  advance: async (sandbox, { duration = '' }) => {
    await sandbox.advance(/^\d+$/.test(duration) ? Number(duration) : duration);
    return { now: sandbox.now().toISOString() };
  },
  reset: (sandbox) => {
    sandbox.reset();
    return { now: sandbox.now().toISOString() };
  },
  resend: (sandbox, { ident = '' }) => sandbox.resend(ident),
  choose: (sandbox, { ident = '', method = '' }) => sandbox.choose(ident, method),
  pay: (sandbox, { ident = '', method }) => sandbox.pay(ident, method === undefined ? {} : { method }),
  underpay: (sandbox, { ident = '', amount = '' }) => sandbox.underpay(ident, amount),
  overpay: (sandbox, { ident = '', amount = '' }) => sandbox.overpay(ident, amount),
  adjust: (sandbox, { ident = '', amount = '' }) => sandbox.adjust(ident, amount),
  fail: (sandbox, { ident = '' }) => sandbox.fail(ident),
  cancel: (sandbox, { ident = '' }) => sandbox.cancel(ident),
  expire: (sandbox, { ident = '' }) => sandbox.expire(ident),
};

/** What is there, for `GET /_/status`. */
export function statusAnswer(sandbox: Sandbox): Answer {
  const { url } = sandbox;
  const state = {
    url,
    now: sandbox.now().toISOString(),
    invoices: sandbox.invoices(),
    deliveries: sandbox.deliveries(),
  };
  return fileAnswer('application/json', JSON.stringify(state));
}

/** `POST /_/{action}` with form fields or a JSON object. Answers JSON where JSON is asked for, else leads back to `/`. */
export async function actionAnswer(sandbox: Sandbox, name: string, exchange: Exchange): Promise<Answer> {
  const wantsJson = exchange.headers.get('accept')?.includes('application/json') ?? false;
  try {
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined)
      throw new ConfigurationError(`There is no action ${name}; there are ${Object.keys(ACTIONS).join(', ')}`);
    const result: unknown = await action(sandbox, fieldsOf(exchange));
    return {
      ...(wantsJson ? fileAnswer('application/json', JSON.stringify({ ok: true, result })) : seeOther('/')),
      why: name,
    };
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    const { message } = error;
    const answer = wantsJson
      ? { ...fileAnswer('application/json', JSON.stringify({ ok: false, error: { message } })), status: 400 }
      : pageAnswer(
          'Not done',
          html`<section><h1>Not done</h1><p role="alert">${message}</p><p><a href="/">Back</a></p></section>`,
          { status: 400 },
        );
    return { ...answer, why: message };
  }
}

function fieldsOf({ headers, body }: Exchange): Fields {
  if (!headers.get('content-type')?.includes('json')) return Object.fromEntries(new URLSearchParams(body));
  try {
    const value: unknown = JSON.parse(body === '' ? '{}' : body);
    return Object.fromEntries(Object.entries(value ?? {}).map(([name, field]) => [name, String(field)]));
  } catch {
    throw new ConfigurationError('The body is not JSON');
  }
}
