import type { SandboxInvoice } from '../../sandbox/index.ts';
import { CliError, EXIT } from '../io.ts';
import { command } from '../sandbox/control.ts';
import { type EventKind, paidAmount, type SampleOrder } from './sample-event.ts';

/** Makes the order of an event known to the service, and brings it to its final state. Returns its uuid. */
export type OrderSource = (kind: EventKind, order: SampleOrder) => Promise<string>;

const ACTIONS = {
  paid: 'pay',
  adjusted: 'underpay',
  overpaid: 'overpay',
  expired: 'expire',
  canceled: 'cancel',
  fail: 'fail',
} as const satisfies Readonly<Record<EventKind, string>>;

/** The sandbox that runs at this address, or null. A receiver that looks an invoice up finds the orders of it. */
export async function runningSandbox(url: string): Promise<OrderSource | null> {
  try {
    await command(url, 'status', {});
  } catch (error) {
    if (error instanceof CliError && error.exitCode === EXIT.unreachable) return null;
    throw error;
  }
  return async (kind, order) => {
    const { externalId, amount, currency } = order;
    const { result } = await command(url, 'create', { external_id: externalId, amount, currency });
    const { uuid } = result as SandboxInvoice; // what this action returns
    await command(url, ACTIONS[kind], { ident: uuid, amount: paidAmount(kind, order) });
    return uuid;
  };
}
