import { ConfigurationError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { runAction } from '../actions.ts';
import type { Sandbox } from '../api.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import { backWith } from './dashboard-frame.ts';
import { fileAnswer, html, pageAnswer, seeOther } from './parts/html.ts';

function jsonAnswer(value: unknown): Answer {
  return fileAnswer('application/json', JSON.stringify(value));
}

/** The answer of `GET /_/status`: clock, invoices and deliveries, as the action `status` returns them. */
export async function statusAnswer(sandbox: Sandbox): Promise<Answer> {
  return jsonAnswer({ ok: true, ...(await runAction(sandbox, 'status', {})) });
}

/**
 * Answers `POST /_/{action}` with form fields or a JSON object. A client that accepts JSON gets JSON. A browser gets a
 * redirect to the page that the form names.
 */
export async function actionAnswer(sandbox: Sandbox, name: string, exchange: Exchange): Promise<Answer> {
  const wantsJson = exchange.headers.get('accept')?.includes('application/json') ?? false;
  let back: string | undefined;
  try {
    const values = valuesOf(exchange);
    if (typeof values['back'] === 'string') back = values['back'];
    const done = await runAction(sandbox, name, values);
    return { ...(wantsJson ? jsonAnswer({ ok: true, ...done }) : seeOther(backWith(back, name))), why: name };
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    const { message } = error;
    const answer = wantsJson
      ? { ...jsonAnswer({ ok: false, error: { message } }), status: 400 }
      : pageAnswer(
          'Not done',
          html`<section class="card stack"><h1>Not done</h1><p role="alert" class="notice bad">${message}</p><p><a href="${backWith(back, '')}">Back</a></p></section>`,
          { status: 400 },
        );
    return { ...answer, why: message };
  }
}

function valuesOf({ headers, body }: Exchange): Readonly<Record<string, unknown>> {
  if (!headers.get('content-type')?.includes('json')) return Object.fromEntries(new URLSearchParams(body));
  try {
    const value: unknown = JSON.parse(body === '' ? '{}' : body);
    return { ...Object(value) };
  } catch {
    throw new ConfigurationError('The body is not JSON');
  }
}
