import { type Call, CallPromise, type ListCall } from '../call/call.ts';
import type { CallOptions } from '../call/options.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { CreatedInvoice, CreateInvoiceParams, Invoice, ListInvoicesQuery } from '../contract/types.ts';
import type { Runner } from '../transport/runner.ts';
import { createInvoice } from './create-invoice.ts';
import { listCall, wordFilter } from './list.ts';
import type { ListOptions } from './list-options.ts';
import { readInvoice } from './read-invoice.ts';
import { pollUntilFinal, type WaitOptions } from './wait-until-final.ts';

/** What {@link Invoices.createOrGet} found or made. */
export type CreateOrGetResult =
  | { readonly created: true; readonly invoice: CreatedInvoice }
  | { readonly created: false; readonly invoice: Invoice };

/** Invoices: each one is a charge with a hosted payment link. */
export interface Invoices {
  /**
   * Creates an invoice. Safe to repeat with the same external_id: no second invoice is ever created. A taken
   * external_id is an `InvoiceAlreadyExistsError`, unless an own attempt whose answer was lost had created it:
   * then it is read back, compared and returned, and `withResponse()` says `recovered: true`.
   * @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices)
   */
  create(params: CreateInvoiceParams, options?: CallOptions): Call<CreatedInvoice>;

  /**
   * Creates the invoice, or reads the one that has this external_id. The one found may be final, paid for example:
   * look at its status before you send the customer to it. Another amount, currency or customer is an
   * `InvoiceMismatchError`.
   * @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices)
   */
  createOrGet(params: CreateInvoiceParams, options?: CallOptions): Call<CreateOrGetResult>;

  /**
   * `ident`: the service's uuid or the external_id.
   * @see [GET /api/v1/external/invoices/{ident}](../../docs/service-interface.md#get-apiv1externalinvoicesident)
   */
  get(ident: string, options?: CallOptions): Call<Invoice>;

  /**
   * Lists invoices in the order of the service. The result is a promise of one page and an async iterable of all
   * invoices. Invoices of another status or currency than was asked for are left out, with an `onDrift` event.
   * @see [GET /api/v1/external/invoices](../../docs/service-interface.md#get-apiv1externalinvoices)
   */
  list(query?: ListInvoicesQuery, options?: ListOptions<Invoice>): ListCall<Invoice>;

  /**
   * Polls until the invoice is final, with growing intervals, through outages of the service. For scripts and tests:
   * a shop should act on the webhook. Rejects with a TimeoutError (SDK_DEADLINE) when `timeout` has passed.
   * @see [Invoice states](../../docs/service-interface.md#invoice-states)
   */
  waitUntilFinal(ident: string, options?: WaitOptions): Promise<Invoice>;
}

/** @internal */
export class InvoicesResource implements Invoices {
  readonly #runner: Runner;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  create(params: CreateInvoiceParams, options: CallOptions = {}): Call<CreatedInvoice> {
    return new CallPromise(createInvoice(this.#runner, params, options, false).then(({ success }) => success));
  }

  createOrGet(params: CreateInvoiceParams, options: CallOptions = {}): Call<CreateOrGetResult> {
    return new CallPromise(
      createInvoice(this.#runner, params, options, true).then((creation) => ({
        ...creation.success,
        value: creation.created
          ? { created: true, invoice: creation.success.value }
          : { created: false, invoice: creation.success.value },
      })),
    );
  }

  get(ident: string, options?: CallOptions): Call<Invoice> {
    return new CallPromise(readInvoice(this.#runner, ident, options));
  }

  list(query: ListInvoicesQuery = {}, options: ListOptions<Invoice> = {}): ListCall<Invoice> {
    return listCall(this.#runner, endpoints['invoices.list'], query, options, {
      filtersOf: ({ status, currency }) => [
        ...wordFilter('status', status, (invoice: Invoice) => invoice.status),
        ...wordFilter('currency', currency, (invoice: Invoice) => invoice.currency.code),
      ],
    });
  }

  waitUntilFinal(ident: string, options: WaitOptions = {}): Promise<Invoice> {
    return pollUntilFinal(this.#runner, ident, options);
  }
}
