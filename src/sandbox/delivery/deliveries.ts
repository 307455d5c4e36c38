import { ConfigurationError } from '../../errors/classes.ts';
import { shown } from '../duration.ts';
import { type DeliveryRecord, type InvoiceRecord, KEPT_ATTEMPTS } from '../state/store.ts';
import { note, type World } from '../world.ts';
import { eventBody, eventTypeOf } from './event-payload.ts';
import { MAX_ATTEMPTS, waitAfter } from './schedule.ts';
import { send } from './send.ts';
import { whyRefused } from './why.ts';

type Trigger = 'schedule' | 'manual';

/**
 * Makes the one delivery of an invoice that has ended, and its first attempt.
 * @see [Emission](../../../docs/service-interface.md#emission)
 */
export async function announce(world: World, invoice: InvoiceRecord): Promise<void> {
  const url = invoice.callback_url;
  const eventType = eventTypeOf(invoice);
  if (url === null) {
    note(
      world,
      `${eventType} of ${invoice.external_id} goes nowhere: neither the invoice nor the business has a callback URL`,
    );
    if (world.settings.dialect.withoutCallback === 'nothing') return;
  }
  const delivery: DeliveryRecord = {
    id: world.random.uuid(),
    invoice,
    eventType,
    url,
    body: eventBody(invoice, world.settings.dialect),
    createdAt: world.clock.now(),
    log: [],
    made: 0,
    status: url === null ? 'failed' : 'pending',
    nextRetryAt: url === null ? null : world.clock.now(),
    deliveredAt: null,
    retry: null,
    attempt: null,
    firstStamp: null,
    finding: null,
  };
  world.store.addDelivery(delivery);
  if (url !== null) await attempt(world, delivery, 'schedule');
}

/**
 * Sends the latest delivery now: a queued one is expedited, a failed or delivered one gets a fresh attempt. One that is
 * under way is left alone. The promise of the attempt is given back, not awaited: its end is the receiver's business.
 */
export function resend(
  world: World,
  invoice: InvoiceRecord,
): { delivery: DeliveryRecord; done: Promise<void>; why: string } | null {
  const delivery = world.store.deliveries(invoice).at(-1);
  if (delivery === undefined) return null;
  if (delivery.attempt !== null) return { delivery, done: delivery.attempt, why: 'an attempt is under way already' };
  const why =
    delivery.retry === null
      ? `${delivery.status} before: a fresh attempt`
      : 'still queued: the pending attempt is expedited';
  return { delivery, done: attempt(world, delivery, 'manual'), why };
}

/** As {@link resend}, for the sandbox's own functions: throws where there is nothing to send. */
export function mustResend(world: World, invoice: InvoiceRecord): { delivery: DeliveryRecord; done: Promise<void> } {
  const sent = resend(world, invoice);
  if (sent !== null) return sent;
  const reason = invoice.status === 'pending' ? 'it is still pending' : 'it has no callback URL';
  throw new ConfigurationError(`${shown(invoice.external_id)} has no webhook to send: ${reason}`);
}

/** Waits until no attempt is under way. What a receiver sets off meanwhile is waited for, too. */
export async function settleDeliveries(world: World): Promise<void> {
  const underWay = (): Promise<void>[] => [...world.store.underWay].flatMap(({ attempt: promise }) => promise ?? []);
  for (let waiting = underWay(); waiting.length > 0; waiting = underWay()) await Promise.all(waiting);
}

/** Makes the next attempt of a delivery. */
export function attempt(world: World, delivery: DeliveryRecord, trigger: Trigger): Promise<void> {
  const promise = runAttempt(world, delivery, trigger, world.life.signal);
  delivery.attempt = promise;
  world.store.underWay.add(delivery);
  return promise;
}

async function runAttempt(world: World, delivery: DeliveryRecord, trigger: Trigger, life: AbortSignal): Promise<void> {
  const { clock, settings } = world;
  const before = delivery.status;
  delivery.retry?.cancel();
  delivery.retry = null;
  delivery.nextRetryAt = null;
  delivery.status = 'delivering';
  const began = clock.now();
  const stamp = settings.deliveryTimestamp === 'wall' ? settings.wallClock() : began;
  delivery.firstStamp ??= stamp;
  const stampAt = settings.dialect.timestampPer === 'attempt' ? stamp : delivery.firstStamp;
  const fault = world.faults.forDelivery();
  const result = await send(world, delivery, stampAt, fault);
  delivery.attempt = null;
  world.store.underWay.delete(delivery);
  if (life.aborted || world.store.deliveryById(delivery.id) !== delivery) return; // reset, or forgotten
  const sent = { ...result, fault: fault?.type ?? null };
  const why = whyRefused(sent, { settings, attempt: delivery.made + 1, skew: stampAt - settings.wallClock() });
  delivery.log.push({ ...sent, why, triggered_by: trigger, created_at: new Date(began).toISOString() });
  if (delivery.log.length > KEPT_ATTEMPTS) delivery.log.shift();
  delivery.made += 1;
  delivery.finding = null;
  if (result.success) {
    delivery.status = 'delivered';
    delivery.deliveredAt = clock.now();
  } else {
    afterFailure(world, delivery, before);
  }
  logAttempt(world, delivery);
}

function afterFailure(world: World, delivery: DeliveryRecord, before: DeliveryRecord['status']): void {
  const wait = waitAfter(delivery.made);
  // A resend after the end is one attempt: it neither takes back a receipt nor starts the schedule again.
  if (before === 'delivered' || before === 'failed') {
    delivery.status = before;
  } else if (wait === null) {
    delivery.status = 'failed';
  } else {
    delivery.status = world.settings.dialect.waitingDelivery;
    delivery.nextRetryAt = world.clock.now() + wait;
    delivery.retry = world.clock.schedule(delivery.nextRetryAt, () => attempt(world, delivery, 'schedule'));
  }
}

function logAttempt(world: World, delivery: DeliveryRecord): void {
  const last = delivery.log.at(-1);
  if (last === undefined) return;
  const { status_code, success, error, duration_ms, triggered_by, response_body, why } = last;
  world.log.add({
    kind: 'attempt',
    at: new Date(world.clock.now()).toISOString(),
    delivery_id: delivery.id,
    external_id: delivery.invoice.external_id,
    event_type: delivery.eventType,
    url: delivery.url,
    attempt: delivery.made,
    max_attempts: MAX_ATTEMPTS,
    status: delivery.status,
    status_code,
    success,
    error,
    duration_ms,
    triggered_by,
    next_retry_at: delivery.nextRetryAt === null ? null : new Date(delivery.nextRetryAt).toISOString(),
    response_body,
    why,
  });
}
