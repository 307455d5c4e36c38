import { catchUp } from './catch-up/catch-up.ts';
import type { CatchUpClient } from './catch-up/catch-up-client.ts';
import type { CatchUpOptions, CatchUpResult } from './catch-up/catch-up-options.ts';
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
   * Plays the events that no webhook delivered, after an outage or every night. It hands the final invoices that are not
   * done to the same functions, through the same store. A webhook that arrives later finds them done. Reports go to
   * `onReport`, with the status null.
   *
   * Keep the `cursor` of the result, and pass it to the next run, which then reads only what is new. An invoice that fails
   * does not stop the others, and the next run tries it again. If an invoice lacks an amount, it is counted as failed:
   * amounts are never guessed.
   *
   * @param merchant A `MerchantClient`.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable argument, or a cursor that is damaged or of another account. Also for a
   *   `since` or a cursor that the store's retention does not reach.
   * @throws AbortedError (`SDK_ABORTED`) if the signal is aborted. The last cursor stays valid.
   * @throws CallError of the client if the list cannot be read. The last cursor stays valid.
   * @example
   * const first = await handler.catchUp(merchant, { since: '2026-01-31T09:00:00Z' });
   * const next = await handler.catchUp(merchant, { since: '2026-01-31T09:00:00Z', cursor: first.cursor });
   * console.log(`${next.played} played, ${next.failed} failed`);
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
