import type { Dialect } from './dialect/dialects.ts';
import type { NewInvoice, Payment, SandboxInvoice, SandboxWithdrawal } from './wire-types.ts';

/**
 * The functions of a sandbox that change invoices, withdrawals and assumptions.
 *
 * @example
 * const sandbox: SandboxActions = createSandbox();
 * const { external_id } = sandbox.create({ amount: '25.00', currency: 'EUR' });
 * await sandbox.pay(external_id);
 */
export interface SandboxActions {
  /**
   * Creates an invoice, as a request to the service would.
   *
   * @param draft Amount and currency. `external_id` defaults to the next free `order-1001`, `customer_id` to `customer-1`.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for a member that the service refuses, or a taken `external_id`.
   * @example
   * const { payment_url } = sandbox.create({ amount: '25.00', currency: 'EUR' });
   */
  create(draft: NewInvoice): SandboxInvoice;
  /**
   * Returns the withdrawals, newest first.
   *
   * @example
   * const waiting = sandbox.withdrawals().filter(({ status }) => status === 'pending');
   */
  withdrawals(): SandboxWithdrawal[];
  /**
   * Approves a pending withdrawal, which gets a `tx_hash`.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if there is no such withdrawal, or it is decided already.
   * @example
   * const [waiting] = sandbox.withdrawals();
   * if (waiting !== undefined) sandbox.approve(waiting.uuid);
   */
  approve(uuid: string): SandboxWithdrawal;
  /**
   * Rejects a pending withdrawal.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if there is no such withdrawal, or it is decided already.
   * @example
   * const [waiting] = sandbox.withdrawals();
   * if (waiting !== undefined) sandbox.reject(waiting.uuid, 'unknown address');
   */
  reject(uuid: string, reason: string): SandboxWithdrawal;
  /**
   * Changes dialects from now on. What exists already is written in the new form, too.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for a name or value that is not in `DIALECTS`.
   * @example
   * sandbox.assume({ conflictStatus: 422 });
   */
  assume(changes: { readonly [Name in keyof Dialect]?: Dialect[Name] | undefined }): Dialect;

  /**
   * Sets the payment method, by id or name. May be repeated while the invoice is pending.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, it is final, or the method does not take its currency or amount.
   * @example
   * const { amount_to_send } = sandbox.choose('order-1', 'Card');
   */
  choose(ident: string, method: number | string): SandboxInvoice;
  /**
   * Pays the ordered amount, or another `amount`, which makes the invoice adjusted.
   *
   * @param options `method` is an id or name. Default: the chosen method, or the first that takes the amount.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, it is final, or no method takes the amount.
   * @example
   * const { settled_amount_usdt } = await sandbox.pay('order-1', { method: 'Card' });
   */
  pay(ident: string, options?: Payment): Promise<SandboxInvoice>;
  /**
   * Pays less than ordered. The invoice becomes adjusted.
   *
   * @param amount Decimal text without the commission, as the ordered amount.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, it is final, or the amount is not less than ordered.
   * @example
   * await sandbox.underpay('order-1', '20.00');
   */
  underpay(ident: string, amount: string, options?: Pick<Payment, 'method'>): Promise<SandboxInvoice>;
  /**
   * Pays more than ordered. The invoice becomes adjusted.
   *
   * @param amount Decimal text without the commission, as the ordered amount.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, it is final, or the amount is not more than ordered.
   * @example
   * await sandbox.overpay('order-1', '30.00');
   */
  overpay(ident: string, amount: string, options?: Pick<Payment, 'method'>): Promise<SandboxInvoice>;
  /**
   * Ends the invoice as `fail`.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, or it is final.
   * @example
   * await sandbox.fail('order-1');
   */
  fail(ident: string): Promise<SandboxInvoice>;
  /**
   * Ends the invoice as `canceled`.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, or it is final.
   * @example
   * await sandbox.cancel('order-1');
   */
  cancel(ident: string): Promise<SandboxInvoice>;
  /**
   * Ends the invoice as `expired` without moving the clock.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, or it is final.
   * @example
   * await sandbox.expire('order-1');
   */
  expire(ident: string): Promise<SandboxInvoice>;
  /**
   * Ends the invoice with the given status. `success` pays it exactly.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, or it is final.
   * @example
   * await sandbox.finish('order-1', 'success');
   */
  finish(ident: string, status: 'success' | 'fail' | 'expired' | 'canceled'): Promise<SandboxInvoice>;
  /**
   * Corrects the paid amount after a dispute, without a second webhook. A pending invoice is paid with this amount.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, or it ended without a payment.
   * @example
   * await sandbox.pay('order-1');
   * await sandbox.adjust('order-1', '20.00');
   */
  adjust(ident: string, amount: string): Promise<SandboxInvoice>;
}
