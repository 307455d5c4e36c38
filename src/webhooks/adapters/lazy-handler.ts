import { configurationFail, type Fail, kindOf } from '../../errors/checks.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { replyFor, type WebhookReply } from '../handle/reply.ts';
import { NO_SUBJECT, report } from '../handle/report.ts';
import type { WebhookHandler, WebhookRequest } from '../handler.ts';

/**
 * The handler of an endpoint, or a function that makes it at the first request. Some builds evaluate the module, and
 * have no secrets.
 */
export type HandlerSource = WebhookHandler | (() => WebhookHandler);

/**
 * The `handle` of the handler. A function is called at the first request. If it throws, the request is answered 500,
 * the console says why, and the next request tries again.
 */
export function handleOf(source: HandlerSource, adapter: string): (request: WebhookRequest) => Promise<WebhookReply> {
  if (isHandler(source)) return (request) => source.handle(request);
  const fail: Fail = configurationFail(adapter);
  if (typeof source !== 'function')
    return fail(`needs a handler of createWebhookHandler, or a function that returns one, not ${kindOf(source)}`);
  if (source.length > 0) {
    return fail(
      `takes a handler, or a function without parameters that makes it. If this is handler.handle: ${adapter}(handler), without .handle`,
    );
  }
  let made: WebhookHandler | null = null;
  return async (request) => {
    let handler: WebhookHandler;
    try {
      handler = made ??= handlerFrom(source(), adapter);
    } catch (error) {
      const message = isMerchantError(error) ? error.message : 'The function that makes the webhook handler threw.';
      const reply = replyFor('setup');
      const fact = { message, status: reply.status, error: isMerchantError(error) ? undefined : error };
      report({ onReport: undefined, verify: { now: Date.now } }, NO_SUBJECT, { reason: 'setup', ...fact });
      return reply;
    }
    return await handler.handle(request);
  };
}

function isHandler(value: unknown): value is WebhookHandler {
  return typeof value === 'object' && value !== null && 'handle' in value && typeof value.handle === 'function';
}

/** @throws ConfigurationError for anything but a handler, such as the promise that an async function returns */
function handlerFrom(made: unknown, adapter: string): WebhookHandler {
  if (isHandler(made)) return made;
  if (made instanceof Promise) made.catch(() => undefined); // otherwise its rejection ends the process
  const what = made instanceof Promise ? 'a promise: it must not be async' : kindOf(made);
  const fail: Fail = configurationFail(adapter);
  return fail(`the function must return a handler of createWebhookHandler, not ${what}`);
}
