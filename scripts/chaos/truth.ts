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

/** Everything that was told and is not true; empty when every call's end agrees with what the service has. */
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
      if (truth === undefined) say('told as created, and does not exist');
      else if (truth.uuid !== invoice.uuid) say('another invoice than the one that exists');
      else if (invoice.external_id !== externalId) say('the invoice of another order');
      else if (Number(truth.amount) !== Number(amount)) say('told as ours, and has another amount');
      if (created && !byThisCall) say('told as created by this call, and another call created it');
      if (!created && byThisCall) say('told as found, and this call created it');
      continue;
    }
    const { kind, outcome } = result.error;
    if (byThisCall && outcome !== 'unknown') say(`told as ${outcome}, and this call created it`);
    if (outcome === 'not_sent' && traffic.sent > 0) say('told as not sent, and requests were under way');
    // An abort may come between a connection that fails and the news of it: then nobody can know.
    if (outcome === 'unknown' && traffic.sent === 0 && kind !== 'aborted') say('told as unknown, and nothing was sent');
    if (kind === 'conflict' && truth === undefined) say('told as a conflict with an invoice that does not exist');
    if (kind === 'mismatch' && (truth === undefined || Number(truth.amount) === Number(amount))) {
      say('told as a mismatch, and there is none');
    }
  }
  return found;
}
