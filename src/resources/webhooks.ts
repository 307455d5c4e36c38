import type { WebhookDelivery } from '../contract/deliveries.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { CallOptions } from '../options.ts';
import type { ClientCore } from '../transport/types.ts';
import { type Call, CallPromise, call } from './call-promise.ts';

/** Webhooks as the service sends them: lists deliveries, and sends one again. */
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
}

/** @internal */
export function buildWebhooks(client: ClientCore): Webhooks {
  return {
    deliveries: (ident, options) => new CallPromise(call(client, endpoints['webhooks.deliveries'], { ident }, options)),
    resend: (ident, options) => new CallPromise(call(client, endpoints['webhooks.resend'], { ident }, options)),
  };
}
