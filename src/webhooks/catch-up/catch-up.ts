import { notify } from '../../callbacks.ts';
import { isObject } from '../../contract/json.ts';
import { FINAL_INVOICE_STATUSES, type FinalInvoiceStatus } from '../../contract/statuses.ts';
import { AbortedError, WebhookVerificationError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { readMember } from '../event/payload.ts';
import type { HandlerSettings } from '../handle/handler-options.ts';
import { playEvent } from '../handle/process-event.ts';
import { Reporter } from '../handle/report.ts';
import { runWithTimeLimit } from '../handle/time-limit.ts';
import type { Ending, Verdict } from '../handle/verdict.ts';
import {
  CATCH_UP,
  type CatchUpClient,
  type CatchUpInvoice,
  type CatchUpOptions,
  type CatchUpProgress,
  type CatchUpResult,
  checkCatchUpOptions,
  checkClient,
  parseSince,
  refuseForgetfulStore,
} from './catch-up-options.ts';
import { eventOfInvoice } from './invoice-event.ts';

// Plays the events of an outage from the list of invoices. This room may import the handling of events (handle/), the
// events, and nothing of the adapters.

const PAGE_SIZE = 100;

/** Plays every final invoice that is not done through the merchant's functions, one after the other. */
export async function catchUp<Extra extends object>(
  merchant: CatchUpClient,
  options: CatchUpOptions,
  settings: HandlerSettings<Extra>,
): Promise<CatchUpResult> {
  checkClient(merchant);
  checkCatchUpOptions(options);
  const { store } = settings.options;
  refuseForgetfulStore(store);
  const since = parseSince(options.since, settings.verify.now(), store.retention);
  const { signal } = options;
  const count = new CatchUpCount(options.onProgress);
  for (const status of FINAL_INVOICE_STATUSES) {
    count.enter(status);
    try {
      // Each status to its end: the interface does not say how the list is sorted.
      for await (const invoice of listInvoices(merchant, status, signal, count, settings)) {
        if (signal?.aborted) break;
        // A service that does not know the filter also returns invoices of other statuses.
        if (invoice.status !== status || isBefore(invoice, since)) continue;
        refuseForgetfulStore(store);
        count.add(await playInvoice(invoice, settings, signal));
      }
    } catch (error) {
      if (!signal?.aborted || isMerchantError(error)) throw error;
    }
    if (signal?.aborted) throw aborted(signal, count.result);
  }
  return count.result;
}

function isBefore({ finished_at }: CatchUpInvoice, since: number): boolean {
  return finished_at instanceof Date && finished_at.getTime() < since;
}

function listInvoices<Extra extends object>(
  merchant: CatchUpClient,
  status: FinalInvoiceStatus,
  signal: AbortSignal | undefined,
  count: CatchUpCount,
  { options }: HandlerSettings<Extra>,
): AsyncIterable<CatchUpInvoice> {
  if (signal?.aborted) throw aborted(signal, count.result);
  return merchant.invoices.list(
    { status, per_page: PAGE_SIZE },
    {
      signal,
      onPage: (page) => count.turn(page),
      onInvalidItem: ({ page, index, path, raw }) => {
        if (!count.addInvalid(raw, page, index)) return; // on a page that was read again
        const where = path === '' ? '' : ` at ${path}`;
        const message = `An invoice of status ${status} (page ${page}, place ${index + 1}) is not as the interface says${where}. It was left out.`;
        new Reporter(options.onReport).report('malformed_payload', message);
      },
    },
  );
}

async function playInvoice<Extra extends object>(
  invoice: CatchUpInvoice,
  settings: HandlerSettings<Extra>,
  stop: AbortSignal | undefined,
): Promise<Ending> {
  const reporter = new Reporter(settings.options.onReport);
  const play = async (signal: AbortSignal): Promise<Ending> => {
    try {
      return await playEvent(eventOfInvoice(invoice), settings, signal, reporter);
    } catch (error) {
      return unplayable(invoice, error);
    }
  };
  const { ending, work } = await runWithTimeLimit(settings, play, stop);
  if (ending === null) {
    void work.then((late) => reporter.reportLate(late));
    const message = `Your function takes longer than ${settings.timeout} ms. It continues, and its claim is kept.`;
    reporter.report('time_limit', message);
    return { verdict: 'time_limit', message };
  }
  if (stop?.aborted && ending.verdict === 'time_limit') return ending; // the caller stopped it before it began
  // Repeats of completed events are normal here: they are counted and not reported.
  if (ending.verdict !== 'done' && ending.verdict !== 'duplicate') {
    reporter.report(ending.verdict, ending.message, null, ending.error);
  }
  return ending;
}

function unplayable(invoice: CatchUpInvoice, error: unknown): Ending {
  const id: unknown = invoice.external_id;
  const name = typeof id === 'string' ? `The invoice ${JSON.stringify(id)}` : 'An invoice';
  const why = error instanceof WebhookVerificationError ? error.message : 'It cannot be read.';
  return { verdict: 'malformed_payload', message: `${name} cannot be played. ${why}` };
}

function aborted({ reason }: AbortSignal, { played, failed }: CatchUpResult): AbortedError {
  return new AbortedError({
    code: 'SDK_ABORTED',
    message: `${CATCH_UP}: aborted by the caller's signal. The played events are done. Run it again for the rest.`,
    operation: CATCH_UP,
    outcome: played + failed === 0 ? 'not_sent' : 'unknown',
    stoppedBy: 'aborted',
    reason,
  });
}

const COUNTED: Partial<Record<Verdict, keyof CatchUpResult>> = {
  done: 'played',
  failed_after_commit: 'played', // its writes are kept, and the report has the error
  duplicate: 'alreadyDone',
  duplicate_differs: 'alreadyDone',
  duplicate_running: 'busy',
  lease_lost: 'busy', // another attempt has it
};

/** Counts the invoices by their ending, and reports the progress. */
export class CatchUpCount {
  readonly #counts = { played: 0, alreadyDone: 0, busy: 0, failed: 0, invalid: 0 };
  readonly #invalid = new Set<string>();
  readonly #onProgress: CatchUpOptions['onProgress'];
  #position: Omit<CatchUpProgress, keyof CatchUpResult> = { status: 'success', page: 0, totalPages: 0 };

  constructor(onProgress: CatchUpOptions['onProgress']) {
    this.#onProgress = onProgress;
  }

  get result(): CatchUpResult {
    return { ...this.#counts };
  }

  enter(status: FinalInvoiceStatus): void {
    this.#position = { status, page: 0, totalPages: 0 };
  }

  turn({ page, total_pages }: { readonly page: number; readonly total_pages: number }): void {
    this.#position = { ...this.#position, page, totalPages: total_pages };
    this.#reportProgress();
  }

  add({ verdict }: Ending): void {
    this.#counts[COUNTED[verdict] ?? 'failed'] += 1;
    this.#reportProgress();
  }

  /** Returns false for an invoice that was counted before: pages are read again when the list moves. */
  addInvalid(raw: unknown, page: number, index: number): boolean {
    const uuid = isObject(raw) ? readMember(raw, 'uuid') : undefined;
    const known = typeof uuid === 'string' ? uuid : `${this.#position.status} ${page} ${index}`;
    if (this.#invalid.has(known)) return false;
    this.#invalid.add(known);
    this.#counts.invalid += 1;
    return true;
  }

  #reportProgress(): void {
    // Stryker disable next-line OptionalChaining: notify ignores errors, and so also the call of an absent function
    notify(() => this.#onProgress?.({ ...this.#counts, ...this.#position }));
  }
}
