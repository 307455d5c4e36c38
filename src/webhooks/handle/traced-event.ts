import { heard, traced } from '../../tracing.ts';
import type { InvoiceEvent } from '../event/events.ts';
import type { Reporter, WebhookReportReason } from './report.ts';
import { type Ending, replyFor } from './verdict.ts';

/**
 * The context of the tracing channel `merchant-invoicing:webhook`: one delivery, or one event that `catchUp` plays. The
 * optional members join it at the end.
 *
 * @experimental
 */
export interface WebhookTrace {
  readonly source: InvoiceEvent['source'];
  /** The merchant's order id. Null until the delivery is known to be genuine, and in an event without one. */
  readonly externalId: string | null;
  /** Null if the delivery was refused before its body was read. */
  readonly type?: InvoiceEvent['type'] | null;
  /** As in the report. It is not signed. */
  readonly deliveryId?: string | null;
  /** The dedupe key. */
  readonly key?: string | null;
  /** How it ended: `done`, or the reason of the report. */
  readonly verdict?: 'done' | WebhookReportReason;
  /** The status of the answer. Null for `catchUp`. */
  readonly status?: number | null;
  /** Set where a function of the merchant or the store failed. It holds the verdict, and nothing of their error. */
  readonly error?: Error;
}

/** Handles a delivery, or plays an event, inside a trace. Without a subscriber it only does the work. */
export function tracedEvent<Result extends { readonly ending: Ending }>(
  start: Pick<WebhookTrace, 'source' | 'externalId'>,
  reporter: Reporter,
  work: () => Promise<Result>,
): Promise<Result> {
  const channel = heard('webhook');
  if (channel === null) return work();
  const context: { -readonly [Name in keyof WebhookTrace]: WebhookTrace[Name] } = { ...start };
  return traced(channel, context, async () => {
    const result = await work();
    const { verdict, error } = result.ending;
    const { status } = replyFor(verdict);
    context.externalId = reporter.event?.external_id ?? start.externalId;
    context.type = reporter.event?.type ?? null;
    context.deliveryId = reporter.deliveryId;
    context.key = reporter.key;
    context.verdict = verdict;
    context.status = start.source === 'webhook' ? status : null;
    // A refused sender is not a failure of this receiver.
    if (status >= 500 || error !== undefined) context.error = new Error(verdict);
    return result;
  });
}
