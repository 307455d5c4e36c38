import { FINAL_INVOICE_STATUSES, type FinalInvoiceStatus } from '../../contract/statuses.ts';
import { AbortedError, isMerchantError, WebhookVerificationError } from '../../errors/classes.ts';
import type { HandlerSettings } from '../handle/handler-options.ts';
import { type Ending, playEvent } from '../handle/play-event.ts';
import { tell, type WebhookReportReason } from '../handle/report.ts';
import { underTimeLimit } from '../handle/time-limit.ts';
import { CatchUpCount } from './catch-up-count.ts';
import { eventOfInvoice } from './catch-up-event.ts';
import {
  CATCH_UP,
  type CatchUpClient,
  type CatchUpInvoice,
  type CatchUpOptions,
  type CatchUpResult,
  checkCatchUpOptions,
  checkClient,
  refuseForgetful,
  sinceFrom,
} from './catch-up-options.ts';

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
  refuseForgetful(store);
  const since = sinceFrom(options.since, settings.verify.now(), store.retention);
  const { signal } = options;
  const count = new CatchUpCount(options.onProgress);
  // What was paid comes first: that is what customers wait for.
  for (const status of FINAL_INVOICE_STATUSES) {
    count.enter(status);
    try {
      // Each state to its end: the interface does not say how the list is sorted.
      for await (const invoice of invoicesOf(merchant, status, signal, count, settings)) {
        if (signal?.aborted) break;
        // A service that does not know the filter answers invoices of other states, too.
        if (invoice.status !== status || isBefore(invoice, since)) continue;
        refuseForgetful(store);
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

function invoicesOf<Extra extends object>(
  merchant: CatchUpClient,
  status: FinalInvoiceStatus,
  signal: AbortSignal | undefined,
  count: CatchUpCount,
  settings: HandlerSettings<Extra>,
): AsyncIterable<CatchUpInvoice> {
  if (signal?.aborted) throw aborted(signal, count.result);
  const query = { status, per_page: PAGE_SIZE };
  return merchant.invoices.list(query, {
    signal,
    onPage: (page) => count.turn(page),
    onInvalidItem: ({ page, index, path, raw }) => {
      if (!count.addInvalid(raw, page, index)) return; // of a page that was read again
      const where = path === '' ? '' : ` at ${path}`;
      const message = `An invoice of status ${status} (page ${page}, place ${index + 1}) is not as the interface says${where}. It was left out.`;
      report(settings, 'malformed_payload', message, null);
    },
  });
}

async function playInvoice<Extra extends object>(
  invoice: CatchUpInvoice,
  settings: HandlerSettings<Extra>,
  stop: AbortSignal | undefined,
): Promise<Ending> {
  let key: string | null = null;
  const play = async (signal: AbortSignal): Promise<Ending> => {
    try {
      return await playEvent(eventOfInvoice(invoice), settings, {
        signal,
        onKey: (found) => {
          key = found;
        },
        onFinding: (reason, message) => report(settings, reason, message, key),
      });
    } catch (error) {
      return unplayable(invoice, error);
    }
  };
  const { ending, work } = await underTimeLimit(settings, play, stop);
  if (ending === null) {
    void work.then((late) => reportLate(settings, late, key));
    const message = `Your function takes longer than ${settings.timeout} ms. It goes on, and its claim is kept.`;
    report(settings, 'time_limit', message, key);
    return { verdict: 'time_limit', message };
  }
  if (stop?.aborted && ending.verdict === 'time_limit') return ending; // our caller stopped it before it began
  // A repeat of what is done is what a catch-up mostly meets: it is counted, and no finding.
  if (ending.verdict !== 'done' && ending.verdict !== 'duplicate') {
    report(settings, ending.verdict, ending.message, key, ending.error);
  }
  return ending;
}

function unplayable(invoice: CatchUpInvoice, error: unknown): Ending {
  const id: unknown = invoice.external_id;
  const name = typeof id === 'string' ? `The invoice ${JSON.stringify(id)}` : 'An invoice';
  const why = error instanceof WebhookVerificationError ? error.message : 'It cannot be read.';
  return { verdict: 'malformed_payload', message: `${name} cannot be played. ${why}` };
}

function reportLate<Extra extends object>(
  settings: HandlerSettings<Extra>,
  { verdict, message, error }: Ending,
  key: string | null,
): void {
  if (verdict === 'done') report(settings, 'completed_late', 'Your function succeeded after the time limit.', key);
  else report(settings, verdict, message, key, error);
}

function report<Extra extends object>(
  { options }: HandlerSettings<Extra>,
  reason: WebhookReportReason,
  message: string,
  key: string | null,
  error?: unknown,
): void {
  const finding = { reason, message, status: null, deliveryId: null, ageMs: null, key };
  tell(options.onReport, error === undefined ? finding : { ...finding, error });
}

function aborted({ reason }: AbortSignal, { played, failed }: CatchUpResult): AbortedError {
  return new AbortedError({
    code: 'SDK_ABORTED',
    message: `${CATCH_UP}: aborted by the caller's signal. What was played is done; run it again for the rest.`,
    operation: CATCH_UP,
    outcome: played + failed === 0 ? 'not_sent' : 'unknown',
    stoppedBy: 'aborted',
    reason,
  });
}
