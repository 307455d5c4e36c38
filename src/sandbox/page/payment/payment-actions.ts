import { ConfigurationError } from '../../../errors/classes.ts';
import { isMerchantError } from '../../../errors/guards.ts';
import { isOrderAction, runAction } from '../../actions.ts';
import type { Sandbox } from '../../api.ts';
import type { Answer } from '../../service/respond.ts';
import type { InvoiceRecord } from '../../state/records.ts';
import type { World } from '../../world.ts';
import { seeOther } from '../parts/html.ts';
import { paymentPage } from './payment-page.ts';

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
  const isForClosed = button === 'adjust' || button === 'resend';
  if (invoice.status !== 'pending' && !isForClosed) {
    const why = `too late: it is ${invoice.status} already`;
    return { ...seeOther(`${page}?${new URLSearchParams({ late: button })}`), why };
  }
  const name = button === 'dispute' ? 'pay' : button; // the page then asks for the correction
  const fields = { ...Object.fromEntries(form), amount: form.get('amount')?.trim(), ident: invoice.uuid };
  try {
    if (!isOrderAction(name)) throw new ConfigurationError('This page has no such button.');
    await waitBriefly(world, runAction(sandbox, name, fields));
    const why = `${button} ${invoice.external_id}`;
    return { ...seeOther(`${page}?${new URLSearchParams({ done: button })}`), why };
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    const { message } = error;
    const problem = { button, amount: form.get('amount') ?? '', message };
    return { ...paymentPage(world, invoice, { problem }), why: message };
  }
}

async function waitBriefly(world: World, work: unknown): Promise<void> {
  const stop = new AbortController();
  try {
    await Promise.race([work, world.settings.sleep(MAX_WAIT, stop.signal)]);
  } finally {
    stop.abort();
  }
}
