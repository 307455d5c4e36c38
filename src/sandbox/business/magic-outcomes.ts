import { isMerchantError } from '../../errors/guards.ts';
import type { InvoiceRecord } from '../state/records.ts';
import { note, type World } from '../world.ts';
import { adjustInvoice, type ClosedStatus, closeInvoice, payInvoice } from './invoices.ts';
import { shareOf } from './money.ts';

/** Sandbox time from creation to outcome, in milliseconds. The answer reaches the merchant first. */
const DECISION_DELAY = 1_000;
const DISPUTE_DELAY = 60_000;

type RunOutcome = (world: World, invoice: InvoiceRecord) => Promise<void>;

const close =
  (status: ClosedStatus, why: string): RunOutcome =>
  (world, invoice) =>
    closeInvoice(world, invoice, status, why);
const payShare =
  (factor: string): RunOutcome =>
  (world, invoice) =>
    payInvoice(world, invoice, { amount: shareOf(invoice.amount, factor) });
const correctToHalf: RunOutcome = (world, invoice) => adjustInvoice(world, invoice, shareOf(invoice.amount, '0.5'));

async function payThenCorrect(world: World, invoice: InvoiceRecord): Promise<void> {
  world.clock.schedule(world.clock.now() + DISPUTE_DELAY, () => runOutcome(world, invoice, correctToHalf));
  await payInvoice(world, invoice);
}

const OUTCOMES: readonly { readonly prefix: string; readonly ends: string; readonly run: RunOutcome }[] = [
  { prefix: 'pay-', ends: 'paid in full', run: payInvoice },
  {
    prefix: 'underpay-',
    ends: 'paid with half of the amount: `success`, adjusted',
    run: payShare('0.5'),
  },
  {
    prefix: 'overpay-',
    ends: 'paid with one and a half times the amount: `success`, adjusted',
    run: payShare('1.5'),
  },
  {
    prefix: 'adjust-',
    ends: 'paid in full, and corrected to half of it a minute later, without a second webhook',
    run: payThenCorrect,
  },
  { prefix: 'fail-', ends: '`fail`', run: close('fail', 'the payment failed') },
  { prefix: 'cancel-', ends: '`canceled`', run: close('canceled', 'the customer canceled') },
  { prefix: 'expire-', ends: '`expired`, before its time', run: close('expired', 'the customer let it expire') },
];

/**
 * How an order ends automatically when its `external_id` begins with `prefix`. An order with any other `external_id` stays
 * pending until it is paid or expires.
 *
 * @experimental
 */
export const MAGIC_OUTCOMES: readonly { readonly prefix: string; readonly ends: string }[] = OUTCOMES.map(
  ({ prefix, ends }) => ({ prefix, ends }),
);

/** Schedules the outcome of a new invoice if its `external_id` has a prefix and the option is on. @internal */
export function scheduleOutcome(world: World, invoice: InvoiceRecord): void {
  if (!world.settings.magicOutcomes) return;
  const found = OUTCOMES.find(({ prefix }) => invoice.external_id.startsWith(prefix));
  if (found === undefined) return;
  world.clock.schedule(invoice.createdAt + DECISION_DELAY, () => {
    if (invoice.status !== 'pending') return;
    note(world, `${invoice.external_id} ends automatically: ${found.prefix} asks for it`);
    return runOutcome(world, invoice, found.run);
  });
}

async function runOutcome(world: World, invoice: InvoiceRecord, run: RunOutcome): Promise<void> {
  try {
    await run(world, invoice);
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    note(world, `${invoice.external_id} does not end as its name asks: ${error.message}`);
  }
}
