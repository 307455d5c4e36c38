import { isMerchantError } from '../../errors/guards.ts';
import { asUnknown } from '../event/decode.ts';
import type { InvoiceEvent } from '../event/event-types.ts';
import { rowOf } from '../event/events.ts';
import { dedupeKey, digestDifference, eventDigest } from '../event/identity.ts';
import type { Fact } from '../reasons.ts';
import type { Claim, ClaimResult, LeaseStore, OnceRequest, OnceResult, TransactionStore } from '../stores/store.ts';
import type { EventFunction, HandlerSettings } from './handler-options.ts';
import type { Ending } from './reply.ts';
import { type ReportSubject, report, reportLate } from './report.ts';
import { ReturnedFailure, returnedFailure } from './returned-failure.ts';
import { keepLease, LEASE, limitRun, type TimeLimit, type WebhookTimers } from './timing.ts';

// How a trusted event passes the store and the merchant's function, from a webhook and from `catchUp` alike. A store
// with leases takes three steps: claim, function, completion. A store that holds the claim in its transaction takes
// one.

/** A trusted event with its key and digest for the store, and with the merchant's function for it. */
export interface IdentifiedEvent<Extra> {
  readonly event: InvoiceEvent;
  readonly key: string;
  readonly digest: string;
  /** The merchant's function, or undefined for an unknown event without `onUnknown`. */
  readonly handler: EventFunction<Extra> | undefined;
  /** Whether it is played once more if it is done: a `replay` of `catchUp`. */
  readonly again?: boolean;
}

/**
 * Finds the merchant's function for an event, and makes its key and its digest. An event for which the merchant has no
 * function is passed to `onUnknown`.
 */
export async function identify<Extra extends object>(
  given: InvoiceEvent,
  { store, functions }: Pick<HandlerSettings<Extra>, 'store' | 'functions'>,
): Promise<IdentifiedEvent<Extra>> {
  const row = rowOf(given);
  const own = row === undefined ? undefined : functions.get(row.handler);
  const event = own === undefined ? asUnknown(given) : given;
  const key = await dedupeKey(event, store.namespace);
  return { event, key, digest: await eventDigest(event), handler: own ?? functions.get('onUnknown') };
}

/**
 * Plays an event within the time limit. Work that has begun continues after the limit, and its end is reported. Never
 * rejects.
 */
export async function playInTime<Extra extends object>(
  identified: IdentifiedEvent<Extra>,
  settings: HandlerSettings<Extra>,
  limit: TimeLimit,
  subject: ReportSubject,
): Promise<Ending> {
  const work = playEvent(identified, settings, limit.signal, subject);
  const ending = await limit.race(work);
  if (ending !== null) return ending;
  void work.then((late) => {
    if (late.verdict !== 'time_limit') reportLate(settings, subject, late); // the time limit was reported already
  });
  const cause = `The time limit of ${settings.timeout} ms has ended. A function that has begun continues.`;
  const waiting = settings.store.waiting?.() ?? 0;
  return waiting === 0
    ? { verdict: 'time_limit', cause }
    : {
        verdict: 'time_limit',
        cause: `${cause} ${waiting === 1 ? '1 caller waits' : `${waiting} callers wait`} for a connection of the store's pool, and your function may be one of them.`,
        remedy:
          'Use context.tx for every statement of the function, and give the pool more connections than functions that run at once.',
      };
}

/**
 * Takes a trusted event through the store and the merchant's function. Never rejects.
 *
 * @param signal Aborted at the time limit: a function that has not begun then does not begin.
 */
async function playEvent<Extra extends object>(
  { event, key, digest, handler, again = false }: IdentifiedEvent<Extra>,
  settings: HandlerSettings<Extra>,
  signal: AbortSignal,
  subject: ReportSubject,
): Promise<Ending> {
  const { store, timers } = settings;
  if (handler === undefined) return endingWithoutHandler(event);
  const context = { signal, deliveryId: event.id, dedupeKey: key };
  if ('runOnce' in store) {
    const work = watch(signal, (extra: Extra) => handler(event, { ...context, takenOver: false, ...extra }));
    return await runOnce(store, { key, digest, again }, timers, work);
  }
  const claim = { key, owner: crypto.randomUUID() };
  let result: ClaimResult;
  try {
    result = checkResult(await store.claim({ ...claim, digest, lease: LEASE, again }));
  } catch (error) {
    return { ...STORE_DOWN, error };
  }
  if (result.state === 'done') return repeatOfDone(result.digest, digest);
  if (result.state === 'running') return runningUntil(result.leaseEnd);
  const takenOver = result.state === 'taken_over';
  if (result.state === 'taken_over') {
    const other = digestDifference(result.digest, digest) === null ? '' : ' It differs from this one.';
    const cause = `An earlier attempt at this event did not end. It is handled again now.${other}`;
    report(settings, subject, { reason: 'taken_over', cause });
  }
  const work = watch(signal, (extra: Extra) => handler(event, { ...context, takenOver, ...extra }));
  const onLate = (error: unknown): void => report(settings, subject, { reason: 'failed_after_commit', ...LATE, error });
  return await runClaimed(store, claim, timers, work, onLate);
}

const RUNNING: Ending = { verdict: 'duplicate_running' };

/** A repeat of an event whose claim holds: after a kill nothing else says how long the event is held. */
function runningUntil(leaseEnd: number | undefined): Ending {
  const free = new Date(leaseEnd ?? Number.NaN);
  if (Number.isNaN(free.getTime())) return RUNNING; // a store of the merchant may not say it
  const seen = new Date(free.getTime() - LEASE).toISOString();
  return {
    ...RUNNING,
    cause: `Another attempt is handling the same event. Its last sign of life was at ${seen}. If its process has died, the event is free at ${free.toISOString()}.`,
  };
}

const STORE_DOWN: Ending = {
  verdict: 'store_failed',
  cause: 'The store could not say whether the event is done.',
  remedy: null,
};
const STORE_FAILED: Ending = {
  verdict: 'store_failed',
  cause:
    'The store failed while your function ran. Or the function caught the error of a statement, or did not await a statement. The function may run again, even if it succeeded.',
  remedy: null,
};
const ENDED_BY_ANOTHER: Ending = {
  verdict: 'failed_after_commit',
  cause:
    'Your function, or a transaction of your framework inside of it, committed the transaction of the store. The event is done. What the function wrote later is not part of the transaction.',
  remedy:
    'Compare the writes of this event by hand. Begin and end no transaction in the function: write with context.tx.',
};
/** Of work that the function did not await. */
const LATE: Fact = {
  cause: 'Your function wrote after it had ended, and the write was refused.',
  remedy: 'Await all work in the function, such as await commit(…), and look for what this event lacks.',
};
const NOT_BEGUN = 'The store took too long. Your function did not begin.';
const MAX_SHOWN_NAME = 100;

/**
 * How an unknown event without `onUnknown` ends. If it may be about money it is refused, so that the service
 * repeats it and shows the delivery as failed.
 */
function endingWithoutHandler(event: InvoiceEvent): Ending {
  const { event_name } = event.type === 'unknown' ? event : { event_name: null };
  const name = event_name === null ? '' : ` "${event_name.slice(0, MAX_SHOWN_NAME)}"`;
  return mayBeAboutMoney(event.raw, 0)
    ? {
        verdict: 'unknown_payment',
        cause: `An unknown event${name} may be about money, and there is no onUnknown. The handler answers 500, and the service tries again.`,
      }
    : { verdict: 'no_handler', cause: `An unknown event${name} was acknowledged, because there is no onUnknown.` };
}

const DEEPEST = 8;

/** True if `status: "success"` or `credited_usdt` occurs at any depth: the outer status may be that of an envelope. */
function mayBeAboutMoney(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return false;
  return Object.entries(value).some(([name, inner]) => {
    if (name === 'status' && typeof inner === 'string' && inner.trim().toLowerCase() === 'success') return true;
    return (name === 'credited_usdt' && inner !== null && inner !== '') || mayBeAboutMoney(inner, depth + 1);
  });
}

/**
 * Refuses a result in another form than that of a claim. A store of the merchant may return one, and the work would run
 * without a claim.
 */
function checkResult(result: ClaimResult): ClaimResult {
  if (['claimed', 'taken_over', 'running', 'done'].includes(result.state)) return result;
  throw new TypeError('claim() must resolve to { state }: claimed, taken_over, running or done.');
}

function repeatOfDone(done: string, now: string): Ending {
  switch (digestDifference(done, now)) {
    case 'order':
      return { verdict: 'key_of_another_order' };
    case 'values':
      return { verdict: 'duplicate_differs' };
    case null:
      return { verdict: 'duplicate' };
  }
}

/** The merchant's function for the store to call, and how its run went. */
interface WatchedWork<Extra> {
  run(extra: Extra): Promise<void>;
  /** `stopped`: the time limit came before the function began. */
  state: 'waiting' | 'stopped' | 'working' | 'ended';
  failure: { readonly error: unknown } | null;
}

/**
 * Watches the merchant's function, because a store of the merchant may swallow its failure, or not wait for its end.
 */
function watch<Extra>(signal: AbortSignal, work: (extra: Extra) => unknown): WatchedWork<Extra> {
  const watched: WatchedWork<Extra> = {
    state: 'waiting',
    failure: null,
    async run(extra) {
      try {
        if (signal.aborted) {
          watched.state = 'stopped';
          throw new Error(NOT_BEGUN); // makes the store roll back
        }
        watched.state = 'working';
        const failure = returnedFailure(await work(extra));
        if (failure !== null) throw failure;
        watched.state = 'ended';
      } catch (error) {
        if (watched.state === 'working') watched.state = 'ended';
        watched.failure = { error };
        throw error;
      }
    },
  };
  return watched;
}

/** @throws Error if the store returned although the work did not run, or has not ended */
function checkEnded({ state }: WatchedWork<never>): void {
  if (state === 'waiting') throw new Error('The store returned without running the work.');
  // The event would count as done, and a later failure of the function would be lost.
  if (state === 'working') throw new Error('The store returned before the work had ended: it must await work(extra).');
}

/**
 * The ending for an error of the store. One of this package says itself what is wrong with the store, and what to do.
 */
function storeFailed(ending: Ending, error: unknown): Ending {
  const isOurs = isMerchantError(error) && error.kind === 'configuration';
  return { ...ending, ...(isOurs && { cause: `${ending.cause} ${error.message}` }), error };
}

function handlerFailed({ error }: NonNullable<WatchedWork<never>['failure']>): Ending {
  const cause = error instanceof ReturnedFailure ? { cause: error.message } : {};
  return { verdict: 'handler_failed', ...cause, error };
}

/** Runs the event in the transaction of the store, which holds the claim. Never rejects. */
async function runOnce<Extra extends object>(
  store: TransactionStore<Extra>,
  event: Omit<OnceRequest, 'signal'>,
  timers: WebhookTimers,
  work: WatchedWork<Extra>,
): Promise<Ending> {
  const limit = limitRun(timers);
  try {
    const result: OnceResult = await store.runOnce({ ...event, signal: limit.signal }, (extra) => work.run(extra));
    if (result.state === 'running') return RUNNING;
    if (result.state === 'done') return repeatOfDone(result.digest, event.digest);
    if (result.state === 'failed_after_commit') return { ...ENDED_BY_ANOTHER, error: result.error };
    if (result.state !== 'committed')
      throw new TypeError('runOnce() must resolve to { state }: committed, running, done or failed_after_commit.');
    checkEnded(work);
    if (work.failure !== null) throw work.failure.error;
    return { verdict: 'done' };
  } catch (error) {
    if (work.state === 'stopped') return { verdict: 'time_limit', cause: NOT_BEGUN };
    if (work.failure !== null && !limit.signal.aborted) return handlerFailed(work.failure);
    return storeFailed(work.state === 'waiting' ? STORE_DOWN : STORE_FAILED, error);
  } finally {
    limit.end();
  }
}

/**
 * Runs the merchant's function under a claim, and then completes the event in a store with leases. Never rejects.
 *
 * If the function fails, the claim is released, unless the function had committed before: the event is then done, and a
 * repeat would write twice. If the store fails after the function succeeded, the claim is kept, because the next
 * delivery would otherwise run the function again at once.
 */
async function runClaimed<Extra extends object>(
  store: LeaseStore<Extra>,
  claim: Claim,
  timers: WebhookTimers,
  work: WatchedWork<Extra>,
  onLate: (error: unknown) => void,
): Promise<Ending> {
  const endLease = keepLease(store, claim, timers);
  const run = (extra: Extra): Promise<void> => work.run(extra);
  try {
    const result = store.run === undefined ? await runPlain(store, claim, run) : await store.run(claim, run, onLate);
    checkEnded(work);
    // Checked before the failure of the function: the store may have made it fail, to tell it that the claim was lost.
    if (!result) return { verdict: 'lease_lost' };
    // Only the store knows that the function had committed. Without that, a failure that the store swallowed is a
    // failure.
    if (typeof result === 'object') return { verdict: 'failed_after_commit', error: result.failedAfterCommit };
    if (work.failure === null) return { verdict: 'done' };
    throw work.failure.error;
  } catch (error) {
    const { state, failure } = work;
    if (failure !== null || state === 'waiting') await releaseQuietly(store, claim);
    if (state === 'stopped') return { verdict: 'time_limit', cause: NOT_BEGUN };
    return failure === null ? { ...STORE_FAILED, error } : handlerFailed(failure);
  } finally {
    endLease();
  }
}

async function runPlain<Extra extends object>(
  store: LeaseStore<Extra>,
  claim: Claim,
  work: (extra: Extra) => Promise<void>,
): Promise<boolean> {
  await work({} as Extra); // a store without `run` adds nothing to the context
  try {
    return await store.complete(claim);
  } catch {
    return await store.complete(claim); // once more: without a completion the work would be repeated
  }
}

/** Releases a claim. Ignores a failure of the store, because the lease expires. */
async function releaseQuietly(store: Pick<LeaseStore, 'release'>, claim: Claim): Promise<void> {
  try {
    await store.release(claim);
  } catch {
    // The lease expires.
  }
}
