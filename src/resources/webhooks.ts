import type { WebhookDelivery } from '../contract/deliveries.ts';
import { endpoints } from '../contract/endpoints.ts';
import { ConfigurationError } from '../errors/classes.ts';
import type { CallOptions } from '../options.ts';
import type { ClientCore } from '../transport/types.ts';
import type { RawBody } from '../webhooks/body.ts';
import type { InvoiceEvent } from '../webhooks/event/event-types.ts';
import type { WebhookHandlerOptions } from '../webhooks/handle/handler-options.ts';
import { createWebhookHandler, type WebhookHandler } from '../webhooks/handler.ts';
import type { HeadersInput } from '../webhooks/verify/headers.ts';
import { type VerifyWebhookOptions, verifyWebhook } from '../webhooks/verify/verify.ts';
import { type Call, CallPromise, call } from './call-promise.ts';

/** Webhooks: lists deliveries, sends one again, and receives them with the client's secret. */
export interface Webhooks {
  /**
   * Lists the deliveries of an invoice, each with its attempts.
   * @param ident The service's uuid, or the external_id.
   * @throws NotFoundError (with the code of the service) if the business has no such invoice.
   * @example
   * const deliveries = await merchant.webhooks.deliveries('order-1042');
   * @see [GET /api/v1/external/invoices/{ident}/webhooks](../../docs/service-interface.md#get-apiv1externalinvoicesidentwebhooks)
   */
  deliveries(ident: string, options?: CallOptions): Call<WebhookDelivery[]>;

  /**
   * Makes the service send the latest delivery of the invoice now. The client retries this call only after a rate
   * limit, or if the request certainly was not sent.
   * @param ident The service's uuid, or the external_id.
   * @throws NotFoundError (with the code of the service) if the business has no such invoice, or the invoice has no
   * delivery.
   * @example
   * await merchant.webhooks.resend('order-1042');
   * @see [POST /api/v1/external/invoices/{ident}/resend-webhook](../../docs/service-interface.md#post-apiv1externalinvoicesidentresend-webhook)
   */
  resend(ident: string, options?: CallOptions): Call<void>;

  /**
   * Verifies a delivery with the client's webhookSecret and returns its event.
   * @param rawBody The bytes as received, not parsed.
   * @throws WebhookVerificationError (`SDK_WEBHOOK_<REASON>`), whose `reason` names the problem.
   * @example
   * const event = await merchant.webhooks.verify(await request.text(), request.headers);
   * @see [Authentication](../../docs/service-interface.md#authentication)
   */
  verify(rawBody: RawBody, headers: HeadersInput, options?: VerifyWebhookOptions): Promise<InvoiceEvent>;

  /**
   * Creates the receiver of `merchant-invoicing/webhooks`, with the client's webhookSecret.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) without a webhookSecret, or for an unusable option.
   * @example
   * const handler = merchant.webhooks.handler({ store, onPaid, onAdjusted, onCanceled });
   * @see [Authentication](../../docs/service-interface.md#authentication)
   */
  handler<Extra extends object = object>(options: Omit<WebhookHandlerOptions<Extra>, 'secret'>): WebhookHandler;
}

/** @internal */
export function buildWebhooks(client: ClientCore, secrets: readonly (string | Uint8Array)[]): Webhooks {
  const secretsFor = (operation: string): readonly (string | Uint8Array)[] => {
    if (secrets.length > 0) return secrets;
    throw new ConfigurationError(
      `${operation}: the client has no webhookSecret: give MerchantClient one, or put it into MERCHANT_WEBHOOK_SECRET, which is not set or empty. A client that withOptions made with another key needs its own.`,
      { operation },
    );
  };
  return {
    deliveries: (ident, options) => new CallPromise(call(client, endpoints['webhooks.deliveries'], { ident }, options)),
    resend: (ident, options) => new CallPromise(call(client, endpoints['webhooks.resend'], { ident }, options)),
    verify: async (rawBody, headers, options) =>
      verifyWebhook(rawBody, headers, secretsFor('webhooks.verify'), options),
    handler(options) {
      const operation = 'webhooks.handler';
      if (typeof options === 'object' && options !== null && 'secret' in options) {
        throw new ConfigurationError(`${operation} takes the webhookSecret of the client: leave secret out.`, {
          operation,
        });
      }
      return createWebhookHandler({ ...options, secret: secretsFor(operation) });
    },
  };
}
