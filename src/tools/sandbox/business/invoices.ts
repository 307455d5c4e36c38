// business/ moves invoices from one status to the next: methods, rates, amounts, expiry, payment, correction. When an
// invoice ends, delivery/ sends its webhook.

import type { FinalInvoiceStatus } from '../../../contract/statuses.ts';
import type { KnownInvoiceStatus } from '../../../contract/types.ts';
import { ConfigurationError } from '../../../errors/classes.ts';
import { announce } from '../delivery/deliveries.ts';
import { quoted } from '../option-checks.ts';
import type { InvoiceDraft, InvoiceRecord } from '../state/records.ts';
import type { Payment } from '../wire-types.ts';
import type { World } from '../world.ts';
import { compareAmounts, isAmount, methodFor, quote, settlementRate } from './money.ts';

/** Final states other than the paid one. */
export type ClosedStatus = Exclude<FinalInvoiceStatus, 'success'>;

/** Creates a pending invoice and schedules its expiry. Missing addresses come from the business settings. */
export function openInvoice(world: World, draft: InvoiceDraft, createdAt = world.clock.now()): InvoiceRecord {
  const { defaults, lifetime } = world.settings;
  const invoice: InvoiceRecord = {
    ...draft,
    uuid: world.random.uuid(),
    callback_url: draft.callback_url ?? defaults.callback_url,
    success_url: draft.success_url ?? defaults.success_url,
    fail_url: draft.fail_url ?? defaults.fail_url,
    createdAt,
    expiresAt: createdAt + lifetime,
    status: 'pending',
    finishedAt: null,
    method: null,
    amountToSend: null,
    rate: null,
    settledUsdt: null,
    adjustment: null,
    expiry: null,
  };
  world.store.addInvoice(invoice);
  awaitExpiry(world, invoice);
  logMove(world, invoice, null, `${invoice.amount} ${invoice.currency.code}`);
  return invoice;
}

/** Schedules the expiry of a pending invoice. */
export function awaitExpiry(world: World, invoice: InvoiceRecord): void {
  invoice.expiry = world.clock.schedule(invoice.expiresAt, () =>
    closeInvoice(world, invoice, 'expired', 'no payment in time', invoice.expiresAt),
  );
}

/** Sets the payment method, and with it the rate and the commission. May be repeated while pending. */
export function chooseMethod(world: World, invoice: InvoiceRecord, wanted: string | number | undefined): void {
  checkPending(invoice, 'choose a method for');
  setMethod(world, invoice, wanted);
}

function setMethod(world: World, invoice: InvoiceRecord, wanted: string | number | undefined): void {
  const method = methodFor(world, invoice, wanted);
  const rate = settlementRate(world, invoice.currency.code);
  invoice.method = method;
  invoice.rate = rate;
  invoice.amountToSend = quote(invoice.amount, method, rate).amountToSend;
}

/**
 * Pays an invoice. An amount other than the ordered one makes it adjusted. With `late` it pays an invoice that has
 * ended unpaid, which sends a second webhook. Resolves after the first attempt of the webhook.
 */
export function payInvoice(
  world: World,
  invoice: InvoiceRecord,
  { amount = invoice.amount, method, late = false }: Payment = {},
): Promise<void> {
  const { status } = invoice;
  if (!late) checkPending(invoice, 'pay');
  else if (status === 'pending' || status === 'success') {
    throw new ConfigurationError(
      `Only an order that has ended unpaid can be paid late, and ${quoted(invoice.external_id)} is ${status}`,
    );
  }
  checkAmount(amount);
  if (method !== undefined || invoice.method === null) setMethod(world, invoice, method);
  creditPayment(world, invoice, amount);
  const adjusted = invoice.adjustment === null ? '' : `, paid ${amount} of ${invoice.amount} (adjusted)`;
  return finish(
    world,
    invoice,
    'success',
    `${late ? 'paid late, ' : ''}${invoice.settledUsdt} USDT credited${adjusted}`,
  );
}

/** Pays less than ordered (`underpay`) or more (`overpay`). @throws ConfigurationError for any other amount. */
export function payOtherAmount(
  world: World,
  invoice: InvoiceRecord,
  kind: 'underpay' | 'overpay',
  { amount, method }: Payment & { readonly amount: string },
): Promise<void> {
  const [sign, word] = kind === 'underpay' ? [-1, 'less'] : [1, 'more'];
  checkAmount(amount); // payInvoice reads undefined as the ordered amount
  if (compareAmounts(amount, invoice.amount) !== sign) {
    throw new ConfigurationError(`${amount} is not ${word} than the ordered ${invoice.amount}`);
  }
  return payInvoice(world, invoice, { amount, method });
}

/** Ends an invoice without a payment. */
export function closeInvoice(
  world: World,
  invoice: InvoiceRecord,
  status: ClosedStatus,
  why: string,
  at = world.clock.now(),
): Promise<void> {
  checkPending(invoice, `set ${status} for`);
  return finish(world, invoice, status, why, at);
}

/**
 * Corrects the paid amount after a dispute. A paid invoice changes without a second webhook, because its status stays
 * the same. A pending invoice is paid with this amount.
 */
export function adjustInvoice(world: World, invoice: InvoiceRecord, amount: string): Promise<void> {
  checkAmount(amount);
  if (invoice.status === 'pending') return payInvoice(world, invoice, { amount });
  if (invoice.status !== 'success') checkPending(invoice, 'adjust');
  creditPayment(world, invoice, amount);
  logMove(world, invoice, 'success', `corrected to ${amount}, ${invoice.settledUsdt} USDT credited, no second webhook`);
  return Promise.resolve();
}

/** Credits the paid amount, by the chosen method and rate. */
export function creditPayment(world: World, invoice: InvoiceRecord, paid: string): void {
  const method = invoice.method ?? methodFor(world, invoice, undefined);
  const rate = invoice.rate ?? settlementRate(world, invoice.currency.code);
  const actual = quote(paid, method, rate).usdt;
  invoice.settledUsdt = actual;
  if (compareAmounts(paid, invoice.amount) === 0) {
    invoice.adjustment = null;
    return;
  }
  invoice.adjustment = {
    expected_amount_fiat: invoice.amount,
    actual_amount_fiat: paid,
    expected_amount_usdt: quote(invoice.amount, method, rate).usdt,
    actual_amount_usdt: actual,
  };
}

/** Sets a final status and cancels the expiry. Writes no log and sends no webhook. */
export function endInvoice(invoice: InvoiceRecord, status: KnownInvoiceStatus, at: number): void {
  invoice.status = status;
  invoice.finishedAt = at;
  invoice.expiry?.cancel();
  invoice.expiry = null;
}

function finish(
  world: World,
  invoice: InvoiceRecord,
  status: KnownInvoiceStatus,
  why: string,
  at = world.clock.now(),
): Promise<void> {
  const from = invoice.status;
  endInvoice(invoice, status, at);
  logMove(world, invoice, from, why);
  return announce(world, invoice);
}

function checkPending(invoice: InvoiceRecord, doing: string): void {
  if (invoice.status === 'pending') return;
  throw new ConfigurationError(
    `Cannot ${doing} ${quoted(invoice.external_id)}: it is ${invoice.status}, which is final. Only a pending invoice can change`,
  );
}

function checkAmount(amount: unknown): void {
  if (typeof amount === 'string' && isAmount(amount)) return;
  throw new ConfigurationError(
    `The amount must be text, greater than 0, with at most 2 decimals, such as "17.00", not ${quoted(amount)}`,
  );
}

function logMove(world: World, invoice: InvoiceRecord, from: KnownInvoiceStatus | null, why: string): void {
  const { uuid, external_id, status } = invoice;
  world.log.add({
    kind: 'invoice',
    uuid,
    external_id,
    from,
    to: status,
    paid: invoice.adjustment?.actual_amount_fiat ?? null,
    why,
  });
}
