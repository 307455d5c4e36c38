import { callSite, locate } from '../call/call-site.ts';
import { argumentFail, checkOptions, checkSignal, readDuration } from '../checks.ts';
import type { Invoice } from '../contract/invoices.ts';
import { eventOfStatus } from '../contract/statuses.ts';
import type { MerchantErrorInit } from '../errors/classes.ts';
import { AbortedError, TimeoutError } from '../errors/classes.ts';
import type { SdkCode, StoppedBy } from '../errors/codes.ts';
import { type AnyMerchantError, isMerchantError } from '../errors/guards.ts';
import { readArguments } from '../transport/failure.ts';
import { pause } from '../transport/runtime.ts';
import { type ClientCore, shownExternalId } from '../transport/scope.ts';
import { readInvoice } from './read-invoice.ts';

/**
 * Options of {@link Invoices.waitUntilFinal}. Durations in milliseconds.
 *
 * @example
 * await merchant.invoices.waitUntilFinal('order-1042', { interval: 5_000, timeout: 600_000 });
 */
export interface WaitOptions {
  /**
   * The first pause between two reads. It grows by half each time, up to ten times this.
   * @defaultValue 2_000
   */
  readonly interval?: number | undefined;
  /**
   * The longest wait.
   * @defaultValue 1_800_000, which is 30 minutes
   */
  readonly timeout?: number | undefined;
  /** Ends the wait with an {@link AbortedError}. */
  readonly signal?: AbortSignal | undefined;
}

const OPERATION = 'invoices.waitUntilFinal';
const WAIT_NAMES: ReadonlySet<string> = new Set<keyof WaitOptions>(['interval', 'timeout', 'signal']);
const DEFAULT_INTERVAL = 2_000;
const DEFAULT_TIMEOUT = 30 * 60_000;
const GROWTH = 1.5;
const LONGEST = 10;
/** The last read begins this long before the end, so that a long pause does not miss a change. */
const LAST_LOOK = 1_000;
/** Failures that end without a change by the caller. */
const PASSING = new Set(['connection', 'timeout', 'server', 'rate_limit']);

/** An outage also shows as a proxy's page in place of an answer. */
function isPassing({ kind, code }: AnyMerchantError): boolean {
  return (PASSING.has(kind) && code !== 'SDK_TLS') || code === 'SDK_UNREADABLE_BODY';
}

/** Reads until the invoice is final, with the caller's line in the stack of a failure. @internal */
export async function pollUntilFinal(client: ClientCore, ident: string, options: WaitOptions): Promise<Invoice> {
  const site = callSite(pollUntilFinal);
  try {
    return await poll(client, ident, options);
  } catch (failure) {
    throw locate(failure, site);
  }
}

/** A state that the interface does not know is final once finished_at is set. */
async function poll(client: ClientCore, ident: string, options: WaitOptions): Promise<Invoice> {
  const { interval, timeout, signal } = readWaitOptions(options);
  const { runtime } = client;
  const deadlineAt = runtime.monotonic() + timeout;
  const ended = (code: SdkCode, stoppedBy: StoppedBy, problem: string): MerchantErrorInit => ({
    code,
    operation: OPERATION,
    externalId: shownExternalId(client, ident),
    outcome: 'rejected',
    stoppedBy,
    message: `${OPERATION}: ${problem}.`,
  });
  for (let wait = interval; ; wait = Math.min(wait * GROWTH, interval * LONGEST)) {
    const invoice = await readOnce(client, ident, signal, deadlineAt);
    if (invoice !== null && (eventOfStatus(invoice.status) !== null || invoice.finished_at !== null)) return invoice;
    const left = deadlineAt - Math.min(LAST_LOOK, timeout / 10) - runtime.monotonic();
    if (left <= 0) {
      const state = invoice === null ? 'the last read failed' : `it is still ${invoice.status}`;
      const remedy = 'Wait longer with "timeout", or act on the webhook';
      throw new TimeoutError(ended('SDK_DEADLINE', 'deadline', `not final within ${timeout} ms, ${state}. ${remedy}`));
    }
    // Up to a fifth earlier, so that waiting processes do not read at the same moment.
    const next = Math.min(left, wait * (1 - 0.2 * runtime.random()));
    await pause(runtime, next, signal);
    if (signal?.aborted) {
      const init = ended('SDK_ABORTED', 'aborted', "aborted by the caller's signal");
      throw new AbortedError({ ...init, reason: signal.reason });
    }
  }
}

function readWaitOptions(options: WaitOptions | null | undefined) {
  return readArguments(OPERATION, () => {
    const given: WaitOptions = options ?? {};
    const fail = argumentFail(OPERATION);
    checkOptions('options', given, WAIT_NAMES, fail);
    const { interval, timeout, signal } = given;
    checkSignal('options.signal', signal, fail);
    return {
      interval: readDuration('interval', interval, DEFAULT_INTERVAL, fail),
      timeout: readDuration('timeout', timeout, DEFAULT_TIMEOUT, fail),
      signal: signal ?? null,
    };
  });
}

async function readOnce(
  client: ClientCore,
  ident: string,
  signal: AbortSignal | null,
  deadlineAt: number,
): Promise<Invoice | null> {
  try {
    const options = signal === null ? {} : { signal };
    return (await readInvoice(client, ident, options, { deadlineAt }, { mayFail: isPassing })).value;
  } catch (error) {
    if (isMerchantError(error) && isPassing(error)) return null;
    throw error;
  }
}
