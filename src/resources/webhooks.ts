import { type Call, CallPromise } from '../call/call.ts';
import type { CallOptions } from '../call/options.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { WebhookDelivery } from '../contract/types.ts';
import { ConfigurationError } from '../errors/classes.ts';
import type { Runner } from '../transport/runner.ts';
import type { InvoiceEvent } from '../webhooks/event/events.ts';
import { createWebhookHandler } from '../webhooks/handle/handler.ts';
import type { WebhookHandler, WebhookHandlerOptions } from '../webhooks/handle/handler-options.ts';
import type { HeadersInput } from '../webhooks/verify/delivery-headers.ts';
import type { RawBody } from '../webhooks/verify/raw-body.ts';
import { verifyWebhook } from '../webhooks/verify/verify.ts';
import type { VerifyWebhookOptions } from '../webhooks/verify/verify-settings.ts';

/** Webhooks: what was delivered, sending again, and receiving with the client's own secret. */
export interface Webhooks {
  /**
   * The invoice's deliveries, each with its attempts.
   * @see [GET /api/v1/external/invoices/{ident}/webhooks](../../docs/service-interface.md#get-apiv1externalinvoicesidentwebhooks)
   */
  deliveries(ident: string, options?: CallOptions): Call<WebhookDelivery[]>;

  /**
   * Sends the latest delivery of the invoice now. Repeated only after a rate limit or when it surely was not sent.
   * @see [POST /api/v1/external/invoices/{ident}/resend-webhook](../../docs/service-interface.md#post-apiv1externalinvoicesidentresend-webhook)
   */
  resend(ident: string, options?: CallOptions): Call<void>;

  /**
   * Verifies a delivery with the client's webhookSecret and gives its event. `rawBody` is the bytes as they arrived.
   * Rejects with a WebhookVerificationError whose `reason` says why. @see [Authentication](../../docs/service-interface.md#authentication)
   */
  verify(rawBody: RawBody, headers: HeadersInput, options?: VerifyWebhookOptions): Promise<InvoiceEvent>;

  /**
   * The receiver of `merchant-invoicing/webhooks`, with the client's webhookSecret. Throws a ConfigurationError.
   * @see [Authentication](../../docs/service-interface.md#authentication)
   */
  handler<Extra extends object = object>(options: Omit<WebhookHandlerOptions<Extra>, 'secret'>): WebhookHandler;
}

/** @internal */
export class WebhooksResource implements Webhooks {
  readonly #runner: Runner;
  readonly #secrets: readonly (string | Uint8Array)[];

  constructor(runner: Runner, secrets: readonly (string | Uint8Array)[]) {
    this.#runner = runner;
    this.#secrets = secrets;
  }

  deliveries(ident: string, options?: CallOptions): Call<WebhookDelivery[]> {
    return new CallPromise(this.#runner.run(endpoints['webhooks.deliveries'], { params: { ident } }, options));
  }

  resend(ident: string, options?: CallOptions): Call<void> {
    return new CallPromise(this.#runner.run(endpoints['webhooks.resend'], { params: { ident } }, options));
  }

  async verify(rawBody: RawBody, headers: HeadersInput, options?: VerifyWebhookOptions): Promise<InvoiceEvent> {
    return verifyWebhook(rawBody, headers, this.#secret('webhooks.verify'), options);
  }

  handler<Extra extends object = object>(options: Omit<WebhookHandlerOptions<Extra>, 'secret'>): WebhookHandler {
    const operation = 'webhooks.handler';
    if (typeof options === 'object' && options !== null && 'secret' in options) {
      throw new ConfigurationError(`${operation} takes the webhookSecret of the client: leave secret out.`, {
        operation,
      });
    }
    return createWebhookHandler<Extra>({ ...options, secret: this.#secret(operation) });
  }

  #secret(operation: string): readonly (string | Uint8Array)[] {
    if (this.#secrets.length > 0) return this.#secrets;
    throw new ConfigurationError(
      `${operation}: the client has no webhookSecret: give MerchantClient one, or put it into MERCHANT_WEBHOOK_SECRET, which is not set or empty.`,
      { operation },
    );
  }
}
