import { type CatchUpClient, type CatchUpOptions, type CatchUpResult, catchUp } from './catch-up/catch-up.ts';
import { handleRequest, type WebhookRequest } from './handle/handle-request.ts';
import { readHandlerOptions, type WebhookHandlerOptions } from './handle/handler-options.ts';
import type { WebhookReply } from './handle/verdict.ts';

/** The endpoint as a function. Wrap it with `toFetchHandler`, `toNodeHandler` or `toLambdaHandler`, or call it directly. */
export interface WebhookHandler {
  /**
   * Handles one delivery. Never rejects: each failure is an answer and a report.
   *
   * @example
   * const reply = await handler.handle({ method: request.method, headers: request.headers, body: rawBody });
   * response.writeHead(reply.status, reply.headers).end(reply.body);
   */
  handle(request: WebhookRequest): Promise<WebhookReply>;
  /**
   * Plays the events that no webhook delivered: run it by a schedule, and after an outage. It asks the service about each
   * order that your database still waits for, and hands the final ones to the same functions, through the same store. A
   * webhook that arrives later finds them done. Reports go to `onReport`, with the status null.
   *
   * Beyond a hundred orders it reads the list of pending invoices first, and asks only for the orders that are not in it.
   * An order that fails stops nothing, and the next run tries it again. If an invoice lacks an amount, it is counted as
   * failed: amounts are never guessed.
   *
   * @param merchant A `MerchantClient`.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable argument, and for a `since` that the store's retention
   *   does not reach.
   * @throws AbortedError (`SDK_ABORTED`) if the signal is aborted.
   * @throws CallError of the client if the key is refused, a list cannot be read, or ten orders in a row get no answer.
   * @example
   * const { played, failed } = await handler.catchUp(merchant, { orders: ['order-1001', 'order-1002'] });
   * console.log(`${played} played, ${failed} failed`);
   */
  catchUp(merchant: CatchUpClient, options: CatchUpOptions): Promise<CatchUpResult>;
}

/**
 * Creates the webhook endpoint. It verifies each delivery, drops repeats, runs your function, and answers so that the
 * service repeats exactly if the work is not done.
 *
 * Your function may run again after a crash. Make its work idempotent, or write inside the transaction of a store that
 * has one.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for a missing or unusable option.
 * @example
 * const handler = createWebhookHandler({
 *   secret: process.env.MERCHANT_WEBHOOK_SECRET ?? '',
 *   store: memoryStore(),
 *   onPaid: async (event) => fulfil(event.external_id, event.credited_usdt),
 *   onCanceled: async (event) => cancel(event.external_id),
 * });
 * http.createServer(toNodeHandler(handler)).listen(3000);
 * @see [Receiver rules](../../docs/service-interface.md#receiver-rules)
 */
export function createWebhookHandler<Extra extends object = object>(
  options: WebhookHandlerOptions<Extra>,
): WebhookHandler {
  const settings = readHandlerOptions(options);
  return {
    handle: (request) => handleRequest(request, settings),
    catchUp: (merchant, options) => catchUp(merchant, options, settings),
  };
}
