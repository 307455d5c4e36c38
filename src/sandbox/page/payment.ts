import { isMerchantError } from '../../errors/guards.ts';
import { isOrderAction, runAction } from '../actions.ts';
import type { Sandbox } from '../api.ts';
import { compareAmounts, isAmount } from '../business/money.ts';
import type { Answer } from '../service/respond.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import { type Arrival, openOrder, WITH_AMOUNT } from './checkout.ts';
import { grouped, stateOf, wordOf } from './elements.ts';
import { pageAnswer, seeOther } from './html.ts';
import { closedOrder } from './receipt.ts';

/** The hosted page of an invoice: above what a customer sees, below, clearly apart, the controls for tests. */
export function paymentPage(world: World, invoice: InvoiceRecord, arrival: Arrival = {}): Answer {
  const isSending = world.store.deliveries(invoice).some(({ attempt }) => attempt !== null);
  const isOpen = invoice.status === 'pending';
  const view = isOpen ? openOrder(world, invoice, arrival) : closedOrder(world, invoice, arrival, isSending);
  const isRefused = (arrival.problem ?? null) !== null;
  const title = `${isRefused ? 'Not done: ' : ''}${isOpen ? 'Pay' : wordOf(stateOf(invoice))} · Order ${invoice.external_id}`;
  return pageAnswer(title, view, { status: isRefused ? 422 : 200, reload: isSending });
}

/** Milliseconds of real time that a page waits for the webhook, so that it can show the result. */
const MAX_WAIT = 1_500;

/**
 * Performs the action of a button, then redirects the browser to the page with GET. A button that comes too late, such
 * as the second of a double click, changes nothing. The page then reports it and shows how the invoice ended.
 */
export async function pressButton(
  world: World,
  sandbox: Sandbox,
  invoice: InvoiceRecord,
  form: URLSearchParams,
): Promise<Answer> {
  const page = `/pay/${invoice.uuid}`;
  const button = form.get('action') ?? '';
  if (invoice.status !== 'pending' && button !== 'adjust' && button !== 'resend') {
    const why = `too late: it is ${invoice.status} already`;
    return { ...seeOther(`${page}?${new URLSearchParams({ late: button })}`), why };
  }
  const typed = form.get('amount') ?? '';
  const refuse = (message: string, why = message): Answer => ({
    ...paymentPage(world, invoice, { problem: { button, amount: typed, message } }),
    why,
  });
  const amount = typed.trim();
  const wrong = WITH_AMOUNT.has(button) ? wrongAmount(invoice, button, amount) : null;
  if (wrong !== null) return refuse(wrong);
  const name = button === 'dispute' ? 'pay' : button; // the page then asks for the correction
  if (!isOrderAction(name)) return refuse('This page has no such button.');
  try {
    await waitBriefly(world, runAction(sandbox, name, { ...Object.fromEntries(form), amount, ident: invoice.uuid }));
    const why = `${button} ${invoice.external_id}`;
    return { ...seeOther(`${page}?${new URLSearchParams({ done: button })}`), why };
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    return refuse('This method cannot be used for this order. Choose another one.', error.message);
  }
}

/** Why an amount cannot be paid with this button, for the customer who typed it. Null if it can. */
function wrongAmount({ amount, currency }: InvoiceRecord, button: string, typed: string): string | null {
  if (!isAmount(typed)) return 'Enter an amount such as 12.50.';
  const order = `${grouped(amount)} ${currency.code}`;
  if (button === 'underpay' && compareAmounts(typed, amount) >= 0) return `Enter less than ${order}.`;
  return button === 'overpay' && compareAmounts(typed, amount) <= 0 ? `Enter more than ${order}.` : null;
}

async function waitBriefly(world: World, work: unknown): Promise<void> {
  const stop = new AbortController();
  try {
    await Promise.race([work, world.settings.sleep(MAX_WAIT, stop.signal)]);
  } finally {
    stop.abort();
  }
}
