// delivery/ sends webhooks: payload, signature, attempts, retries, and the cause of a refusal.

import { quoted } from '../../../errors/checks.ts';
import { ConfigurationError } from '../../../errors/classes.ts';
import { warnOnce } from '../../../errors/notify.ts';
import { engine } from '../../../webhooks/crypto.ts';
import { fingerprintOf } from '../../../webhooks/verify/why.ts';
import { DELIVERY_FAULTS, type DeliveryFault, durationOf, FAULTS } from '../state/faults.ts';
import { type DeliveryRecord, type InvoiceRecord, KEPT_ATTEMPTS } from '../state/records.ts';
import type { EndingDelivery, SandboxAttempt } from '../types.ts';
import type { World } from '../world.ts';
import { type Diagnosis, diagnoseReply, isHtmlPage, sentenceOf } from './diagnose.ts';
import { eventBody, eventTypeOf, type SendResult, send } from './webhook-request.ts';

const MINUTE = 60_000;

/**
 * The delay before each attempt, in milliseconds after the one before.
 * @see [Retries](../../../../docs/service-interface.md#retries)
 */
export const RETRY_DELAYS: readonly number[] = [0, 1, 5, 30, 120, 360, 720].map((minutes) => minutes * MINUTE);

/** The number of scheduled attempts. */
export const MAX_ATTEMPTS = RETRY_DELAYS.length;

type Trigger = SandboxAttempt['triggered_by'];

/** What became of a delivery so far. A resend that fails after a receipt changes nothing. */
export function deliveryState({ status, made }: DeliveryRecord): EndingDelivery['state'] {
  if (status === 'delivered' || status === 'failed') return status;
  return made === 0 ? 'waiting' : 'retrying';
}

/**
 * Prints one line on the console, once for each `key` of a sandbox, for people who do not look at the returned
 * delivery.
 */
export function warn({ settings, serial }: World, key: string, line: string): void {
  if (!settings.quiet) warnOnce(`sandbox ${serial} ${key}`, `sandbox: ${line}`);
}

/**
 * Creates the delivery of an invoice that has ended, and makes its first attempt.
 * @see [Emission](../../../../docs/service-interface.md#emission)
 */
export async function announce(world: World, invoice: InvoiceRecord): Promise<void> {
  const url = invoice.callback_url;
  const eventType = eventTypeOf(invoice);
  if (url === null) {
    world.log.note('not sent: no callback URL', invoice.external_id);
    const problem = `${eventType} of ${invoice.external_id} is not sent: it has no callback URL`;
    warn(world, 'not sent', `${problem}. webhookRequest() returns it as a Request. quiet: true hides this line.`);
    return;
  }
  const delivery: DeliveryRecord = {
    id: world.random.uuid(),
    invoice,
    eventType,
    url,
    body: eventBody(invoice, world.settings.dialect, world.settings.writeBody),
    createdAt: world.clock.now(),
    log: [],
    made: 0,
    status: 'pending',
    nextRetryAt: world.clock.now(),
    deliveredAt: null,
    retry: null,
    attempt: null,
  };
  world.store.addDelivery(delivery);
  await attempt(world, delivery, 'schedule');
  const last = delivery.log.at(-1);
  if (last === undefined || last.fault !== null || last.cause === null) return;
  const { cause, error, status_code: status } = last;
  warn(
    world,
    `${url} ${cause.id} ${error}`,
    `${eventType} of ${invoice.external_id} ${error === null ? `got ${status} from` : `was not delivered to`} ${url}${error === null ? '' : `: ${error}`}. ${sentenceOf(cause)}`,
  );
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
  const delivery = world.store.latestDelivery(invoice);
  if (delivery === undefined) {
    const reason = invoice.status === 'pending' ? 'it is still pending' : 'it has no callback URL';
    throw new ConfigurationError(`${quoted(invoice.external_id)} has no webhook to send: ${reason}`);
  }
  if (delivery.attempt !== null) return { delivery, done: delivery.attempt, why: 'an attempt is already in progress' };
  const isQueued = delivery.retry !== null;
  const why = isQueued ? 'still queued: the next attempt begins now' : `${delivery.status} before: a new attempt`;
  return { delivery, done: attempt(world, delivery, 'manual'), why };
}

/** Real time before a wait is told. Less than a test has. */
const PATIENCE = 1_000;
const WAITS_FOR_ITSELF =
  'If the receiver awaits advance() or settle() of this sandbox, it waits for itself: call these in the test.';
const WAITS =
  'waits for the response of a receiver before it moves the clock or settles. If the wait does not end, the receiver itself awaits advance() or settle(). It must respond first.';

/**
 * Waits until no attempt is in progress, attempts that start meanwhile included, and then until no request and no
 * attempt has begun or ended for `quiet` milliseconds of real time.
 */
export async function settleDeliveries(world: World, quiet = 0): Promise<void> {
  const { sleep } = world.settings;
  const inProgress = (): Promise<void>[] => [...world.attempts];
  for (;;) {
    for (let waiting = inProgress(); waiting.length > 0; waiting = inProgress()) {
      const over = new AbortController();
      void sleep(PATIENCE, over.signal).then(() => over.signal.aborted || warn(world, 'waits', WAITS));
      world.waiting += 1;
      await Promise.all(waiting).finally(() => {
        world.waiting -= 1;
        over.abort();
      });
    }
    if (quiet === 0) return;
    const { activity } = world;
    await sleep(quiet, world.life.signal);
    const isQuiet = world.activity === activity && world.answering === 0 && inProgress().length === 0;
    if (isQuiet || world.life.signal.aborted) return;
  }
}

/** Makes the next attempt of a delivery. */
export function attempt(world: World, delivery: DeliveryRecord, trigger: Trigger): Promise<void> {
  world.activity += 1;
  delivery.retry?.cancel();
  delivery.retry = null;
  delivery.nextRetryAt = null;
  const { invoice, status } = delivery;
  // A resend of what has ended waits for nothing.
  const types = status === 'pending' ? DELIVERY_FAULTS : DELIVERY_FAULTS.filter((type) => type !== 'hold');
  const fault = world.faults.forDelivery(invoice.external_id, types);
  if (fault?.type === 'hold') {
    schedule(world, delivery, durationOf(fault));
    world.log.note('held, by the fault hold', invoice.external_id);
    return Promise.resolve();
  }
  const promise = runAttempt(world, delivery, trigger, fault);
  delivery.attempt = promise;
  const over = promise.finally(() => world.attempts.delete(over));
  world.attempts.add(over);
  return promise;
}

async function runAttempt(
  world: World,
  delivery: DeliveryRecord,
  trigger: Trigger,
  fault: DeliveryFault | null,
): Promise<void> {
  const { clock, settings } = world;
  const { signal: life } = world.life; // a reset replaces it during the attempt
  const { dialect } = settings;
  const before = delivery.status;
  delivery.status = 'delivering';
  const began = clock.now();
  const [first] = delivery.log;
  const repeated =
    dialect.timestampPer === 'delivery' && first !== undefined ? began - Date.parse(first.created_at) : null;
  // A receiver measures the age by real time, which advance() does not move: a repeated stamp is as old as its attempt.
  const result = await send(world, delivery, settings.wallClock() - (repeated ?? 0), fault);
  delivery.attempt = null;
  world.activity += 1;
  if (life.aborted) return; // by close(), or by a reset, which has removed the delivery
  const found = await causeOfAttempt(world, result, delivery.url, fault, repeated !== null);
  const isAwaited = world.waiting > 0 && (found?.id === 'time_out' || found?.id === 'time_limit');
  const cause = isAwaited ? { ...found, remedy: `${WAITS_FOR_ITSELF} Otherwise: ${found.remedy}` } : found;
  const { problem: _, ...sent } = result;
  const created_at = new Date(began).toISOString();
  const ended = { ...sent, fault: fault?.type ?? null, cause, triggered_by: trigger, created_at };
  delivery.log.push(ended);
  if (delivery.log.length > KEPT_ATTEMPTS) delivery.log.shift();
  delivery.made += 1;
  if (result.success) {
    delivery.status = 'delivered';
    delivery.deliveredAt = clock.now();
  } else {
    afterFailure(world, delivery, before);
  }
  logAttempt(world, delivery, ended);
}

/**
 * Why an attempt was not accepted, or what its acceptance shows. Null for an ordinary success.
 *
 * @param repeatsTimestamp True if it repeats the timestamp of an earlier attempt.
 */
async function causeOfAttempt(
  { settings }: Pick<World, 'settings'>,
  result: SendResult,
  url: string,
  fault: DeliveryFault | null,
  repeatsTimestamp: boolean,
): Promise<Diagnosis | null> {
  const { success, status_code: status, request, problem, response_body: body, response_headers: headers } = result;
  const ofFault = fault === null ? null : causeOfFault(fault, result);
  if (ofFault !== null) return ofFault;
  if (success && !isHtmlPage({ body, headers })) return null;
  if (request === null) {
    const remedy = `Allow it with deliverTo: ["${new URL(url).hostname}"], or use an address of this machine.`;
    return { id: 'not_sent', text: 'Not sent: the sandbox delivers to this machine only.', remedy, isProven: true };
  }
  return diagnoseReply({
    url,
    status,
    problem,
    body,
    headers,
    repeatsTimestamp,
    sentSha256: await engine().sha256(request.body),
    secretFingerprint: await fingerprintOf(settings.webhookSecret),
  });
}

function causeOfFault({ type }: DeliveryFault, { success, status_code: status }: SendResult): Diagnosis | null {
  const onPurpose = (text: string): Diagnosis => ({ id: 'fault_refused', text, remedy: null, isProven: true });
  if (type === 'outage') return onPurpose('Not sent: the fault outage keeps the endpoint out of reach.');
  if (type === 'ack_lost') return onPurpose('The receiver got it, and the fault ack_lost lost its response.');
  const { accepted } = FAULTS[type];
  if (accepted === undefined) return null;
  if (success) return { id: 'fault_accepted', ...accepted, isProven: true };
  if (status === null || status < 400 || status > 499) return null;
  return onPurpose(`Refused as it should be: the fault ${type} changed this webhook on purpose.`);
}

function afterFailure(world: World, delivery: DeliveryRecord, before: DeliveryRecord['status']): void {
  const wait = RETRY_DELAYS[delivery.made];
  // A resend of a finished delivery is one attempt. It changes no receipt and starts no new schedule.
  if (before === 'delivered' || before === 'failed') {
    delivery.status = before;
  } else if (wait === undefined) {
    delivery.status = 'failed';
  } else {
    schedule(world, delivery, wait);
  }
}

function schedule(world: World, delivery: DeliveryRecord, wait: number): void {
  delivery.status = 'pending';
  delivery.nextRetryAt = world.clock.now() + wait;
  delivery.retry = world.clock.schedule(delivery.nextRetryAt, () => attempt(world, delivery, 'schedule'));
}

function logAttempt(world: World, delivery: DeliveryRecord, ended: SandboxAttempt): void {
  const { created_at, request, response_headers, ...logged } = ended;
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
