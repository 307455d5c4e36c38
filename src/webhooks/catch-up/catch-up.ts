import { AbortedError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import type { HandlerSettings } from '../handle/handler-options.ts';
import type { CatchUpClient } from './catch-up-client.ts';
import type { CatchUpCounts } from './catch-up-count.ts';
import {
  type CatchUpOptions,
  type CatchUpResult,
  checkCatchUpOptions,
  checkClient,
  parseCursor,
  parseSince,
  refuseForgetfulStore,
} from './catch-up-options.ts';
import { CATCH_UP } from './cursor.ts';
import { readLists } from './read-lists.ts';
import { Run } from './run.ts';

// Plays the events of an outage from the lists of invoices.
//
// The cursor rests on one fact. Let T be a time before a run read anything. An invoice that ended after T was created
// after T, or it was pending at T. So the next run reads the lists back to T, and looks up what was pending then and is no
// longer pending. The counts of the service show whether that was all.
//
// This room may import the handling of events (handle/), the events, and nothing of the adapters.

/** Plays every final invoice that is not done through the merchant's functions. */
export async function catchUp<Extra extends object>(
  merchant: CatchUpClient,
  options: CatchUpOptions,
  settings: HandlerSettings<Extra>,
): Promise<CatchUpResult> {
  checkClient(merchant);
  const chosen = checkCatchUpOptions(options);
  const { store } = settings.options;
  refuseForgetfulStore(store);
  const now = settings.verify.now();
  const since = parseSince(options.since, now, store.retention);
  const cursor = parseCursor(options.cursor, now, store);
  const namespace = store.namespace || null;
  // All that finished before the cursor's run began was played, or the cursor names it.
  const earliest = Math.min(since, cursor?.began ?? since);
  const { signal } = chosen;
  const stopIfAborted = (): void => {
    if (signal?.aborted) throw new Error('aborted'); // reported below, when the running invoices have ended
  };
  const run = new Run({ merchant, chosen, settings, cursor, earliest, stopIfAborted });
  try {
    const next = await readLists(run, { merchant, chosen, cursor, since, earliest, namespace, stopIfAborted });
    const kept = next ?? cursor;
    return { ...run.count.result, ...(kept === null ? {} : { cursor: kept }) };
  } catch (error) {
    await run.pool.settle();
    if (!signal?.aborted || isMerchantError(error)) throw error;
    throw aborted(signal, run.count.result);
  } finally {
    await run.close();
  }
}

function aborted({ reason }: AbortSignal, { played, failed }: CatchUpCounts): AbortedError {
  return new AbortedError({
    code: 'SDK_ABORTED',
    message: `${CATCH_UP}: aborted by the caller's signal. The played events are done. Run it again for the rest.`,
    operation: CATCH_UP,
    outcome: played + failed === 0 ? 'not_sent' : 'unknown',
    stoppedBy: 'aborted',
    reason,
  });
}
