// The sub-clients of the folder: for each an interface that users see, and the functions behind it.

import { endpoints } from '../contract/endpoints.ts';
import type { CreatedInvoice, CreateInvoiceParams, Invoice, ListInvoicesQuery } from '../contract/invoices.ts';
import { IdentProof } from '../lookup/by-path.ts';
import { type CallOptions, type ListOptions, readCallOptions } from '../options.ts';
import type { ClientCore, Success } from '../transport/types.ts';
import { type Call, CallPromise, call, type ListCall } from './call-promise.ts';
import { createInvoice } from './create-invoice.ts';
import { listCall } from './list.ts';
import { invoicesOfOrder } from './order-invoices.ts';
import { type CreateOrRenewResult, renewInvoice } from './renew-invoice.ts';

/** Invoices: what the customer is asked to pay for an order, each with a hosted payment link. */
export interface Invoices {
  /**
   * Creates an invoice. Safe to repeat with the same external_id: no second invoice is ever created. For a pay button,
   * which may be pressed again, use `createOrRenew`.
   *
   * If one of this call's attempts got no response and may have created the invoice, the invoice is read back, compared
   * and returned. `recovered` of `withResponse()` is then true.
   *
   * @param params `external_id` is the id of the order. One that ends in `--` and a number from 1 to 99 is refused:
   * renewals get such ids.
   * @throws InvoiceAlreadyExistsError (`INVOICE_ALREADY_EXISTS`) if the external_id is taken. `existing` is the invoice
   * if it could be read and is the same charge. Otherwise the message names what differs.
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
   * The invoice with which an order can be paid, or the one that paid it: for a pay button that may be pressed again
   * after an invoice has ended. The first invoice has the id of the order, and renewal n is `ORDER--n`.
   *
   * The call looks at the first invoice, then at each renewal, because an earlier invoice may be paid late. An invoice
   * that ended unpaid is followed by a renewal. A pending invoice past its `expires_at` is followed by a renewal if
   * nobody has chosen a payment method, or one hour later. One `deadline` covers the whole call. Write `renewal` into
   * the row of the order before the customer gets the link.
   *
   * @param params As for `create`. `external_id` is the id of the order, of at most 124 characters.
   * @throws ValidationError (`VALIDATION_ERROR`) for unusable parameters. No request is made if the client finds them.
   * @throws InvoiceMismatchError (`SDK_INVOICE_MISMATCH`) if an invoice of the order that has not ended unpaid is
   * another charge. `existing` has it.
   * @throws InvoiceAlreadyExistsError (`INVOICE_ALREADY_EXISTS`) if an invoice cannot be read, or after 49 renewals.
   * @example
   * const { invoice, renewal } = await merchant.invoices.createOrRenew(order);
   * if (invoice.status === 'pending') redirect(invoice.payment_url);
   * @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices)
   */
  createOrRenew(params: CreateInvoiceParams, options?: CallOptions): Call<CreateOrRenewResult>;

  /**
   * Reads all invoices of an order: the first one, and each renewal until one does not exist. Resolves to an empty list
   * if the order has none. The response is that of the last invoice.
   *
   * If paths do not accept the id, the list of all invoices is read, at most 20 pages.
   *
   * @param order The id of the order. A uuid, and an id that ends in `--n`, stand for the order of their invoice.
   * @throws UnexpectedResponseError (`SDK_PAGE`) if it is not sure which invoices the order has.
   * @example
   * const invoices = await merchant.invoices.ofOrder('order-1042');
   * const isPaid = invoices.some((invoice) => invoice.status === 'success');
   * @see [GET /api/v1/external/invoices/{ident}](../../docs/service-interface.md#get-apiv1externalinvoicesident)
   */
  ofOrder(order: string, options?: CallOptions): Call<readonly Invoice[]>;

  /**
   * Reads one invoice. By the id of an order it is the first invoice alone: `ofOrder` also reads the renewals.
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
  const proof = new IdentProof();
  const get = async (ident: string, options: CallOptions | undefined): Promise<Success<Invoice>> => {
    const success = await call(client, endpoints['invoices.get'], { ident }, options);
    proof.note(ident, success.value);
    return success;
  };
  const settings = (options: CallOptions | undefined) => readCallOptions(client.settings, options);
  return {
    create: (params, options) => new CallPromise(createInvoice(client, proof, params, settings(options))),
    createOrRenew: (params, options) => new CallPromise(renewInvoice(client, proof, params, settings(options))),
    ofOrder: (order, options) => new CallPromise(invoicesOfOrder(client, proof, order, settings(options))),
    get: (ident, options) => new CallPromise(get(ident, options)),
    list: (query = {}, options) => listCall(client, endpoints['invoices.list'], query, options),
  };
}
