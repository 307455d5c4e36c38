import type { FinalInvoiceStatus } from '../../contract/statuses.ts';
import type { KnownInvoiceStatus } from '../../contract/types.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { shown } from '../duration.ts';
import type { InvoiceRecord } from '../state/store.ts';
import type { WireCurrency } from '../wire-types.ts';
import { note, type World } from '../world.ts';
import { methodFor, settlementRate } from './catalogue.ts';
import { compareAmounts, isAmount, quote } from './money.ts';

/** What an invoice is made of, checked already. */
export interface InvoiceDraft {
  readonly external_id: string;
  readonly customer_id: string;
  readonly amount: string;
  readonly currency: WireCurrency;
  readonly purpose: string | null;
  readonly callback_url: string | null;
  readonly success_url: string | null;
  readonly fail_url: string | null;
}

/** Final states other than the paid one. */
export type ClosedStatus = Exclude<FinalInvoiceStatus, 'success'>;

/** Makes a pending invoice and sets its expiry. The business settings stand in for missing addresses. */
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
    order: world.store.nextOrder(),
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
  if (world.store.forgotten === 1) {
    note(
      world,
      `more than ${world.settings.maxInvoices} invoices: from now on each new one takes the place of the oldest`,
    );
  }
  awaitExpiry(world, invoice);
  logMove(world, invoice, null, `${invoice.amount} ${invoice.currency.code}`);
  return invoice;
}

/** Lets a pending invoice expire when its time is over. */
export function awaitExpiry(world: World, invoice: InvoiceRecord): void {
  invoice.expiry = world.clock.schedule(invoice.expiresAt, () =>
    closeInvoice(world, invoice, 'expired', 'nobody paid in time', invoice.expiresAt),
  );
}

/** The customer picks a method: the rate is fixed and the commission is known. May be done again while pending. */
export function chooseMethod(world: World, invoice: InvoiceRecord, wanted: string | number | undefined): void {
  mustBePending(invoice, 'choose a method for');
  const method = methodFor(world, invoice, wanted);
  const rate = settlementRate(world, invoice.currency.code);
  invoice.method = method;
  invoice.rate = rate;
  invoice.amountToSend = quote(invoice.amount, method, rate).amountToSend;
}

/** The customer pays. An amount other than the order's makes the invoice adjusted. Ends with the first webhook attempt. */
export function payInvoice(
  world: World,
  invoice: InvoiceRecord,
  {
    amount = invoice.amount,
    method,
  }: { readonly amount?: string | undefined; readonly method?: string | number | undefined } = {},
): Promise<void> {
  mustBePending(invoice, 'pay');
  mustBeAmount(amount);
  if (method !== undefined || invoice.method === null) chooseMethod(world, invoice, method);
  settle(world, invoice, amount);
  const adjusted = invoice.adjustment === null ? '' : `, paid ${amount} of ${invoice.amount} (adjusted)`;
  return finish(world, invoice, 'success', `${invoice.settledUsdt} USDT credited${adjusted}`);
}

/** The invoice ends unpaid. */
export function closeInvoice(
  world: World,
  invoice: InvoiceRecord,
  status: ClosedStatus,
  why: string,
  at = world.clock.now(),
): Promise<void> {
  mustBePending(invoice, `set ${status} for`);
  return finish(world, invoice, status, why, at);
}

/**
 * A dispute corrects the amount. A paid invoice changes and no second webhook is sent: there is one per invoice. A
 * pending one is paid with this amount.
 */
export function adjustInvoice(world: World, invoice: InvoiceRecord, amount: string): Promise<void> {
  mustBeAmount(amount);
  if (invoice.status === 'pending') return payInvoice(world, invoice, { amount });
  if (invoice.status !== 'success') mustBePending(invoice, 'adjust');
  settle(world, invoice, amount);
  logMove(world, invoice, 'success', `corrected to ${amount}, ${invoice.settledUsdt} USDT credited; no second webhook`);
  return Promise.resolve();
}

/** Credits what was paid, with the method and rate that were chosen. */
export function settle(world: World, invoice: InvoiceRecord, paid: string): void {
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

function finish(
  world: World,
  invoice: InvoiceRecord,
  status: KnownInvoiceStatus,
  why: string,
  at = world.clock.now(),
): Promise<void> {
  const from = invoice.status;
  world.store.setStatus(invoice, status);
  invoice.finishedAt = at;
  invoice.expiry?.cancel();
  invoice.expiry = null;
  logMove(world, invoice, from, why);
  return world.announce(invoice);
}

function mustBePending(invoice: InvoiceRecord, doing: string): void {
  if (invoice.status === 'pending') return;
  throw new ConfigurationError(
    `Cannot ${doing} ${shown(invoice.external_id)}: it is ${invoice.status}, which is final; only a pending invoice can change`,
  );
}

function mustBeAmount(amount: unknown): void {
  if (typeof amount === 'string' && isAmount(amount)) return;
  throw new ConfigurationError(
    `The amount must be text, greater than 0, with at most 2 decimals, such as "17.00"; got ${shown(amount)}`,
  );
}

function logMove(world: World, invoice: InvoiceRecord, from: KnownInvoiceStatus | null, why: string): void {
  const { uuid, external_id, status } = invoice;
  world.log.add({
    kind: 'invoice',
    at: new Date(world.clock.now()).toISOString(),
    uuid,
    external_id,
    from,
    to: status,
    why,
  });
}
