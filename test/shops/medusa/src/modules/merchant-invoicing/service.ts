// src/modules/merchant-invoicing/service.ts
import type * as Payment from '@medusajs/framework/types';
import {
  AbstractPaymentProvider,
  BigNumber,
  MedusaError,
} from '@medusajs/framework/utils';
import { Decimal, MerchantClient } from 'merchant-invoicing';

export class MerchantInvoicingService extends AbstractPaymentProvider {
  static override identifier = 'merchant-invoicing';
  private made?: MerchantClient;

  /** Made at the first use: migrations and workers start without secrets. */
  private get merchant(): MerchantClient {
    this.made ??= new MerchantClient();
    return this.made;
  }

  /** An invoice for the session. It is renewed once it has expired. */
  async initiatePayment(
    input: Payment.InitiatePaymentInput,
  ): Promise<Payment.InitiatePaymentOutput> {
    const session = String(input.data?.['session_id']);
    const { invoice } = await this.merchant.invoices.createOrRenew({
      external_id: session,
      customer_id: input.context?.customer?.id ?? session,
      // Medusa counts in whole units, with the digits of its own numbers
      amount: new Decimal(new BigNumber(input.amount).numeric).toFixed(2),
      currency: input.currency_code.toUpperCase(),
      callback_url: `${process.env['SHOP_URL']}/webhook`,
      success_url: `${process.env['SHOP_URL']}/thanks`,
    });
    const { external_id, payment_url: url } = invoice;
    const data = { ...input.data, external_id, url };
    return { id: external_id, data, status: 'pending' };
  }

  /** Never `captured`: that books the amount of the whole session. */
  async authorizePayment({
    data,
  }: Payment.AuthorizePaymentInput): Promise<Payment.AuthorizePaymentOutput> {
    const { status } = await this.merchant.invoices.get(
      String(data?.['external_id']),
    );
    return {
      data: { ...data },
      status: status === 'success' ? 'authorized' : 'pending',
    };
  }

  async getPaymentStatus(
    input: Payment.GetPaymentStatusInput,
  ): Promise<Payment.GetPaymentStatusOutput> {
    return await this.authorizePayment(input);
  }

  /** The money is there: the webhook says how much of it is captured. */
  async capturePayment({ data }: Payment.CapturePaymentInput) {
    return { data: { ...data } };
  }

  async updatePayment(
    input: Payment.UpdatePaymentInput,
  ): Promise<Payment.UpdatePaymentOutput> {
    return await this.initiatePayment(input);
  }

  async retrievePayment({ data }: Payment.RetrievePaymentInput) {
    return { data: { ...data } };
  }

  /** The service has no cancel: the invoice expires. */
  async cancelPayment({ data }: Payment.CancelPaymentInput) {
    return { data: { ...data } };
  }

  async deletePayment({ data }: Payment.DeletePaymentInput) {
    return { data: { ...data } };
  }

  async refundPayment(): Promise<Payment.RefundPaymentOutput> {
    const message = 'The service has no refunds: pay the customer back by hand';
    throw new MedusaError(MedusaError.Types.NOT_ALLOWED, message);
  }

  /** The route of Medusa answers before it verifies. It is not used. */
  async getWebhookActionAndData(): Promise<Payment.WebhookActionResult> {
    return { action: 'not_supported' };
  }
}
