// The sub-clients of the folder: for each an interface that users see, and the functions behind it.

import { endpoints } from '../contract/endpoints.ts';
import type { CreatedInvoice, CreateInvoiceParams, Invoice, ListInvoicesQuery } from '../contract/invoices.ts';
import { type CallOptions, type ListOptions, readCallOptions } from '../options.ts';
import type { ClientCore } from '../transport/types.ts';
import { type Call, CallPromise, call, type ListCall } from './call-promise.ts';
import { type CreateOrGetResult, createInvoice } from './create-invoice.ts';
import { listCall } from './list.ts';
import { type CreateOrRenewResult, renewInvoice } from './renew-invoice.ts';

/** Invoices: what the customer is asked to pay for an order, each with a hosted payment link. */
export interface Invoices {
  /**
   * Creates an invoice. Safe to repeat with the same external_id: no second invoice is ever created.
   *
   * If one of this call's attempts got no response and had created the invoice, the invoice is read back, compared and
   * returned. `recovered` of `withResponse()` is then true.
   *
   * @throws InvoiceAlreadyExistsError (`INVOICE_ALREADY_EXISTS`) if the external_id is taken.
   * @throws InvoiceMismatchError (`SDK_INVOICE_MISMATCH`) if the external_id is taken, an earlier attempt got no
   * response, and the invoice that is read back has another amount, currency or customer.
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
   * @throws InvoiceAlreadyExistsError (`INVOICE_ALREADY_EXISTS`) if the invoice exists and cannot be read.
   * @example
   * const { created, invoice } = await merchant.invoices.createOrGet(params);
   * @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices)
   */
  createOrGet(params: CreateInvoiceParams, options?: CallOptions): Call<CreateOrGetResult>;

  /**
   * The invoice with which an order can be paid, or the one that paid it: for a pay button that may be pressed again
   * after an invoice has ended. Attempt 1 has the id of the order, attempt n is `ORDER-r<n>`, and `orderOf` reads such
   * an id.
   *
   * It looks upward from the first attempt, because an earlier one may be paid late. An attempt that ended unpaid is
   * followed by the next. One `deadline` covers the whole call. Write the row of the attempt before the customer gets
   * the link.
   *
   * @param params As for `create`. `external_id` is the id of the order, of at most 124 characters, and not one that
   * ends in `-r2` to `-r50`.
   * @throws ValidationError (`VALIDATION_ERROR`) for unusable parameters. No request is made if the client finds them.
   * @throws InvoiceMismatchError (`SDK_INVOICE_MISMATCH`) if an invoice of the order that has not ended unpaid is
   * another charge. `existing` has it.
   * @throws InvoiceAlreadyExistsError (`INVOICE_ALREADY_EXISTS`) if an invoice cannot be read, or after 50 attempts.
   * @example
   * const { invoice, external_id } = await merchant.invoices.createOrRenew(order);
   * if (invoice.status === 'pending') redirect(invoice.payment_url);
   * @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices)
   */
  createOrRenew(params: CreateInvoiceParams, options?: CallOptions): Call<CreateOrRenewResult>;

  /**
   * Reads one invoice.
   *
   * @param ident The service's uuid, or the external_id.
   * @throws NotFoundError (with the code of the service) if the business has no such invoice.
   * @example
   * const { status } = await merchant.invoices.get('order-1042');
   * @see [GET /api/v1/external/invoices/{ident}](../../docs/service-interface.md#get-apiv1externalinvoicesident)
   */
  get(ident: string, options?: CallOptions): Call<Invoice>;

  /**
   * Lists invoices in the order of the service. The result is a promise of one page and an async iterable of all
   * invoices. Invoices of another status or currency than was asked for are left out.
   *
   * @param query Filters and page. `per_page` is 1 to 100.
   * @throws ValidationError (`VALIDATION_ERROR`) for an unusable filter. No request is made.
   * @example
   * for await (const invoice of merchant.invoices.list({ status: 'success' })) console.log(invoice.external_id);
   * @see [GET /api/v1/external/invoices](../../docs/service-interface.md#get-apiv1externalinvoices)
   */
  list(query?: ListInvoicesQuery, options?: ListOptions): ListCall<Invoice>;
}

/** @internal */
export function buildInvoices(client: ClientCore): Invoices {
  const create = (params: CreateInvoiceParams, options: CallOptions | undefined, orGet: boolean) =>
    createInvoice(client, params, readCallOptions(client.settings, options), orGet);
  return {
    create: (params, options) =>
      new CallPromise(create(params, options, false).then((success) => ({ ...success, value: success.value.invoice }))),
    createOrGet: (params, options) => new CallPromise(create(params, options, true)),
    createOrRenew: (params, options) =>
      new CallPromise(renewInvoice(client, params, readCallOptions(client.settings, options))),
    get: (ident, options) => new CallPromise(call(client, endpoints['invoices.get'], { ident }, options)),
    list: (query = {}, options) => listCall(client, endpoints['invoices.list'], query, options),
  };
}
