import { EVENTS } from '../../contract/statuses.ts';
import type { InvoiceEvent } from '../event/events.ts';
import { hasMemberAnywhere } from '../event/payload.ts';
import type { ClaimResult } from '../stores/store.ts';
import { dedupeKey, eventDigest } from './dedupe.ts';
import type { HandlerSettings, WebhookContext } from './handler-options.ts';
import type { Reporter } from './report.ts';
import { releaseQuietly, runClaimed } from './run-claimed.ts';
import { type Ending, LEASE } from './verdict.ts';

/**
 * Takes a trusted event through the store and the merchant's function. Never rejects.
 *
 * @param signal Aborted at the time limit: a function that has not begun then does not begin.
 */
export async function playEvent<Extra extends object>(
  event: InvoiceEvent,
  settings: HandlerSettings<Extra>,
  signal: AbortSignal,
  reporter: Reporter,
): Promise<Ending> {
  const { options, timers } = settings;
  const { store } = options;
  reporter.event = event;
  const key = await dedupeKey(event, store.namespace);
  reporter.key = key;
  const handler = handlerOf(event, options);
  if (handler === undefined) return endingWithoutHandler(event);
  const claim = { key, owner: crypto.randomUUID() };
  const digest = await eventDigest(event);
  // Here, just before the claim: a delivery may have filled the store since catchUp looked.
  const missing = store.forgot?.() ?? null;
  if (event.source === 'catch_up' && missing !== null) {
    return { verdict: 'store_failed', message: `Not played. ${missing}` };
  }
  let result: ClaimResult;
  try {
    result = checkResult(await store.claim({ ...claim, digest, lease: LEASE }));
  } catch (error) {
    return { verdict: 'store_failed', message: 'The store could not say whether the event is done.', error };
  }
  reportForgetfulStore(settings, reporter);
  if (result.state === 'done') return repeatOfDone(result.digest === digest);
  if (result.state === 'running') {
    return { verdict: 'duplicate_running', message: 'The same event is being handled by another attempt.' };
  }
  if (signal.aborted) {
    await releaseQuietly(store, claim);
    return { verdict: 'time_limit', message: 'The store took too long. Your function did not begin.' };
  }
  if (result.state === 'taken_over') {
    const other = result.digest === digest ? '' : ' Its amounts or status differ from this one.';
    reporter.report('taken_over', `An earlier attempt at this event did not end. It is handled again now.${other}`);
  }
  const takenOver = result.state === 'taken_over';
  const context: WebhookContext = { signal, deliveryId: event.id, dedupeKey: key, takenOver };
  return await runClaimed(store, claim, timers, (extra) => handler(event, { ...context, ...extra }));
}

type AnyEventHandler<Extra> = (event: InvoiceEvent, context: WebhookContext & Extra) => unknown;

function handlerOf<Extra extends object>(
  { type }: InvoiceEvent,
  options: HandlerSettings<Extra>['options'],
): AnyEventHandler<Extra> | undefined {
  const handler = options[type === 'unknown' ? 'onUnknown' : EVENTS[type].handler];
  return handler as AnyEventHandler<Extra> | undefined; // the row names the function for events of this type
}

const MAX_SHOWN_NAME = 100;

/** An unknown event without `onUnknown`. If it may be about money it is refused: the service repeats it and shows it as failed. */
function endingWithoutHandler(event: InvoiceEvent): Ending {
  const { event_name } = event.type === 'unknown' ? event : { event_name: null };
  const name = event_name === null ? '' : ` "${event_name.slice(0, MAX_SHOWN_NAME)}"`;
  return mayBeAboutMoney(event)
    ? {
        verdict: 'unknown_payment',
        message: `An unknown event${name} may be about money, and there is no onUnknown: answered 500, so that the service repeats it. Pin its name with eventNames if it is a payment or a cancellation. Otherwise handle it in onUnknown.`,
      }
    : { verdict: 'no_handler', message: `An unknown event${name} was acknowledged, because there is no onUnknown.` };
}

/** Looks at any depth: an envelope may have a status that hides that of the invoice. */
function mayBeAboutMoney({ raw }: InvoiceEvent): boolean {
  const isSuccess = (status: unknown): boolean =>
    typeof status === 'string' && status.trim().toLowerCase() === 'success';
  return (
    hasMemberAnywhere(raw, 'status', isSuccess) || hasMemberAnywhere(raw, 'credited_usdt', (value) => value !== null)
  );
}

const reportedForgetful = new WeakSet<object>();

/** Reports once for each handler that the store dropped records: every later report would say the same. */
function reportForgetfulStore<Extra extends object>(settings: HandlerSettings<Extra>, reporter: Reporter): void {
  const forgot = settings.options.store.forgot?.() ?? null;
  if (forgot === null || reportedForgetful.has(settings)) return;
  reportedForgetful.add(settings);
  reporter.report('store_forgot', forgot);
}

// The store may be the merchant's. If a wrong result counted as a claim, the work would run twice.
function checkResult(result: ClaimResult): ClaimResult {
  if (['claimed', 'taken_over', 'running', 'done'].includes(result.state)) return result;
  throw new TypeError('claim() must answer { state }: claimed, taken_over, running or done.');
}

function repeatOfDone(isSame: boolean): Ending {
  return isSame
    ? { verdict: 'duplicate', message: 'The event was handled before. Nothing was done.' }
    : {
        verdict: 'duplicate_differs',
        message:
          'The event was handled before, with other amounts or another status. Nothing was done: compare the two.',
      };
}
