// Reads the invoices of an order with their deliveries, tells what happened, and where the order stands.

import type { MerchantClient } from '../../client.ts';
import type { WebhookDelivery } from '../../contract/deliveries.ts';
import type { Invoice } from '../../contract/invoices.ts';
import { type OrderRenewal, orderOf } from '../../contract/orders.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import { isLoopback } from '../../contract/values/scalars.ts';
import { hasKind, isMerchantError } from '../../errors/guards.ts';
import { hiding } from '../../errors/hide.ts';
import { printable } from '../../errors/printable.ts';
import { type Diagnosis, diagnoseStatus, isUnexplained } from '../sandbox/delivery/diagnose.ts';
import type { SandboxDelivery } from '../sandbox/index.ts';
import { shellWord } from '../shell.ts';
import {
  clockOf,
  isWebhookWaiting,
  joinMoments,
  type Moment,
  momentsOf,
  noWebhookWord,
  paymentWord,
  type StoryDelivery,
  timesOf,
  webhookWord,
  wordsOf,
} from '../story.ts';
import { readArguments } from './arguments.ts';
import { COMMANDS, exampleOf } from './commands.ts';
import { beganAt, type OtherWebhooks, otherWebhooks, utcOf } from './doctor/last-webhooks.ts';
import { CliError, EXIT, type ExitCode, type Io, misuse, unfulfilled } from './io.ts';
import { performAction } from './sandbox/remote.ts';
import { type Service, serviceOf } from './service.ts';
import { type Grade, jsonLine, markOf, oneLine, type Style, styleOf, wrapped } from './terminal.ts';

const EXAMPLE = exampleOf(COMMANDS.order);
const DOCTOR = 'npx merchant-invoicing doctor';
const PATIENCE = { deadline: 30_000, attempts: 3 };

/** `order ID`: the story of one order. It reads only, unless `--resend` is given. */
export async function orderCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values: flags, positionals } = readArguments(COMMANDS.order, args, 'order');
  const [ident] = positionals;
  if (ident === undefined || ident === '') throw misuse('order needs an external_id or a uuid', EXAMPLE);
  const service = await serviceOf(flags, io, `npx merchant-invoicing order ${shellWord(ident)}`, PATIENCE);
  const hide = hiding([service.apiKey, io.env['MERCHANT_WEBHOOK_SECRET'] ?? '']);
  const out = (text: string): void => io.out(hide(text));
  try {
    const order = await readOrder(service, ident, io.signal);
    const facts = flags.resend ? await resendIn(service, order, io.signal) : order;
    const standing = standingOf(facts);
    const mine = facts.map(({ invoice }) => invoice);
    const others = standing.cause && (await otherWebhooks(service.merchant, mine, io.signal));
    const moments = [
      ...momentsOf(facts.map((each) => ({ invoice: each.invoice, deliveries: deliveriesIn(each) }))),
      ...facts.flatMap(nextAttempt),
    ];
    const ok = standing.conclusion.grade !== 'fail';
    if (flags.json) out(jsonLine({ ok, ...jsonOf(facts, standing), others, events: moments }));
    else out(textOf(facts, standing, others, moments, styleOf(io)));
    return ok ? EXIT.fine : EXIT.finding;
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    if (hasKind(error, 'not_found')) throw unknownOrder(ident);
    const isGone = error.kind === 'connection' || error.kind === 'timeout';
    throw new CliError(isGone ? EXIT.unreachable : EXIT.finding, hide(error.message), DOCTOR);
  }
}

function unknownOrder(ident: string): CliError {
  const problem = `the service knows no order ${JSON.stringify(oneLine(ident, 80))} of this business`;
  return unfulfilled(problem, `${DOCTOR}   # which service and which key are set?`);
}

/** The invoices of an order with what became of them, the first one first. */
async function readOrder({ merchant, baseUrl }: Service, ident: string, signal: AbortSignal): Promise<OrderFacts> {
  const { data, response } = await merchant.invoices.ofOrder(ident, { signal }).withResponse();
  const date = Date.parse(response.headers.get('date') ?? '');
  const now = new Date(Number.isNaN(date) ? Date.now() : date);
  const [first, ...renewals] = await Promise.all(
    data.map(async (invoice) => {
      const deliveries = await readDeliveries(merchant, invoice, signal);
      const last = response.headers.has('x-sandbox') ? deliveries?.at(-1) : undefined;
      return { invoice, deliveries, now, seen: await deliveryInSandbox(baseUrl, last) };
    }),
  );
  if (first === undefined) throw unknownOrder(ident);
  return [first, ...renewals];
}

/** Sends the webhook of the invoice that decides where the order stands again. */
async function resendIn(service: Service, order: OrderFacts, signal: AbortSignal): Promise<OrderFacts> {
  const { facts: decides } = deciding(order);
  await resend(service.merchant, decides.invoice, decides.deliveries, signal);
  return readOrder(service, decides.invoice.uuid, signal);
}

/** The oldest first, or null where the service does not show them. */
async function readDeliveries(
  merchant: MerchantClient,
  { uuid }: Invoice,
  signal: AbortSignal,
): Promise<readonly WebhookDelivery[] | null> {
  try {
    const deliveries = await merchant.webhooks.deliveries(uuid, { signal });
    return [...deliveries].sort((a, b) => beganAt(a) - beganAt(b));
  } catch (error) {
    if (hasKind(error, 'not_found') || hasKind(error, 'validation') || hasKind(error, 'request')) return null;
    throw error;
  }
}

const LOOKS = 5;
const BETWEEN_LOOKS = 500;

/** Sends the webhook again, and waits a moment for the attempt. */
async function resend(
  merchant: MerchantClient,
  invoice: Invoice,
  before: InvoiceFacts['deliveries'],
  signal: AbortSignal,
): Promise<void> {
  if (before?.length === 0) return; // nothing can be sent again, and the conclusion says why
  await merchant.webhooks.resend(invoice.uuid, { signal });
  const attemptsIn = (all: InvoiceFacts['deliveries']): number =>
    all?.reduce((sum, one) => sum + (one.attempts ?? 0), 0) ?? 0;
  let after = before;
  for (let look = 0; look < LOOKS && attemptsIn(after) <= attemptsIn(before); look += 1) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS));
    after = await readDeliveries(merchant, invoice, signal);
  }
}

/** A delivery as a sandbox has it, with the responses of the receiver, which the interface does not show. */
async function deliveryInSandbox(baseUrl: string, last: WebhookDelivery | undefined): Promise<SandboxDelivery | null> {
  if (last === undefined) return null;
  try {
    const { result } = await performAction(baseUrl, 'status', {});
    const { deliveries } = result as { readonly deliveries: readonly SandboxDelivery[] }; // as the action returns them
    return deliveries.find(({ id }) => id === last.id) ?? null;
  } catch {
    return null; // behind a proxy that serves the API alone
  }
}

/** The deliveries of which a story is told, the last one with the responses that a sandbox has seen. */
function deliveriesIn({ deliveries, seen }: InvoiceFacts): readonly StoryDelivery[] {
  return (deliveries ?? []).map((each) => (each.id === seen?.id ? seen : each));
}

/** The addresses of the shop are left out or shortened, because their query may hold a secret. */
function jsonOf(order: OrderFacts, standing: Standing): object {
  const invoices = order.map(({ invoice, deliveries }) => {
    const { callback_url, success_url, fail_url, payment_url, payment_method, ...known } = invoice;
    const method = payment_method?.name ?? null;
    return {
      ...known,
      ...numberOf(invoice),
      payment_method: method,
      callback_url: addressText(callback_url),
      deliveries,
    };
  });
  return { order: numberOf(order[0].invoice).order, invoices, ...standing };
}

function numberOf({ external_id }: Invoice): OrderRenewal {
  return orderOf(external_id);
}

/** Whether the refusal is one mishap or an outage, as the page of a payment says it. */
function othersText({ tried, refused, since, isCut }: OtherWebhooks, order: OrderFacts): string {
  const one = 'The other recent webhook to this endpoint was';
  const recent = `${tried} other recent webhooks to this endpoint`;
  if (refused === 0) return tried === 1 ? `${one} accepted.` : `All ${recent} were accepted.`;
  const begun = failedAt(order);
  const [first] = [since, begun].flatMap((at) => at ?? []).sort((a, b) => Number(a) - Number(b));
  const from = refused === tried ? first : since !== null && since === first ? since : undefined;
  const words = refused === tried ? (isCut ? 'at least since' : 'since') : refused === 1 ? 'at' : 'the first at';
  const when = from === undefined ? '' : `, ${words} ${utcOf(from, order[0].now)}`;
  if (tried === 1) return `${one} not accepted either${when}.`;
  if (refused === tried) return `None of the ${recent} was accepted${when}.`;
  return `Of the ${recent} ${refused} ${refused === 1 ? 'was' : 'were'} not accepted either${when}.`;
}

/** When the first webhook of this order that is not accepted was sent. */
function failedAt(order: OrderFacts): Date | null {
  const failing = order
    .flatMap(({ deliveries }) => deliveries?.at(-1) ?? [])
    .filter(({ status }) => status !== 'delivered');
  const times = failing.map(beganAt).filter((at) => at > 0);
  return times.length === 0 ? null : new Date(Math.min(...times));
}

function textOf(
  order: OrderFacts,
  standing: Standing,
  others: OtherWebhooks | null,
  moments: readonly Moment[],
  style: Style,
): string {
  const { words, conclusion, cause, fix } = standing;
  const [to = null] = order.flatMap(({ invoice }) => addressText(invoice.callback_url) ?? []).slice(-1);
  const invoices = order.map(({ invoice }) => {
    const { renewal } = numberOf(invoice);
    const word = order.length === 1 ? '' : `  ${paymentWord(invoice)}`;
    return `  ${renewal === 0 ? 'invoice' : `renewal ${renewal}`} ${invoice.uuid}${word}`;
  });
  const lines = [
    `  ${style.strong(oneLine(numberOf(order[0].invoice).order, 50))}  ${words.payment}, webhook: ${words.webhook}`,
    wrapped(conclusion.text, 4, `  ${markOf(conclusion.grade, style)} `),
    ...(cause === null ? [] : [wrapped(printable(cause.text), 4)]),
    ...(cause?.remedy ? [wrapped(printable(cause.remedy), 4)] : []),
    ...(others === null || others.tried === 0 ? [] : [wrapped(othersText(others, order), 4)]),
    // Where the cause has a remedy, the command comes after it.
    ...(fix === null ? [] : [fixLine(cause?.remedy ? 'then' : 'fix', printable(fix))]),
    '',
    ...invoices,
    ...(to === null ? [] : [`  webhook ${printable(to)}`]),
    ...momentLines(moments, style),
  ];
  return `${lines.join('\n')}\n`;
}

/** A remedy. One that is long has a line of its own, where it can be copied. */
function fixLine(word: string, fix: string): string {
  return word.length + fix.length > 74 ? `    ${word}:\n    ${fix}` : `    ${word}: ${fix}`;
}

/** The moments below the day on which they happened, each with who did it. Attempts that fail alike are one. */
function momentLines(moments: readonly Moment[], style: Style): string[] {
  const rows = joinMoments(moments.map((moment) => ({ moment }))).map((joined) => {
    const text = [timesOf(joined), joined.row.moment.text].filter((part) => part !== null).join(', ');
    return { ...joined.row.moment, what: wordsOf(joined), text };
  });
  const width = Math.max(...rows.map(({ what }) => what.length));
  let day = '';
  return rows.flatMap(({ at, lane, grade, what, text }) => {
    const today = at?.toUTCString().slice(5, 16) ?? day;
    const heading = today === day ? [] : ['', `  ${today} (UTC)`];
    day = today;
    const mark = grade === null ? ' ' : markOf(grade, style);
    const time = at === null ? '—'.padEnd(8) : clockOf(at); // the service does not say when
    return [
      ...heading,
      wrapped(oneLine(text, 200), width + 26, `  ${time}  ${lane.padEnd(8)}  ${mark} ${what.padEnd(width)}  `),
    ];
  });
}

/** Where the order stands. */
type OrderState =
  /** The customer can still pay. */
  | 'open'
  /** Still pending after its end. */
  | 'overdue'
  /** The endpoint answered 2xx. */
  | 'heard'
  /** The shop has heard of two payments or more. */
  | 'paid_twice'
  /** The endpoint answered 2xx with a page of HTML, so another program may have answered. */
  | 'page'
  /** The webhook is on its way. */
  | 'sending'
  /** The endpoint has not accepted the webhook, and further attempts follow. */
  | 'retrying'
  /** The endpoint has not accepted the webhook, and no attempt follows. */
  | 'given_up'
  /** No delivery exists. */
  | 'no_webhook'
  | 'history_unreadable';

/** Where an order stands, and what to do now. */
interface Standing {
  /** The states of payment and webhook in the words of the dashboard. */
  readonly words: { readonly payment: string; readonly webhook: string };
  readonly state: OrderState;
  readonly conclusion: { readonly grade: Grade; readonly text: string };
  /** Why the shop did not accept the webhook. Null if it did, or if nothing is due yet. */
  readonly cause: Diagnosis | null;
  /** The remedy: a command, or the page of the guide. Null if there is nothing to do. */
  readonly fix: string | null;
}

/** What was read of an invoice. */
interface InvoiceFacts {
  readonly invoice: Invoice;
  /** The oldest first. Null if the service did not give them. */
  readonly deliveries: readonly WebhookDelivery[] | null;
  /** The time of the service. */
  readonly now: Date;
  /** The last delivery as a sandbox has it, with the responses of the receiver. Null for any other service. */
  readonly seen: SandboxDelivery | null;
}

/** What was read of an order: its first invoice, and its renewals. */
type OrderFacts = readonly [InvoiceFacts, ...InvoiceFacts[]];

const CATCH_UP = 'run catchUp with this order: docs/catch-up-and-reconcile.md#catch-up';
const NOT_HEARD = 'Your shop has not heard of it';

/**
 * Where an order stands: where its payments stand, or without one its last invoice. Of these the one that the shop has
 * not heard of decides.
 */
function standingOf(order: OrderFacts): Standing {
  const { standing, payments } = deciding(order);
  if (standing.conclusion.grade === 'fail') return standing;
  if (payments > 1) {
    const text = `${payments} invoices of this order were paid. Give one payment back, or credit it.`;
    return { ...standing, state: 'paid_twice', conclusion: { grade: 'advice', text } };
  }
  const open = order.find(({ invoice }) => invoice.status === 'pending');
  if (payments === 0 || open === undefined) return standing;
  const text = `${standing.conclusion.text} Another invoice of this order is open, and can still be paid.`;
  return { ...standing, conclusion: { grade: 'advice', text } };
}

function deciding(order: OrderFacts) {
  const paid = order.filter(({ invoice }) => invoice.status === 'success');
  const told = (facts: InvoiceFacts) => ({ facts, standing: standingOfInvoice(facts), payments: paid.length });
  const [first, ...others] = (paid.length > 0 ? paid : order.slice(-1)).map(told);
  const all = [first ?? told(order[0]), ...others] as const;
  const worst = (['fail', 'inconclusive'] as const).flatMap((grade) =>
    all.filter(({ standing }) => standing.conclusion.grade === grade),
  );
  return worst[0] ?? all[0];
}

function standingOfInvoice(facts: InvoiceFacts): Standing {
  const { invoice, deliveries } = facts;
  const last = deliveries?.at(-1);
  const webhook = last === undefined ? noWebhookWord(invoice) : webhookWord(last);
  return {
    words: { payment: paymentWord(invoice), webhook: deliveries === null ? 'Unknown' : webhook },
    ...(last !== undefined && isFinalStatus(invoice.status) ? toldOf(facts, last) : untoldOf(facts)),
  };
}

/** Where an order stands of which no delivery is known. */
function untoldOf({ invoice, deliveries, now }: InvoiceFacts): Omit<Standing, 'words'> {
  const stands = (state: OrderState, grade: Grade, text: string, fix: string | null = null) =>
    ({ state, conclusion: { grade, text }, cause: null, fix }) as const;
  if (!isFinalStatus(invoice.status)) {
    if (invoice.expires_at < now)
      return stands('overdue', 'inconclusive', 'Its time is over, and the service has not ended it yet.');
    return stands('open', 'pass', 'The customer has not paid yet, and no webhook is due.');
  }
  if (deliveries === null) {
    const text = 'The service does not show the deliveries of its webhook.';
    return stands('history_unreadable', 'inconclusive', text, CATCH_UP);
  }
  // Nothing was refused, and the pages do not count it either.
  if (invoice.callback_url === null)
    return stands('no_webhook', 'advice', 'No webhook was sent: the invoice has no callback_url.', CATCH_UP);
  return stands('no_webhook', 'fail', `${NOT_HEARD}: the service lists no delivery.`, CATCH_UP);
}

/** What became of the latest delivery of an order that has ended. */
function toldOf(facts: InvoiceFacts, last: WebhookDelivery): Omit<Standing, 'words'> {
  const { invoice, now, seen } = facts;
  const refused = (state: OrderState, text: string, cause: Diagnosis) =>
    ({ state, conclusion: { grade: 'fail', text }, cause, fix: fixOf(facts, cause) }) as const;
  const event = last.event_type === null ? '' : ` to ${last.event_type}`;
  const answered = `Your endpoint answered ${last.last_http_status ?? '2xx'}${event}`;
  if (last.status === 'delivered') {
    const cause = seen?.attempt_log.at(-1)?.cause;
    if (cause?.id === 'html_page')
      return refused('page', `${answered}, with a page of HTML. Is this your webhook route?`, cause);
    return {
      state: 'heard',
      conclusion: { grade: 'pass', text: `${answered}.${adviceFor(invoice)}` },
      cause: null,
      fix: null,
    };
  }
  if (last.status !== 'failed' && isWebhookWaiting(last)) {
    const text = 'The webhook is on its way: look again in a moment.';
    return { state: 'sending', conclusion: { grade: 'inconclusive', text }, cause: null, fix: null };
  }
  const tries = `${last.attempts ?? 'some'} ${last.attempts === 1 ? 'attempt' : 'attempts'} failed`;
  const cause = whyNotAccepted(facts, last);
  if (last.status === 'failed') return refused('given_up', `${NOT_HEARD}: ${tries}, and no more will come.`, cause);
  const next = last.next_retry_at;
  const due = next === null ? '' : `, the next comes ${inWords(next.getTime() - now.getTime())}`;
  return refused('retrying', `${NOT_HEARD}: ${tries}${due}.`, cause);
}

/** What the shop has to look at, although its endpoint answered 2xx. */
function adviceFor(invoice: Invoice): string {
  if (invoice.status !== 'success') return '';
  if (paymentWord(invoice) === 'Paid less')
    return ' The order was not paid in full. Give only what the credited USDT covers.';
  return ' If the order is still open in your shop, the endpoint answered before it had stored the event, or it is not your webhook route.';
}

/** The moment at which the next attempt is due. */
function nextAttempt({ deliveries, now }: InvoiceFacts): Moment[] {
  const at = deliveries?.at(-1)?.next_retry_at ?? null;
  if (at === null) return [];
  const text = inWords(at.getTime() - now.getTime());
  return [{ at, lane: 'service', grade: null, what: 'next attempt', text }];
}

function whyNotAccepted({ invoice: { callback_url: url }, seen }: InvoiceFacts, last: WebhookDelivery): Diagnosis {
  const cause = seen?.attempt_log.at(-1)?.cause ?? null;
  if (cause !== null) return cause;
  const host = url !== null && URL.canParse(url) ? new URL(url).host : 'your endpoint';
  return diagnoseStatus(host, url, last.attempt_log.at(-1)?.status_code ?? last.last_http_status);
}

/** `webhooks check` is named for a receiver on this machine only: it sends forged deliveries. */
function fixOf({ invoice: { external_id, callback_url: url } }: InvoiceFacts, cause: Diagnosis): string {
  if (isUnexplained(cause) && url !== null && URL.canParse(url) && isLoopback(new URL(url).hostname))
    return `npx merchant-invoicing webhooks check ${shellWord(addressText(url) ?? '')}`;
  return `npx merchant-invoicing order ${shellWord(orderOf(external_id).order)} --resend`;
}

/** An address without what may be secret in it: credentials and query. */
function addressText(url: string | null): string | null {
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
