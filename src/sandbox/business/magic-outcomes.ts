import { isMerchantError } from '../../errors/classes.ts';
import type { InvoiceRecord } from '../state/store.ts';
import { note, type World } from '../world.ts';
import { adjustInvoice, closeInvoice, payInvoice } from './invoices.ts';
import { partOf } from './money.ts';

/** How an order ends by itself when its external_id begins with `prefix`. */
export interface MagicOutcome {
  readonly prefix: string;
  readonly ends: string;
}

/** After this much sandbox time the customer has made up his mind: time enough for the answer to reach the merchant. */
const MAKES_UP_HIS_MIND = 1_000;
const DISPUTE_TAKES = 60_000;

type Play = (world: World, invoice: InvoiceRecord) => Promise<void>;

function close(status: 'fail' | 'expired' | 'canceled', why: string): Play {
  return (world, invoice) => closeInvoice(world, invoice, status, why);
}

async function payThenCorrect(world: World, invoice: InvoiceRecord): Promise<void> {
  const amount = partOf(invoice.amount, '0.5');
  world.clock.schedule(world.clock.now() + DISPUTE_TAKES, () => attempt(world, invoice, correct(amount)));
  await payInvoice(world, invoice);
}

const correct =
  (amount: string): Play =>
  (world, invoice) =>
    adjustInvoice(world, invoice, amount);

const PLAYS: readonly (MagicOutcome & { readonly play: Play })[] = [
  { prefix: 'pay-', ends: 'paid in full', play: (world, invoice) => payInvoice(world, invoice) },
  {
    prefix: 'underpay-',
    ends: 'paid with half of the amount: `success`, adjusted',
    play: (world, invoice) => payInvoice(world, invoice, { amount: partOf(invoice.amount, '0.5') }),
  },
  {
    prefix: 'overpay-',
    ends: 'paid with one and a half times the amount: `success`, adjusted',
    play: (world, invoice) => payInvoice(world, invoice, { amount: partOf(invoice.amount, '1.5') }),
  },
  {
    prefix: 'adjust-',
    ends: 'paid in full, and corrected to half of it a minute later, without a second webhook',
    play: payThenCorrect,
  },
  { prefix: 'fail-', ends: '`fail`', play: close('fail', 'the payment failed') },
  { prefix: 'cancel-', ends: '`canceled`', play: close('canceled', 'the customer canceled') },
  { prefix: 'expire-', ends: '`expired`, before its time', play: close('expired', 'it was let expire') },
];

/** The magic words, all of them. Any other external_id waits for somebody to pay. @experimental */
export const MAGIC_OUTCOMES: readonly MagicOutcome[] = PLAYS.map(({ prefix, ends }) => ({ prefix, ends }));

/** Sets the end of a new invoice, where its external_id asks for one and the option is on. @internal */
export function playOutcome(world: World, invoice: InvoiceRecord): void {
  if (!world.settings.magicOutcomes) return;
  const found = PLAYS.find(({ prefix }) => invoice.external_id.startsWith(prefix));
  if (found === undefined) return;
  world.clock.schedule(invoice.createdAt + MAKES_UP_HIS_MIND, () => {
    if (invoice.status !== 'pending') return;
    note(world, `${invoice.external_id} ends by itself: ${found.prefix} asks for it`);
    return attempt(world, invoice, found.play);
  });
}

async function attempt(world: World, invoice: InvoiceRecord, play: Play): Promise<void> {
  try {
    await play(world, invoice);
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    note(world, `${invoice.external_id} does not end as its name asks: ${error.message}`);
  }
}
