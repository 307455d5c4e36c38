import { WebhookVerificationError } from '../../errors/classes.ts';
import type { HandlerSettings } from '../handle/handler-options.ts';
import { playEvent } from '../handle/process-event.ts';
import { Reporter } from '../handle/report.ts';
import { runWithTimeLimit } from '../handle/time-limit.ts';
import type { Ending } from '../handle/verdict.ts';
import type { CatchUpInvoice } from './catch-up-client.ts';
import { eventOfInvoice } from './invoice-event.ts';

/** Plays one final invoice through the merchant's functions, and reports what is not normal. Never rejects. */
export async function playInvoice<Extra extends object>(
  invoice: CatchUpInvoice,
  settings: HandlerSettings<Extra>,
  stop: AbortSignal | undefined,
): Promise<Ending> {
  const reporter = new Reporter(settings.options.onReport);
  return play(invoice, settings, stop, reporter);
}

async function play<Extra extends object>(
  invoice: CatchUpInvoice,
  settings: HandlerSettings<Extra>,
  stop: AbortSignal | undefined,
  reporter: Reporter,
): Promise<Ending> {
  const handle = async (signal: AbortSignal): Promise<Ending> => {
    try {
      return await playEvent(eventOfInvoice(invoice), settings, signal, reporter);
    } catch (error) {
      return unplayable(invoice, error);
    }
  };
  const { ending, work } = await runWithTimeLimit(settings, handle, stop);
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
