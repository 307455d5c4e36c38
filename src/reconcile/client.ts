import type { WebhookDelivery } from '../contract/deliveries.ts';
import type { KnownInvoiceStatus, Page } from '../contract/types.ts';
import type { InvalidItem } from '../resources/list-options.ts';
import type { ReconcileInvoice } from './read/invoice-row.ts';

/** The part of the options of a call that `reconcile` sets. */
export interface ReconcileCallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The part of the options of a list that `reconcile` sets. */
export interface ReconcileListOptions extends ReconcileCallOptions {
  readonly onInvalidItem: (item: InvalidItem) => void;
}

/** The part of the query of a list that `reconcile` sets. */
export interface ReconcileQuery {
  readonly status?: KnownInvoiceStatus | undefined;
  readonly page: number;
  readonly per_page: number;
}

/** The part of a `MerchantClient` that `reconcile` needs. */
export interface ReconcileClient {
  readonly invoices: {
    list(query: ReconcileQuery, options: ReconcileListOptions): PromiseLike<Page<ReconcileInvoice>>;
    get(ident: string, options: ReconcileCallOptions): PromiseLike<ReconcileInvoice>;
  };
  readonly webhooks: {
    deliveries(
      ident: string,
      options: ReconcileCallOptions,
    ): PromiseLike<readonly Pick<WebhookDelivery, 'status' | 'last_http_status'>[]>;
    resend(ident: string, options?: ReconcileCallOptions): PromiseLike<void>;
  };
}
