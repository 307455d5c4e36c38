// Where one order stands: whether the shop accepted the webhook, why not, and the remedy.
import type { WebhookDelivery } from '../../../contract/deliveries.ts';
import type { Invoice } from '../../../contract/invoices.ts';
import { isFinalStatus } from '../../../contract/statuses.ts';
import { isLoopback } from '../../../contract/values/scalars.ts';
import { type Diagnosis, diagnoseStatus, isUnexplained } from '../../sandbox/delivery/diagnose.ts';
import type { SandboxAttempt } from '../../sandbox/index.ts';
import { shellWord } from '../../shell.ts';
import { isWebhookWaiting, type Moment, noWebhookWord, paymentWord, webhookWord } from '../../story.ts';
import type { Grade } from '../report.ts';

/**
 * Where the order stands. `heard`: the endpoint answered 2xx, `page`: with a page of HTML. It has not accepted the webhook
 * in `retrying` and `given_up`, and there is none in `no_webhook`.
 */
export type OrderState =
  | 'open'
  | 'overdue'
  | 'heard'
  | 'page'
  | 'sending'
  | 'retrying'
  | 'given_up'
  | 'no_webhook'
  | 'history_unreadable';

/** Where an order stands, and what to do now. */
export interface Verdict {
  readonly state: OrderState;
  /** The states of payment and webhook in the words of the dashboard. */
  readonly words: { readonly payment: string; readonly webhook: string };
  readonly conclusion: { readonly grade: Grade; readonly text: string };
  /** Why the shop did not accept the webhook. Null if it did, or if nothing is due yet. */
  readonly cause: Diagnosis | null;
  /** The remedy: a command, or the page of the guide. Null if there is nothing to do. */
  readonly fix: string | null;
}

/** What was read of an order. */
export interface OrderFacts {
  /** As the user typed it. */
  readonly ident: string;
  readonly invoice: Invoice;
  /** The oldest first. Null if the service did not give them. */
  readonly deliveries: readonly WebhookDelivery[] | null;
  /** The time of the service. */
  readonly now: Date;
  /** The last attempt as a sandbox has seen it, with the response of the receiver. Null for any other service. */
  readonly seen: SandboxAttempt | null;
}

const CATCH_UP = 'run catchUp with this order: docs/reconcile.md#after-an-outage';

export function verdictOf(facts: OrderFacts): Verdict {
  const { invoice, deliveries } = facts;
  const last = deliveries?.at(-1);
  const state = stateOf(facts);
  const isRefused = state === 'retrying' || state === 'given_up';
  const cause = isRefused ? causeOf(facts, last) : state === 'page' ? PAGE : null;
  const webhook = last === undefined ? noWebhookWord(invoice) : webhookWord(last);
  return {
    state,
    words: { payment: paymentWord(invoice), webhook: deliveries === null ? 'Unknown' : webhook },
    conclusion: conclusionOf(state, facts, last),
    cause,
    fix: fixOf(state, facts, cause),
  };
}

const PAGE: Diagnosis = {
  id: 'no_route',
  text: 'A page of HTML with a 2xx is what an application answers to an address that is no webhook route.',
  remedy: 'Compare the path of the callback_url with your route.',
  isProven: false,
};

function stateOf({ invoice, deliveries, now, seen }: OrderFacts): OrderState {
  if (!isFinalStatus(invoice.status)) return invoice.expires_at < now ? 'overdue' : 'open';
  if (deliveries === null) return 'history_unreadable';
  const last = deliveries.at(-1);
  if (last === undefined) return 'no_webhook';
  if (last.status === 'delivered') return isPage(seen) ? 'page' : 'heard';
  if (last.status === 'failed') return 'given_up';
  return isWebhookWaiting(last) ? 'sending' : 'retrying';
}

function isPage(seen: SandboxAttempt | null): boolean {
  return /^text\/html\b/i.test(seen?.response_headers?.['content-type'] ?? '');
}

/** The moment at which the next attempt is due. */
export function nextAttempt({ deliveries, now }: OrderFacts): Moment[] {
  const at = deliveries?.at(-1)?.next_retry_at ?? null;
  if (at === null) return [];
  const text = inWords(at.getTime() - now.getTime());
  return [{ at, lane: 'service', grade: null, what: 'next attempt', text }];
}

function causeOf({ invoice, seen }: OrderFacts, last: WebhookDelivery | undefined): Diagnosis {
  if (seen !== null && seen.cause !== null) return seen.cause;
  const { callback_url: url } = invoice;
  const host = url !== null && URL.canParse(url) ? new URL(url).host : 'your endpoint';
  return diagnoseStatus(host, url, last?.attempt_log.at(-1)?.status_code ?? last?.last_http_status ?? null);
}

function conclusionOf(state: OrderState, facts: OrderFacts, last: WebhookDelivery | undefined): Verdict['conclusion'] {
  const { invoice, now } = facts;
  const tries = `${last?.attempts ?? 'some'} ${last?.attempts === 1 ? 'attempt' : 'attempts'}`;
  const due = last?.next_retry_at
    ? `, the next one comes ${inWords(last.next_retry_at.getTime() - now.getTime())}`
    : '';
  switch (state) {
    case 'open':
      return { grade: 'pass', text: 'The customer has not paid yet, and no webhook is due.' };
    case 'overdue':
      return { grade: 'inconclusive', text: 'Its time is over, and the service has not ended it yet.' };
    case 'heard':
      return { grade: 'pass', text: heardText(invoice, last) };
    case 'page':
      return { grade: 'fail', text: `${answered(last)}, with a page of HTML. Is this your webhook route?` };
    case 'sending':
      return { grade: 'inconclusive', text: 'The webhook is on its way: look again in a moment.' };
    case 'retrying':
      return { grade: 'fail', text: `Your shop has not heard of it: ${tries} failed${due}.` };
    case 'given_up':
      return { grade: 'fail', text: `Your shop has not heard of it: ${tries} failed, and no more will come.` };
    case 'no_webhook': {
      const why = invoice.callback_url === null ? 'the invoice has no callback_url' : 'the service lists no delivery';
      return { grade: 'fail', text: `Your shop has not heard of it: ${why}.` };
    }
    case 'history_unreadable':
      return { grade: 'inconclusive', text: 'The service does not show the deliveries of its webhook.' };
  }
}

/** What the endpoint answered. That is all that a delivery shows. */
function answered(last: WebhookDelivery | undefined): string {
  const event = last?.event_type ?? null;
  return `Your endpoint answered ${last?.last_http_status ?? '2xx'}${event === null ? '' : ` to ${event}`}`;
}

function heardText(invoice: Invoice, last: WebhookDelivery | undefined): string {
  const heard = `${answered(last)}.`;
  if (paymentWord(invoice) === 'Paid less')
    return `${heard} It was not paid in full: fulfil against the credited USDT.`;
  const lost =
    'If the order is still open there, it answered before it had stored the event, or it is not your webhook route.';
  return invoice.status === 'success' ? `${heard} ${lost}` : heard;
}

/**
 * The one thing to do now. `webhooks check` is named for a receiver on this machine only: it sends forged deliveries.
 */
function fixOf(state: OrderState, { ident, invoice }: OrderFacts, cause: Diagnosis | null): string | null {
  if (state === 'no_webhook' || state === 'history_unreadable') return CATCH_UP;
  if (cause === null) return null;
  const { callback_url: url } = invoice;
  if (isUnexplained(cause) && url !== null && URL.canParse(url) && isLoopback(new URL(url).hostname)) {
    return `npx merchant-invoicing webhooks check ${shellWord(addressText(url) ?? '')}`;
  }
  return `npx merchant-invoicing order ${shellWord(ident)} --resend`;
}

/** An address without what may be secret in it: credentials and query. */
export function addressText(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (milliseconds <= 0) return 'now';
  if (minutes < 1) return 'in less than a minute';
  return minutes < 90 ? `in ${minutes} min` : `in ${Math.round(minutes / 60)} h`;
}
