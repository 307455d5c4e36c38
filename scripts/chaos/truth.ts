import type { CallResult } from '../../src/call/call.ts';
import type { CreatedInvoice } from '../../src/contract/types.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { Traffic } from './network.ts';

/** One call of the run and how it ended. Its purpose marks the invoice that it created, if it did. */
export interface Played {
  readonly marker: string;
  readonly externalId: string;
  readonly amount: string;
  readonly result: CallResult<{
    readonly invoice: CreatedInvoice;
    readonly created: boolean;
    readonly recovered: boolean;
  }>;
  readonly traffic: Traffic;
}

/** The reports that are not true. Empty if the end of every call agrees with the service. */
export function lies(played: readonly Played[], sandbox: Sandbox): string[] {
  const found: string[] = [];
  const invoices = new Map<string, ReturnType<Sandbox['invoices']>[number]>();
  for (const invoice of sandbox.invoices()) {
    if (invoices.has(invoice.external_id)) found.push(`${invoice.external_id} was created twice`);
    invoices.set(invoice.external_id, invoice);
  }
  for (const { marker, externalId, amount, result, traffic } of played) {
    const truth = invoices.get(externalId);
    const byThisCall = truth?.purpose === marker;
    const say = (lie: string): void => void found.push(`${marker} (${externalId}): ${lie}`);
    if (result.ok) {
      const { invoice, created } = result.value;
      if (truth === undefined) say('reported as created, and does not exist');
      else if (truth.uuid !== invoice.uuid) say('another invoice than the one that exists');
      else if (invoice.external_id !== externalId) say('the invoice of another order');
      else if (Number(truth.amount) !== Number(amount)) say('reported as this order, and has another amount');
      if (created && !byThisCall) say('reported as created by this call, and another call created it');
      if (!created && byThisCall) say('reported as found, and this call created it');
      continue;
    }
    const { kind, outcome } = result.error;
    if (byThisCall && outcome !== 'unknown') say(`reported as ${outcome}, and this call created it`);
    if (outcome === 'not_sent' && traffic.sent > 0) say('reported as not sent, and requests were running');
    // An abort may come between a failed connection and its report. Then the outcome cannot be known.
    if (outcome === 'unknown' && traffic.sent === 0 && kind !== 'aborted')
      say('reported as unknown, and nothing was sent');
    if (kind === 'conflict' && truth === undefined) say('reported as a conflict with an invoice that does not exist');
    if (kind === 'mismatch' && (truth === undefined || Number(truth.amount) === Number(amount))) {
      say('reported as a mismatch, but the amounts agree');
    }
  }
  return found;
}
