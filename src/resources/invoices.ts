// The room `resources` holds the sub-clients: an interface that users see, and a thin class for each.
// It imports call, transport, contract and errors. Only webhooks.ts imports the receiver.
import { type Call, CallPromise, type ListCall } from '../call/call.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { CreatedInvoice, CreateInvoiceParams, Invoice, ListInvoicesQuery } from '../contract/invoices.ts';
import type { CallOptions } from '../transport/options.ts';
import type { ClientCore } from '../transport/scope.ts';
import { createInvoice } from './create-invoice.ts';
import { listCall, wordFilter } from './list.ts';
import type { ListOptions } from './list-options.ts';
import { readInvoice } from './read-invoice.ts';
import { pollUntilFinal, type WaitOptions } from './wait-until-final.ts';

/** The result of {@link Invoices.createOrGet}. */
export type CreateOrGetResult =
  | { readonly created: true; readonly invoice: CreatedInvoice }
  | { readonly created: false; readonly invoice: Invoice };

/** Invoices: each one is a charge with a hosted payment link. */
export interface Invoices {
  /**
   * Creates an invoice. Safe to repeat with the same external_id: no second invoice is ever created.
   *
   * If one of this call's attempts got no answer and had created the invoice, the invoice is read back, compared and
   * returned. `withResponse()` says `recovered: true` then.
   *
   * @throws InvoiceAlreadyExistsError (`INVOICE_ALREADY_EXISTS`) if the external_id is taken.
   * @throws ValidationError (`VALIDATION_ERROR`) for unusable parameters. No request is made if the client finds them.
   * @example
   * const invoice = await merchant.invoices.create({
   *   external_id: 'order-1042',
   *   amount: '25.00',
   *   currency: 'EUR',
   *   customer_id: 'customer-7',
   * });
   * @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices)
   */
  create(params: CreateInvoiceParams, options?: CallOptions): Call<CreatedInvoice>;

  /**
   * Creates the invoice, or reads the one that has this external_id. An invoice that is found may be final, for example
   * paid. Check its status before you send the customer to it.
   *
   * @throws ValidationError (`VALIDATION_ERROR`) for unusable parameters. No request is made if the client finds them.
   * @throws InvoiceMismatchError (`SDK_INVOICE_MISMATCH`) if the invoice has another amount, currency or customer.
   * @example
   * const { created, invoice } = await merchant.invoices.createOrGet(params);
   * @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices)
   */
  createOrGet(params: CreateInvoiceParams, options?: CallOptions): Call<CreateOrGetResult>;

  /**
   * Reads one invoice.
   *
   * @param ident The service's uuid, or the external_id.
   * @throws NotFoundError (`SDK_HTTP_404`, or the code of the service) if the business has no such invoice.
   * @example
   * const { status } = await merchant.invoices.get('order-1042');
   * @see [GET /api/v1/external/invoices/{ident}](../../docs/service-interface.md#get-apiv1externalinvoicesident)
   */
  get(ident: string, options?: CallOptions): Call<Invoice>;

  /**
   * Lists invoices in the order of the service. The result is a promise of one page and an async iterable of all
   * invoices. Invoices of another status or currency than was asked for are left out, with an `onDrift` event.
   *
   * @param query Filters and page. `per_page` is 1 to 100.
   * @throws ValidationError (`VALIDATION_ERROR`) for an unusable filter. No request is made.
   * @example
   * for await (const invoice of merchant.invoices.list({ status: 'success' })) console.log(invoice.external_id);
   * @see [GET /api/v1/external/invoices](../../docs/service-interface.md#get-apiv1externalinvoices)
   */
  list(query?: ListInvoicesQuery, options?: ListOptions): ListCall<Invoice>;

  /**
   * Polls until the invoice is final, with growing intervals, also during outages of the service. For scripts and tests,
   * because a shop acts on the webhook.
   *
   * @throws TimeoutError (`SDK_DEADLINE`) when `timeout` has passed.
   * @example
   * const invoice = await merchant.invoices.waitUntilFinal('order-1042', { timeout: 60_000 });
   * @see [Invoice states](../../docs/service-interface.md#invoice-states)
   */
  waitUntilFinal(ident: string, options?: WaitOptions): Promise<Invoice>;
}

/** @internal */
export function buildInvoices(client: ClientCore): Invoices {
  return {
    create: (params, options = {}) => new CallPromise(createInvoice(client, params, options, false)),
    createOrGet: (params, options = {}) =>
      new CallPromise(
        createInvoice(client, params, options, true).then((creation) => ({
          ...creation,
          value: creation.created
            ? { created: true, invoice: creation.value }
            : { created: false, invoice: creation.value },
        })),
      ),
    get: (ident, options) => new CallPromise(readInvoice(client, ident, options)),
    list: (query = {}, options = {}) =>
      listCall(client, endpoints['invoices.list'], query, options, {
        filtersOf: ({ status, currency }) => [
          ...wordFilter('status', status, (invoice: Invoice) => invoice.status),
          ...wordFilter('currency', currency, (invoice: Invoice) => invoice.currency.code),
        ],
      }),
    waitUntilFinal: (ident, options = {}) => pollUntilFinal(client, ident, options),
  };
}
