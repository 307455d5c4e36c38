// The story of one order as facts: what happened when, whether the shop accepted the webhook, why not, and the remedy.
import type { DeliveryAttempt, WebhookDelivery } from '../../../contract/deliveries.ts';
import type { Invoice } from '../../../contract/invoices.ts';
import { isFinalStatus } from '../../../contract/statuses.ts';
import type { Decimal } from '../../../contract/values/decimal.ts';
import { isLoopback } from '../../../contract/values/scalars.ts';
import { type Diagnosis, diagnoseStatus, isUnexplained } from '../../sandbox/delivery/diagnose.ts';
import { isWebhookWaiting, noWebhookWord, paymentWord, webhookWord } from '../../sandbox/words.ts';
import { shellWord } from '../../shell.ts';
import type { Grade } from '../report.ts';

/**
 * Where the order stands. `heard`: the shop accepted the webhook. It has not in `retrying`, `given_up`, `no_webhook`.
 */
export type OrderState =
  | 'open'
  | 'overdue'
  | 'heard'
  | 'sending'
  | 'retrying'
  | 'given_up'
  | 'no_webhook'
  | 'history_unreadable';

/** One thing that happened, or will happen. */
export interface StoryEvent {
  /** Null where the service does not say it. */
  readonly at: Date | null;
  /** Null for what is neither good nor bad. */
  readonly grade: Grade | null;
  readonly what: string;
  readonly text: string;
}

export interface Story {
  readonly state: OrderState;
  /** The states of payment and webhook in the words of the dashboard. */
  readonly words: { readonly payment: string; readonly webhook: string };
  readonly events: readonly StoryEvent[];
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
  /** The cause that a sandbox knows for the last attempt. Null for any other service. */
  readonly knownCause: Diagnosis | null;
}

const CATCH_UP = 'run catchUp with this order: docs/reconcile.md#after-an-outage';

export function storyOf(facts: OrderFacts): Story {
  const { invoice, deliveries, now } = facts;
  const last = deliveries?.at(-1);
  const state = stateOf(invoice, deliveries, now);
  const cause = state === 'retrying' || state === 'given_up' ? causeOf(facts, last) : null;
  const webhook = last === undefined ? noWebhookWord(invoice) : webhookWord(last);
  return {
    state,
    words: { payment: paymentWord(invoice), webhook: deliveries === null ? 'Unknown' : webhook },
    events: inOrder([
      ...eventsOf(invoice),
      ...(deliveries ?? []).flatMap((each) => attemptsOf(each)),
      ...(last?.next_retry_at ? [nextAttempt(last.next_retry_at, now)] : []),
    ]),
    conclusion: conclusionOf(state, facts, last),
    cause,
    fix: fixOf(state, facts, cause),
  };
}

function stateOf(invoice: Invoice, deliveries: OrderFacts['deliveries'], now: Date): OrderState {
  if (!isFinalStatus(invoice.status)) return invoice.expires_at < now ? 'overdue' : 'open';
  if (deliveries === null) return 'history_unreadable';
  const last = deliveries.at(-1);
  if (last === undefined) return 'no_webhook';
  if (last.status === 'delivered') return 'heard';
  if (last.status === 'failed') return 'given_up';
  return isWebhookWaiting(last) ? 'sending' : 'retrying';
}

function eventsOf(invoice: Invoice): StoryEvent[] {
  const { amount, currency, created_at, expires_at, finished_at, status, payment_method, adjustment } = invoice;
  const { amount_to_send, settled_amount_usdt, customer_id } = invoice;
  const unit = currency.code;
  const happened = (at: Date | null, what: string, text: string, grade: Grade | null = null): StoryEvent => ({
    at,
    grade,
    what,
    text,
  });
  const customer = customer_id === null ? '' : `, customer ${customer_id}`;
  const ends = status === 'pending' ? `, expires ${clockOf(expires_at)}` : '';
  const events = [happened(created_at, 'created', `${money(amount)} ${unit}${customer}${ends}`)];
  if (payment_method !== null) {
    const sends = amount_to_send === null ? '' : `: the customer sends ${money(amount_to_send)} ${unit}`;
    events.push(happened(null, 'method', `${payment_method.name ?? 'without a name'}${sends}`));
  }
  if (!isFinalStatus(status)) return events;
  const word = paymentWord(invoice).toLowerCase();
  if (status !== 'success') return [...events, happened(finished_at, word, 'nothing was paid')];
  const paid = `${money(adjustment?.actual_amount_fiat ?? amount)} of ${money(amount)} ${unit}`;
  const credited = settled_amount_usdt ?? adjustment?.actual_amount_usdt;
  const text = `${paid}, ${credited === undefined ? 'credit not shown' : `${money(credited)} USDT credited`}`;
  return [...events, happened(finished_at, word, text, word === 'paid less' ? 'advice' : 'pass')];
}

function attemptsOf(delivery: WebhookDelivery): StoryEvent[] {
  const { attempt_log: log, attempts, max_attempts: most, delivered_at, status } = delivery;
  if (log.length === 0 && attempts !== null && attempts > 0) {
    const grade = status === 'delivered' ? 'pass' : 'fail';
    return [{ at: delivered_at, grade, what: 'webhook', text: `${webhookWord(delivery)}, ${attempts} attempts` }];
  }
  const dropped = Math.max(0, (attempts ?? log.length) - log.length);
  return log.map((attempt, at) => {
    const number = `attempt ${dropped + at + 1}${most === null ? '' : ` of ${most}`}`;
    const isGood = attempt.success ?? /^2\d\d$/.test(String(attempt.status_code));
    return { at: attempt.created_at, grade: isGood ? 'pass' : 'fail', what: number, text: attemptText(attempt) };
  });
}

function attemptText({ status_code: status, error, duration_ms: ms, triggered_by }: DeliveryAttempt): string {
  const response = status === null ? (error ?? 'no response') : `returned ${status}`;
  const took = ms === null ? '' : ` in ${ms} ms`;
  return `${response}${took}${triggered_by === 'manual' ? ', sent by hand' : ''}`;
}

function nextAttempt(at: Date, now: Date): StoryEvent {
  return { at, grade: null, what: 'next attempt', text: inWords(at.getTime() - now.getTime()) };
}

/** Sorts by time. An event without a time stays behind the one before it. */
function inOrder(events: readonly StoryEvent[]): StoryEvent[] {
  let time = 0;
  const timed = events.map((event) => {
    time = event.at?.getTime() ?? time;
    return { event, time };
  });
  return timed.sort((a, b) => a.time - b.time).map(({ event }) => event);
}

function causeOf({ invoice, knownCause }: OrderFacts, last: WebhookDelivery | undefined): Diagnosis {
  if (knownCause !== null) return knownCause;
  const { callback_url: url } = invoice;
  const host = url !== null && URL.canParse(url) ? new URL(url).host : 'your endpoint';
  return diagnoseStatus(host, url, last?.attempt_log.at(-1)?.status_code ?? last?.last_http_status ?? null);
}

function conclusionOf(state: OrderState, facts: OrderFacts, last: WebhookDelivery | undefined): Story['conclusion'] {
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
      return { grade: 'pass', text: heardText(invoice) };
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

function heardText(invoice: Invoice): string {
  const heard = 'Your shop heard of it: its endpoint answered 2xx.';
  if (paymentWord(invoice) === 'Paid less')
    return `${heard} It was not paid in full: fulfil against the credited USDT.`;
  const lost = 'If the order is still open there, the endpoint answered before it had stored the event.';
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

/** At least two decimals. */
function money(amount: Decimal): string {
  return amount.decimalPlaces() < 2 ? amount.toFixed(2) : amount.toFixed();
}

/** The time of the day in UTC. */
export function clockOf(at: Date): string {
  return at.toISOString().slice(11, 19);
}

function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (milliseconds <= 0) return 'now';
  if (minutes < 1) return 'in less than a minute';
  return minutes < 90 ? `in ${minutes} min` : `in ${Math.round(minutes / 60)} h`;
}
