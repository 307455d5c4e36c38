import { ConfigurationError, isMerchantError } from '../../../errors/classes.ts';
import { adjustInvoice, chooseMethod, closeInvoice, payInvoice } from '../../business/invoices.ts';
import { compareAmounts, isAmount } from '../../business/money.ts';
import { resend } from '../../delivery/deliveries.ts';
import type { Answer } from '../../service/respond.ts';
import type { InvoiceRecord } from '../../state/store.ts';
import type { World } from '../../world.ts';
import { seeOther } from '../parts/html.ts';
import { paymentPage } from './payment-page.ts';

/** Milliseconds of real time that a page waits for the webhook, so that it can show the result. */
const MAX_WAIT = 1_500;

/**
 * Performs the action of a button, then redirects the browser to the page with GET. A button that comes too late, such
 * as the second of a double click, changes nothing. The page then reports it and shows how the invoice ended.
 */
export async function act(world: World, invoice: InvoiceRecord, form: URLSearchParams): Promise<Answer> {
  const page = `/pay/${invoice.uuid}`;
  const action = form.get('action') ?? '';
  const isForClosed = action === 'adjust' || action === 'resend';
  if (invoice.status !== 'pending' && !isForClosed) {
    return {
      ...seeOther(`${page}?${new URLSearchParams({ late: action })}`),
      why: `too late: it is ${invoice.status} already`,
    };
  }
  try {
    await waitBriefly(world, perform(world, invoice, action, form));
    return { ...seeOther(`${page}?${new URLSearchParams({ done: action })}`), why: `${action} ${invoice.external_id}` };
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    return { ...paymentPage(world, invoice, { problem: error.message }), why: error.message };
  }
}

async function perform(world: World, invoice: InvoiceRecord, action: string, form: URLSearchParams): Promise<void> {
  const method = form.get('method') ?? undefined;
  const amount = form.get('amount')?.trim() ?? '';
  switch (action) {
    case 'choose':
      return chooseMethod(world, invoice, method);
    case 'pay':
    case 'dispute':
      return payInvoice(world, invoice, { method });
    case 'underpay':
      checkDifference(invoice, amount, -1);
      return payInvoice(world, invoice, { amount, method });
    case 'overpay':
      checkDifference(invoice, amount, 1);
      return payInvoice(world, invoice, { amount, method });
    case 'pay_other':
      return payInvoice(world, invoice, { amount, method });
    case 'adjust':
      return adjustInvoice(world, invoice, amount);
    case 'fail':
      return closeInvoice(world, invoice, 'fail', 'a test control let it fail');
    case 'cancel':
      return closeInvoice(world, invoice, 'canceled', 'the customer canceled');
    case 'expire':
      return closeInvoice(world, invoice, 'expired', 'a test control let it expire');
    case 'resend':
      return resend(world, invoice)?.done;
    default:
      throw new ConfigurationError('This page has no such button.');
  }
}

function checkDifference(invoice: InvoiceRecord, amount: string, sign: -1 | 1): void {
  if (!isAmount(amount) || compareAmounts(amount, invoice.amount) === sign) return;
  throw new ConfigurationError(`${amount} is not ${sign < 0 ? 'less' : 'more'} than the ordered ${invoice.amount}.`);
}

async function waitBriefly(world: World, work: Promise<void>): Promise<void> {
  const stop = new AbortController();
  try {
    await Promise.race([work, world.settings.sleep(MAX_WAIT, stop.signal)]);
  } finally {
    stop.abort();
  }
}
