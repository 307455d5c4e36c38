// delivery/ sends webhooks: payload, signature, attempts, retries, and the cause of a refusal. It imports state/ and
// dialects.ts, and signs with webhooks/verify.

import { ConfigurationError } from '../../errors/classes.ts';
import { quoted } from '../option-checks.ts';
import { type DeliveryRecord, type InvoiceRecord, KEPT_ATTEMPTS } from '../state/records.ts';
import type { SandboxAttempt } from '../wire-types.ts';
import type { World } from '../world.ts';
import { causeOfRefusal } from './cause.ts';
import { eventBody, eventTypeOf, send, stampNow } from './webhook-request.ts';

const MINUTE = 60_000;

/**
 * The delay before each attempt, in milliseconds after the one before.
 * @see [Retries](../../../docs/service-interface.md#retries)
 */
export const RETRY_DELAYS: readonly number[] = [0, 1, 5, 30, 120, 360, 720].map((minutes) => minutes * MINUTE);

/** The number of scheduled attempts. */
export const MAX_ATTEMPTS = RETRY_DELAYS.length;

type Trigger = SandboxAttempt['triggered_by'];

/**
 * Creates the only delivery of an invoice that has ended, and makes its first attempt.
 * @see [Emission](../../../docs/service-interface.md#emission)
 */
export async function announce(world: World, invoice: InvoiceRecord): Promise<void> {
  const url = invoice.callback_url;
  const eventType = eventTypeOf(invoice);
  if (url === null) {
    world.log.note(
      `${eventType} of ${invoice.external_id} goes nowhere: neither the invoice nor the business has a callback URL`,
    );
    return;
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
    status: 'pending',
    nextRetryAt: world.clock.now(),
    deliveredAt: null,
    retry: null,
    attempt: null,
    firstStamp: null,
    finding: null,
  };
  world.store.addDelivery(delivery);
  await attempt(world, delivery, 'schedule');
}

/**
 * Sends the delivery now. A queued one is expedited, and a failed or delivered one gets a new attempt. An attempt
 * in progress is not repeated. Returns the promise of the attempt without awaiting it.
 *
 * @throws ConfigurationError if there is no delivery.
 */
export function resend(
  world: World,
  invoice: InvoiceRecord,
): { readonly delivery: DeliveryRecord; readonly done: Promise<void>; readonly why: string } {
  const [delivery] = world.store.deliveries(invoice);
  if (delivery === undefined) {
    const reason = invoice.status === 'pending' ? 'it is still pending' : 'it has no callback URL';
    throw new ConfigurationError(`${quoted(invoice.external_id)} has no webhook to send: ${reason}`);
  }
  if (delivery.attempt !== null) return { delivery, done: delivery.attempt, why: 'an attempt is already in progress' };
  const isQueued = delivery.retry !== null;
  const why = isQueued
    ? 'still queued: the pending attempt is expedited'
    : `${delivery.status} before: a fresh attempt`;
  return { delivery, done: attempt(world, delivery, 'manual'), why };
}

/** Waits until no attempt is in progress, attempts that start meanwhile included. */
export async function settleDeliveries(world: World): Promise<void> {
  const inProgress = (): Promise<void>[] => world.store.deliveries().flatMap(({ attempt: promise }) => promise ?? []);
  for (let waiting = inProgress(); waiting.length > 0; waiting = inProgress()) await Promise.all(waiting);
}

/** Makes the next attempt of a delivery. */
export function attempt(world: World, delivery: DeliveryRecord, trigger: Trigger): Promise<void> {
  const promise = runAttempt(world, delivery, trigger, world.life.signal);
  delivery.attempt = promise;
  return promise;
}

async function runAttempt(world: World, delivery: DeliveryRecord, trigger: Trigger, life: AbortSignal): Promise<void> {
  const { clock, settings } = world;
  const { dialect } = settings;
  const before = delivery.status;
  delivery.retry?.cancel();
  delivery.retry = null;
  delivery.nextRetryAt = null;
  delivery.status = 'delivering';
  const began = clock.now();
  const stamp = stampNow(world);
  delivery.firstStamp ??= stamp;
  const stampAt = dialect.timestampPer === 'attempt' ? stamp : delivery.firstStamp;
  const fault = world.faults.forDelivery();
  const result = await send(world, delivery, stampAt, fault);
  delivery.attempt = null;
  if (life.aborted) return; // by a reset, which has removed the delivery
  const sent = { ...result, fault: fault?.type ?? null };
  const why = causeOfRefusal(sent, { dialect, attempt: delivery.made + 1, skew: stampAt - settings.wallClock() });
  const ended = { ...sent, why, triggered_by: trigger, created_at: new Date(began).toISOString() };
  delivery.log.push(ended);
  if (delivery.log.length > KEPT_ATTEMPTS) delivery.log.shift();
  delivery.made += 1;
  delivery.finding = null;
  if (result.success) {
    delivery.status = 'delivered';
    delivery.deliveredAt = clock.now();
  } else {
    afterFailure(world, delivery, before);
  }
  logAttempt(world, delivery, ended);
}

function afterFailure(world: World, delivery: DeliveryRecord, before: DeliveryRecord['status']): void {
  const wait = RETRY_DELAYS[delivery.made];
  // A resend of a finished delivery is one attempt. It changes no receipt and starts no new schedule.
  if (before === 'delivered' || before === 'failed') {
    delivery.status = before;
  } else if (wait === undefined) {
    delivery.status = 'failed';
  } else {
    delivery.status = 'pending';
    delivery.nextRetryAt = world.clock.now() + wait;
    delivery.retry = world.clock.schedule(delivery.nextRetryAt, () => attempt(world, delivery, 'schedule'));
  }
}

function logAttempt(world: World, delivery: DeliveryRecord, ended: SandboxAttempt): void {
  const { created_at, request, response_headers, fault, ...logged } = ended;
  world.log.add({
    kind: 'attempt',
    delivery_id: delivery.id,
    external_id: delivery.invoice.external_id,
    event_type: delivery.eventType,
    url: delivery.url,
    attempt: delivery.made,
    max_attempts: MAX_ATTEMPTS,
    status: delivery.status,
    next_retry_at: delivery.nextRetryAt === null ? null : new Date(delivery.nextRetryAt).toISOString(),
    ...logged,
  });
}
