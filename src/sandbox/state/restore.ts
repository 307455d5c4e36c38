import { ConfigurationError } from '../../errors/classes.ts';
import { awaitExpiry } from '../business/invoices.ts';
import { playOutcome } from '../business/magic-outcomes.ts';
import { attempt } from '../delivery/deliveries.ts';
import type { Settings } from '../options.ts';
import type { World } from '../world.ts';
import type { DeliveryState, SandboxState } from './state.ts';
import type { DeliveryRecord, InvoiceRecord } from './store.ts';

/** Where the clock of a restored sandbox starts: a standing one where it stood, a running one as far ahead as it was. */
export function restartOf(settings: Settings, { now, wall }: SandboxState): number {
  return settings.clock === 'virtual' ? now : settings.wallClock() + Math.max(0, now - wall);
}

/** Fills a fresh world with what another one held. What fell due meanwhile happens as soon as the clock moves. */
export function restore(world: World, state: SandboxState): void {
  world.store.withdrawals = state.withdrawals;
  for (const saved of state.invoices) {
    const invoice: InvoiceRecord = { ...saved, expiry: null };
    world.store.addInvoice(invoice);
    if (invoice.status !== 'pending') continue;
    awaitExpiry(world, invoice);
    playOutcome(world, invoice);
  }
  for (const saved of state.deliveries) restoreDelivery(world, saved);
}

function restoreDelivery(world: World, saved: DeliveryState): void {
  const invoice = world.store.byUuid(saved.invoice);
  if (invoice === undefined) throw new ConfigurationError(`state: the invoice of delivery ${saved.id} is missing`);
  // The attempt that was under way is lost with its process: it is made again, as a service that restarts would.
  const wasUnderWay = saved.status === 'delivering' && saved.nextRetryAt === null;
  const nextRetryAt = wasUnderWay ? world.clock.now() : saved.nextRetryAt;
  const status = wasUnderWay ? 'pending' : saved.status;
  const delivery: DeliveryRecord = { ...saved, invoice, status, nextRetryAt, retry: null, attempt: null };
  world.store.addDelivery(delivery);
  if (nextRetryAt !== null) {
    delivery.retry = world.clock.schedule(nextRetryAt, () => attempt(world, delivery, 'schedule'));
  }
}
