import { callSite, locate } from '../call/call-site.ts';
import { argumentFail, checkOptions, checkSignal, readDuration } from '../checks.ts';
import { eventOfStatus } from '../contract/statuses.ts';
import type { Invoice } from '../contract/types.ts';
import { AbortedError, type AnyMerchantError, isMerchantError, TimeoutError } from '../errors/classes.ts';
import { unreadable } from '../transport/request.ts';
import type { Runner } from '../transport/runner.ts';
import { pause } from '../transport/runtime.ts';
import { readInvoice } from './read-invoice.ts';

/** How to wait. Durations in milliseconds. */
export interface WaitOptions {
  /** The first pause between two reads; it grows by half each time, up to ten times this. Default 2,000. */
  readonly interval?: number | undefined;
  /** How long to wait at the most. Default 1,800,000 (30 minutes). */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const OPERATION = 'invoices.waitUntilFinal';
const WAIT_NAMES: ReadonlySet<string> = new Set<keyof WaitOptions>(['interval', 'timeout', 'signal']);
const DEFAULT_INTERVAL = 2_000;
const DEFAULT_TIMEOUT = 30 * 60_000;
const GROWTH = 1.5;
const LONGEST = 10;
/** The last read begins this long before the end: a wait that grew past it would miss what happened meanwhile. */
const LAST_LOOK = 1_000;
/** Failures that pass by themselves. */
const PASSING = new Set(['connection', 'timeout', 'server', 'rate_limit']);

/** An outage also shows as a proxy's page in place of an answer. */
function isPassing({ kind, code }: AnyMerchantError): boolean {
  return (PASSING.has(kind) && code !== 'SDK_TLS') || code === 'SDK_UNREADABLE_BODY';
}

/** Reads until the invoice is final, with the caller's line in the stack of a failure. @internal */
export async function pollUntilFinal(runner: Runner, ident: string, options: WaitOptions): Promise<Invoice> {
  const site = callSite(pollUntilFinal);
  try {
    return await poll(runner, ident, options);
  } catch (failure) {
    throw locate(failure, site);
  }
}

/** A state that the interface does not know is final once finished_at is set. */
async function poll(runner: Runner, ident: string, options: WaitOptions): Promise<Invoice> {
  const { interval, timeout, signal } = settingsOf(options);
  const { runtime } = runner;
  const deadlineAt = runtime.monotonic() + timeout;
  for (let wait = interval; ; wait = Math.min(wait * GROWTH, interval * LONGEST)) {
    const invoice = await readOnce(runner, ident, signal, deadlineAt);
    if (invoice !== null && (eventOfStatus(invoice.status) !== null || invoice.finished_at !== null)) return invoice;
    const left = deadlineAt - Math.min(LAST_LOOK, timeout / 10) - runtime.monotonic();
    if (left <= 0) throw timedOut(timeout, runner.shownOrder(ident), invoice);
    // Up to a fifth earlier, so that many waiters do not ask in lockstep.
    const next = Math.min(left, wait * (1 - 0.2 * runtime.random()));
    await pause(runtime, next, signal);
    if (signal?.aborted) {
      throw new AbortedError({
        code: 'SDK_ABORTED',
        operation: OPERATION,
        externalId: runner.shownOrder(ident),
        outcome: 'rejected',
        stoppedBy: 'aborted',
        reason: signal.reason,
        message: `${OPERATION}: aborted by the caller's signal.`,
      });
    }
  }
}

interface Settings {
  readonly interval: number;
  readonly timeout: number;
  readonly signal: AbortSignal | null;
}

function settingsOf(options: WaitOptions | null | undefined): Settings {
  try {
    const given: WaitOptions = options ?? {};
    const fail = argumentFail(OPERATION);
    checkOptions('options', given, WAIT_NAMES, fail);
    checkSignal('options.signal', given.signal, fail);
    return {
      interval: readDuration('interval', given.interval, DEFAULT_INTERVAL, fail),
      timeout: readDuration('timeout', given.timeout, DEFAULT_TIMEOUT, fail),
      signal: given.signal ?? null,
    };
  } catch (error) {
    throw unreadable(error, OPERATION);
  }
}

async function readOnce(
  runner: Runner,
  ident: string,
  signal: AbortSignal | null,
  deadlineAt: number,
): Promise<Invoice | null> {
  try {
    const options = signal === null ? {} : { signal };
    return (await readInvoice(runner, ident, options, { deadlineAt })).value;
  } catch (error) {
    if (isMerchantError(error) && isPassing(error)) return null;
    throw error;
  }
}

function timedOut(timeout: number, externalId: string | null, last: Invoice | null): TimeoutError {
  const state = last === null ? 'the last read failed' : `it is still ${last.status}`;
  return new TimeoutError({
    code: 'SDK_DEADLINE',
    operation: OPERATION,
    externalId,
    outcome: 'rejected',
    stoppedBy: 'deadline',
    message: `${OPERATION}: not final within ${timeout} ms, ${state}. Wait longer with "timeout", or act on the webhook.`,
  });
}
