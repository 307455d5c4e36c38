import { isMerchantError } from '../../errors.ts';
import { resend } from '../deliveries.ts';
import { adjustInvoice, chooseMethod, closeInvoice, payInvoice } from '../invoices.ts';
import type { Answer } from '../respond.ts';
import type { InvoiceRecord } from '../store.ts';
import type { World } from '../world.ts';
import { seeOther } from './html.ts';
import { paymentPage } from './payment-page.ts';

/** A page waits this long for the webhook, real time, so that it can show how it went. */
const PATIENCE = 1_500;

/**
 * What a button of the payment page does; then the browser is sent back to the page with GET. A button that comes too
 * late, as the second of a double click, changes nothing: the page shows how the invoice ended.
 */
export async function act(world: World, invoice: InvoiceRecord, form: URLSearchParams): Promise<Answer> {
  const back = seeOther(`/pay/${invoice.uuid}`);
  const action = form.get('action') ?? '';
  const afterEnd = action === 'adjust' || action === 'resend';
  if (invoice.status !== 'pending' && !afterEnd) return { ...back, why: `too late: it is ${invoice.status} already` };
  try {
    await patiently(world, doIt(world, invoice, action, form));
    return { ...back, why: `${action} ${invoice.external_id}` };
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    return { ...paymentPage(world, invoice, error.message), why: error.message };
  }
}

async function doIt(world: World, invoice: InvoiceRecord, action: string, form: URLSearchParams): Promise<void> {
  const method = form.get('method') ?? undefined;
  switch (action) {
    case 'choose':
      return chooseMethod(world, invoice, method);
    case 'pay':
      return payInvoice(world, invoice, { method });
    case 'pay_other':
      return payInvoice(world, invoice, { amount: form.get('amount')?.trim() ?? '', method });
    case 'adjust':
      return adjustInvoice(world, invoice, form.get('amount')?.trim() ?? '');
    case 'fail':
      return closeInvoice(world, invoice, 'fail', 'a test lever let it fail');
    case 'cancel':
      return closeInvoice(world, invoice, 'canceled', 'the customer canceled');
    case 'expire':
      return closeInvoice(world, invoice, 'expired', 'a test lever let it expire');
    case 'resend':
      return resend(world, invoice)?.done;
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
