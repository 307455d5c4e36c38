import type { InvoiceEvent } from '../event/events.ts';
import { somewhere } from '../event/payload-names.ts';
import type { ClaimResult, WebhookStore } from '../stores/store.ts';
import { runClaimed } from './claimed-run.ts';
import { dedupeKey, eventDigest } from './dedupe.ts';
import type { HandlerSettings, WebhookContext } from './handler-options.ts';
import { LEASE, type Verdict } from './replies.ts';

/** How an event, or a request, ended: what is answered, and what is reported about it. */
export interface Ending {
  readonly verdict: Verdict;
  readonly message: string;
  readonly error?: unknown;
}

/** What the caller of {@link playEvent} hears on the way. */
export interface PlayListener {
  /** The time limit: when it is over, a function that has not begun does not begin. */
  readonly signal: AbortSignal;
  onKey(key: string): void;
  onFinding(reason: 'taken_over' | 'store_forgot', message: string): void;
}

/** Takes a trusted event through the store and the merchant's function. Never rejects. */
export async function playEvent<Extra extends object>(
  event: InvoiceEvent,
  settings: HandlerSettings<Extra>,
  listener: PlayListener,
): Promise<Ending> {
  const { options, timers } = settings;
  const { store } = options;
  const key = await dedupeKey(event, store.namespace);
  listener.onKey(key);
  const call = callFor(event, options);
  if (call === null) {
    return unhandled(event);
  }
  const claim = { key, owner: crypto.randomUUID() };
  const digest = await eventDigest(event);
  let result: ClaimResult;
  // Here, just before the claim: a delivery may have filled the store since catchUp looked.
  const missing = store.forgot?.() ?? null;
  if (event.source === 'catch_up' && missing !== null) {
    return { verdict: 'store_failed', message: `Not played. ${missing}` };
  }
  try {
    result = understood(await store.claim({ ...claim, digest, lease: LEASE }));
  } catch (error) {
    return { verdict: 'store_failed', message: 'The store could not say whether the event is done.', error };
  }
  const forgot = store.forgot?.() ?? null;
  if (forgot !== null && firstTime(settings)) listener.onFinding('store_forgot', forgot);
  if (result.state === 'done') return repeatOfDone(result.digest === digest);
  if (result.state === 'running') {
    return { verdict: 'duplicate_running', message: 'The same event is being handled by another attempt.' };
  }
  if (listener.signal.aborted) {
    await releaseQuietly(store, claim);
    return { verdict: 'time_limit', message: 'The store took too long. Your function did not begin.' };
  }
  const takenOver = result.state === 'taken_over';
  if (result.state === 'taken_over') {
    const other = result.digest === digest ? '' : ' Its amounts or status differ from this one.';
    listener.onFinding('taken_over', `An earlier attempt at this event did not end. It is handled again now.${other}`);
  }
  const context: WebhookContext = { signal: listener.signal, deliveryId: event.id, dedupeKey: key, takenOver };
  const ending = await runClaimed(store, claim, timers, (extra) => call({ ...context, ...extra }));
  return { ...ending, message: RUN_MESSAGES[ending.verdict] };
}

/** An unknown event without `onUnknown`. One that may be about money is not acknowledged: the service repeats it, and shows it as failed. */
function unhandled(event: InvoiceEvent): Ending {
  const { event_name } = event.type === 'unknown' ? event : { event_name: null };
  const name = event_name === null ? '' : ` "${event_name.slice(0, MAX_SHOWN_NAME)}"`;
  if (!mayBeMoney(event)) {
    return {
      verdict: 'no_handler',
      message: `An unknown event${name} was acknowledged, as there is no onUnknown.`,
    };
  }
  return {
    verdict: 'unknown_payment',
    message: `An unknown event${name} may be about money, and there is no onUnknown: answered 500, so that the service repeats it. Pin its name with eventNames if it is a payment or a cancellation, else handle it in onUnknown.`,
  };
}

const MAX_SHOWN_NAME = 100;

/** Looked for at any depth: an envelope may have a status of its own, and hide that of the invoice. */
function mayBeMoney({ raw }: InvoiceEvent): boolean {
  const isSuccess = (status: unknown): boolean =>
    typeof status === 'string' && status.trim().toLowerCase() === 'success';
  return somewhere(raw, 'status', isSuccess) || somewhere(raw, 'credited_usdt', (value) => value !== null);
}

// One report for each handler: every later delivery would say the same.
const reported = new WeakSet<object>();

function firstTime(settings: object): boolean {
  if (reported.has(settings)) return false;
  reported.add(settings);
  return true;
}

// A store may be the merchant's own, and an answer that is taken for a claim by mistake would run the work twice.
function understood(result: ClaimResult): ClaimResult {
  if (['claimed', 'taken_over', 'running', 'done'].includes(result.state)) return result;
  throw new TypeError('claim() must answer { state }: claimed, taken_over, running or done.');
}

const RUN_MESSAGES = {
  done: 'The event was handled.',
  handler_failed: 'Your function threw. The claim was given back, so that the next attempt can run it again.',
  failed_after_commit:
    'Your function threw after its commit was kept. The event is done and answered 200: the rest of the function will not be repeated.',
  store_failed: 'The store failed around your function. If it had succeeded, it may run again.',
  lease_lost: 'Your function outlived its lease, and another attempt took the event over.',
} as const;

function callFor<Extra extends object>(
  event: InvoiceEvent,
  options: HandlerSettings<Extra>['options'],
): ((context: WebhookContext & Extra) => unknown) | null {
  if (event.type === 'invoice.paid') return (context) => options.onPaid(event, context);
  if (event.type === 'invoice.canceled') return (context) => options.onCanceled(event, context);
  const { onUnknown } = options;
  return onUnknown === undefined ? null : (context) => onUnknown(event, context);
}

function repeatOfDone(same: boolean): Ending {
  return same
    ? { verdict: 'duplicate', message: 'The event was handled before. Nothing was done.' }
    : {
        verdict: 'duplicate_differs',
        message:
          'The event was handled before, with other amounts or another status. Nothing was done: compare the two.',
      };
}

async function releaseQuietly(
  store: Pick<WebhookStore, 'release'>,
  claim: { key: string; owner: string },
): Promise<void> {
  try {
    await store.release(claim);
  } catch {
    // The lease ends by itself.
  }
}
