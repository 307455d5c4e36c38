import { ConfigurationError, isMerchantError } from '../../../errors/classes.ts';
import { adjustInvoice, chooseMethod, closeInvoice, payInvoice, payOtherAmount } from '../../business/invoices.ts';
import { resend } from '../../delivery/deliveries.ts';
import type { Answer } from '../../service/respond.ts';
import type { InvoiceRecord } from '../../state/store.ts';
import type { World } from '../../world.ts';
import { seeOther } from '../parts/html.ts';
import { paymentPage } from './payment-page.ts';

/** A page waits this long for the webhook, real time, so that it can show how it went. */
const PATIENCE = 1_500;

/**
 * What a button of the payment page does; then the browser is sent back to the page with GET. A button that comes too
 * late, as the second of a double click, changes nothing: the page shows how the invoice ended, and says so.
 */
export async function act(world: World, invoice: InvoiceRecord, form: URLSearchParams): Promise<Answer> {
  const page = `/pay/${invoice.uuid}`;
  const action = form.get('action') ?? '';
  const afterEnd = action === 'adjust' || action === 'resend';
  if (invoice.status !== 'pending' && !afterEnd) {
    return {
      ...seeOther(`${page}?${new URLSearchParams({ late: action })}`),
      why: `too late: it is ${invoice.status} already`,
    };
  }
  try {
    await patiently(world, doIt(world, invoice, action, form));
    return { ...seeOther(`${page}?${new URLSearchParams({ done: action })}`), why: `${action} ${invoice.external_id}` };
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    return { ...paymentPage(world, invoice, { problem: error.message }), why: error.message };
  }
}

async function doIt(world: World, invoice: InvoiceRecord, action: string, form: URLSearchParams): Promise<void> {
  const method = form.get('method') ?? undefined;
  const amount = form.get('amount')?.trim() ?? '';
  switch (action) {
    case 'choose':
      return chooseMethod(world, invoice, method);
    case 'pay':
    case 'dispute':
      return payInvoice(world, invoice, { method });
    case 'underpay':
    case 'overpay':
      return payOtherAmount(world, invoice, action, { amount, method });
    case 'pay_other':
      return payInvoice(world, invoice, { amount, method });
    case 'adjust':
      return adjustInvoice(world, invoice, amount);
    case 'fail':
      return closeInvoice(world, invoice, 'fail', 'a test lever let it fail');
    case 'cancel':
      return closeInvoice(world, invoice, 'canceled', 'the customer canceled');
    case 'expire':
      return closeInvoice(world, invoice, 'expired', 'a test lever let it expire');
    case 'resend':
      return resend(world, invoice)?.done;
    default:
      throw new ConfigurationError('This page has no such button.');
  }
}

async function patiently(world: World, work: Promise<void>): Promise<void> {
  const stop = new AbortController();
  try {
    await Promise.race([work, world.settings.sleep(PATIENCE, stop.signal)]);
  } finally {
    stop.abort();
  }
}
