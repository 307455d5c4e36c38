// Moves invoices from one status to the next: method, expiry, payment, correction. When an invoice ends, delivery/
// sends its webhook.

import type { FinalInvoiceStatus } from '../../../contract/statuses.ts';
import type { KnownInvoiceStatus } from '../../../contract/types.ts';
import { configurationFail, flag, type OptionTable, quoted, readOptions, unchecked } from '../../../errors/checks.ts';
import { ConfigurationError } from '../../../errors/classes.ts';
import { announce, settleDeliveries } from '../delivery/deliveries.ts';
import type { InvoiceDraft, InvoiceRecord } from '../state/records.ts';
import type { Payment } from '../types.ts';
import type { World } from '../world.ts';
import { compareAmounts, isAmount, methodFor, quote, settlementRate } from './money.ts';

const fail = configurationFail();

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
    paidAfter: null,
    method: null,
    amountToSend: null,
    rate: null,
    settledUsdt: null,
    adjustment: null,
    expiry: null,
  };
  world.store.addInvoice(invoice);
  awaitExpiry(world, invoice);
  logMove(world, invoice, null);
  return invoice;
}

/** Schedules the expiry of a pending invoice. */
function awaitExpiry(world: World, invoice: InvoiceRecord): void {
  invoice.expiry = world.clock.schedule(invoice.expiresAt, () =>
    closeInvoice(world, invoice, 'expired', 'no payment in time', invoice.expiresAt),
  );
}

/** Sets the payment method, and with it the rate and the commission. May be repeated while pending. */
export function chooseMethod(world: World, invoice: InvoiceRecord, wanted: string | number | undefined): void {
  checkPending(invoice, 'takes no method');
  setMethod(world, invoice, wanted);
}

function setMethod(world: World, invoice: InvoiceRecord, wanted: string | number | undefined): void {
  const method = methodFor(world, invoice, wanted);
  const rate = settlementRate(world, invoice.currency.code);
  invoice.method = method;
  invoice.rate = rate;
  invoice.amountToSend = quote(invoice.amount, method, rate).amountToSend;
}

const PAYMENT = {
  amount: unchecked<string | undefined>(),
  method: unchecked<string | number | undefined>(),
  late: flag(false),
} satisfies OptionTable<Payment>;

/**
 * Pays an invoice. An amount other than the ordered one makes it adjusted. With `late` it pays an invoice that has
 * ended unpaid, which sends a second webhook. A pending one ends first, as the clock moves to its expiry. Resolves
 * after the first attempt of the webhook.
 */
export async function payInvoice(world: World, invoice: InvoiceRecord, payment: Payment): Promise<void> {
  const { amount = invoice.amount, method, late } = readOptions('pay', payment, PAYMENT, fail);
  checkAmount(amount);
  if (late) checkUnpaid(invoice);
  else checkPending(invoice, invoice.status === 'success' ? 'is paid already' : 'can only be paid late');
  if (invoice.status === 'pending' && late) {
    methodFor(world, invoice, method); // throws before the clock moves
    await settleDeliveries(world);
    await world.clock.advance(Math.max(0, invoice.expiresAt - world.clock.now()));
    checkUnpaid(invoice); // somebody else may have paid it meanwhile
  }
  if (method !== undefined || invoice.method === null) setMethod(world, invoice, method);
  creditPayment(world, invoice, amount);
  await finish(world, invoice, 'success', null);
}

/** Ends an invoice without a payment. */
export function closeInvoice(
  world: World,
  invoice: InvoiceRecord,
  status: ClosedStatus,
  why: string,
  at = world.clock.now(),
): Promise<void> {
  checkPending(invoice, 'cannot end again');
  return finish(world, invoice, status, why, at);
}

/** Corrects the amount of a paid invoice. No second webhook is sent, because its status stays the same. */
export function adjustInvoice(world: World, invoice: InvoiceRecord, amount: string): void {
  checkAmount(amount);
  if (invoice.status !== 'success') {
    const advice = invoice.status === 'pending' ? `. To pay another amount, use pay` : '';
    throw new ConfigurationError(
      `Cannot adjust ${quoted(invoice.external_id)}: it is ${invoice.status}. Only a paid one can be corrected${advice}`,
    );
  }
  creditPayment(world, invoice, amount);
  logMove(world, invoice, 'success');
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
  why: string | null,
  at = world.clock.now(),
): Promise<void> {
  const from = invoice.status;
  if (from !== 'pending') invoice.paidAfter = from;
  endInvoice(invoice, status, at);
  logMove(world, invoice, from, why);
  return announce(world, invoice);
}

function checkPending(invoice: InvoiceRecord, refusal: string): void {
  if (invoice.status === 'pending') return;
  throw new ConfigurationError(`${quoted(invoice.external_id)} is ${invoice.status}, which is final: it ${refusal}`);
}

function checkUnpaid({ status, external_id }: InvoiceRecord): void {
  if (status !== 'success') return;
  throw new ConfigurationError(
    `Only an order that was not paid can be paid late, and ${quoted(external_id)} is success`,
  );
}

function checkAmount(amount: unknown): void {
  if (typeof amount === 'string' && isAmount(amount)) return;
  throw new ConfigurationError(
    `The amount must be text, greater than 0, with at most 2 decimals, such as "17.00", not ${quoted(amount)}`,
  );
}

function logMove(
  world: World,
  invoice: InvoiceRecord,
  from: KnownInvoiceStatus | null,
  why: string | null = null,
): void {
  const { uuid, external_id, status, amount, currency } = invoice;
  world.log.add({
    kind: 'invoice',
    uuid,
    external_id,
    from,
    to: status,
    amount,
    currency: currency.code,
    paid: invoice.adjustment?.actual_amount_fiat ?? null,
    credited: invoice.settledUsdt,
    why,
  });
}
