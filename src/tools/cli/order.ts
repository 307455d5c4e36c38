// Reads one invoice with its deliveries, tells what happened, and where the order stands.

import type { MerchantClient } from '../../client.ts';
import type { WebhookDelivery } from '../../contract/deliveries.ts';
import type { Invoice } from '../../contract/invoices.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import { isLoopback } from '../../contract/values/scalars.ts';
import { hasKind, isMerchantError, isRefusedIdent } from '../../errors/guards.ts';
import { hiding } from '../../errors/hide.ts';
import { printable } from '../../errors/printable.ts';
import { type Diagnosis, diagnoseStatus, isUnexplained } from '../sandbox/delivery/diagnose.ts';
import type { SandboxAttempt, SandboxDelivery } from '../sandbox/index.ts';
import { shellWord } from '../shell.ts';
import {
  clockOf,
  isWebhookWaiting,
  type Moment,
  momentsOf,
  noWebhookWord,
  paymentWord,
  webhookWord,
} from '../story.ts';
import { readArguments } from './arguments.ts';
import { COMMANDS, exampleOf } from './commands.ts';
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
    const facts = await readOrder(service, ident, flags.resend, io.signal);
    const verdict = verdictOf(facts);
    const moments = [...momentsOf(facts.invoice, facts.deliveries ?? []), ...nextAttempt(facts)];
    const ok = verdict.conclusion.grade !== 'fail';
    if (flags.json) out(jsonLine({ ok, ...jsonOf(facts, verdict), events: moments }));
    else out(textOf(facts, verdict, moments, styleOf(io)));
    return ok ? EXIT.fine : EXIT.finding;
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    if (hasKind(error, 'not_found')) {
      const problem = `the service knows no order ${JSON.stringify(oneLine(ident, 80))} of this business`;
      throw unfulfilled(problem, `${DOCTOR}   # which service and which key are set?`);
    }
    const isGone = error.kind === 'connection' || error.kind === 'timeout';
    throw new CliError(isGone ? EXIT.unreachable : EXIT.finding, hide(error.message), DOCTOR);
  }
}

async function readOrder(
  { merchant, baseUrl }: Service,
  ident: string,
  resends: boolean,
  signal: AbortSignal,
): Promise<OrderFacts> {
  const { invoice, headers } = await findInvoice(merchant, ident, signal);
  const before = await readDeliveries(merchant, invoice, signal);
  const deliveries = resends ? await resend(merchant, invoice, before, signal) : before;
  const date = Date.parse(headers.get('date') ?? '');
  return {
    ident,
    invoice,
    deliveries,
    now: new Date(Number.isNaN(date) ? Date.now() : date),
    seen: headers.has('x-sandbox') ? await attemptInSandbox(baseUrl, deliveries?.at(-1)) : null,
  };
}

/** How many of the newest invoices are looked through where a service reads an invoice by its uuid alone. */
const LOOKED_THROUGH = 2_000;

async function findInvoice(
  merchant: MerchantClient,
  ident: string,
  signal: AbortSignal,
): Promise<{ readonly invoice: Invoice; readonly headers: Headers }> {
  try {
    const { data, response } = await merchant.invoices.get(ident, { signal }).withResponse();
    return { invoice: data, headers: response.headers };
  } catch (error) {
    if (!isMerchantError(error) || !isRefusedIdent(error)) throw error;
    const call = merchant.invoices.list({ per_page: 100 }, { signal });
    for (const invoice of await call.collect({ limit: LOOKED_THROUGH })) {
      if (invoice.external_id === ident) return { invoice, headers: (await call.withResponse()).response.headers };
    }
    throw error;
  }
}

/** The oldest first, or null where the service does not show them. */
async function readDeliveries(
  merchant: MerchantClient,
  { uuid }: Invoice,
  signal: AbortSignal,
): Promise<readonly WebhookDelivery[] | null> {
  try {
    const deliveries = await merchant.webhooks.deliveries(uuid, { signal });
    const beganAt = ({ attempt_log: [first] }: WebhookDelivery): number => first?.created_at?.getTime() ?? 0;
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
  before: OrderFacts['deliveries'],
  signal: AbortSignal,
): Promise<OrderFacts['deliveries']> {
  if (before?.length === 0) return before; // nothing can be sent again, and the verdict says why
  await merchant.webhooks.resend(invoice.uuid, { signal });
  const attemptsIn = (all: OrderFacts['deliveries']): number =>
    all?.reduce((sum, one) => sum + (one.attempts ?? 0), 0) ?? 0;
  let after = before;
  for (let look = 0; look < LOOKS && attemptsIn(after) <= attemptsIn(before); look += 1) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS));
    after = await readDeliveries(merchant, invoice, signal);
  }
  return after;
}

/** The last attempt as a sandbox has seen it, with the response of the receiver, which the interface does not show. */
async function attemptInSandbox(baseUrl: string, last: WebhookDelivery | undefined): Promise<SandboxAttempt | null> {
  if (last === undefined) return null;
  try {
    const { result } = await performAction(baseUrl, 'status', {});
    const { deliveries } = result as { readonly deliveries: readonly SandboxDelivery[] }; // as the action returns them
    return deliveries.find(({ id }) => id === last.id)?.attempt_log.at(-1) ?? null;
  } catch {
    return null; // behind a proxy that serves the API alone
  }
}

/** The addresses of the shop are left out or shortened, because their query may hold a secret. */
function jsonOf({ invoice, deliveries }: OrderFacts, verdict: Verdict): object {
  const { callback_url, success_url, fail_url, payment_url, payment_method, ...known } = invoice;
  const order = { ...known, payment_method: payment_method?.name ?? null, callback_url: addressText(callback_url) };
  return { order, deliveries, ...verdict };
}

function textOf({ invoice }: OrderFacts, verdict: Verdict, moments: readonly Moment[], style: Style): string {
  const { words, conclusion, cause, fix } = verdict;
  const to = addressText(invoice.callback_url);
  const lines = [
    `  ${style.strong(oneLine(invoice.external_id, 50))}  ${words.payment}, webhook: ${words.webhook}`,
    wrapped(conclusion.text, 4, `  ${markOf(conclusion.grade, style)} `),
    ...(cause === null ? [] : [wrapped(printable(cause.text), 4)]),
    ...(cause?.remedy ? [wrapped(printable(cause.remedy), 4)] : []),
    ...(fix === null ? [] : [`    fix: ${printable(fix)}`]),
    '',
    `  invoice ${invoice.uuid}`,
    ...(to === null ? [] : [`  webhook ${printable(to)}`]),
    ...momentLines(moments, style),
  ];
  return `${lines.join('\n')}\n`;
}

/** The moments below the day on which they happened, each with who did it. */
function momentLines(moments: readonly Moment[], style: Style): string[] {
  const width = Math.max(...moments.map(({ what }) => what.length));
  let day = '';
  return moments.flatMap(({ at, lane, grade, what, text }) => {
    const today = at?.toUTCString().slice(5, 16) ?? day;
    const heading = today === day ? [] : ['', `  ${today} (UTC)`];
    day = today;
    const mark = grade === null ? ' ' : markOf(grade, style);
    const time = at === null ? ' '.repeat(8) : clockOf(at);
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
interface Verdict {
  /** The states of payment and webhook in the words of the dashboard. */
  readonly words: { readonly payment: string; readonly webhook: string };
  readonly state: OrderState;
  readonly conclusion: { readonly grade: Grade; readonly text: string };
  /** Why the shop did not accept the webhook. Null if it did, or if nothing is due yet. */
  readonly cause: Diagnosis | null;
  /** The remedy: a command, or the page of the guide. Null if there is nothing to do. */
  readonly fix: string | null;
}

/** What was read of an order. */
interface OrderFacts {
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
const NOT_HEARD = 'Your shop has not heard of it';

function verdictOf(facts: OrderFacts): Verdict {
  const { invoice, deliveries } = facts;
  const last = deliveries?.at(-1);
  const webhook = last === undefined ? noWebhookWord(invoice) : webhookWord(last);
  return {
    words: { payment: paymentWord(invoice), webhook: deliveries === null ? 'Unknown' : webhook },
    ...(last !== undefined && isFinalStatus(invoice.status) ? toldOf(facts, last) : untoldOf(facts)),
  };
}

/** Where an order stands of which no delivery is known. */
function untoldOf({ invoice, deliveries, now }: OrderFacts): Omit<Verdict, 'words'> {
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
  const why = invoice.callback_url === null ? 'the invoice has no callback_url' : 'the service lists no delivery';
  return stands('no_webhook', 'fail', `${NOT_HEARD}: ${why}.`, CATCH_UP);
}

/** What became of the latest delivery of an order that has ended. */
function toldOf(facts: OrderFacts, last: WebhookDelivery): Omit<Verdict, 'words'> {
  const { invoice, now, seen } = facts;
  const refused = (state: OrderState, text: string, cause: Diagnosis) =>
    ({ state, conclusion: { grade: 'fail', text }, cause, fix: fixOf(facts, cause) }) as const;
  const event = last.event_type === null ? '' : ` to ${last.event_type}`;
  const answered = `Your endpoint answered ${last.last_http_status ?? '2xx'}${event}`;
  if (last.status === 'delivered') {
    if (seen?.cause?.id === 'html_page')
      return refused('page', `${answered}, with a page of HTML. Is this your webhook route?`, seen.cause);
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
  const due = next === null ? '' : `, the next one comes ${inWords(next.getTime() - now.getTime())}`;
  return refused('retrying', `${NOT_HEARD}: ${tries}${due}.`, cause);
}

/** What the shop has to look at, although its endpoint answered 2xx. */
function adviceFor(invoice: Invoice): string {
  if (invoice.status !== 'success') return '';
  if (paymentWord(invoice) === 'Paid less') return ' It was not paid in full: fulfil against the credited USDT.';
  return ' If the order is still open there, it answered before it had stored the event, or it is not your webhook route.';
}

/** The moment at which the next attempt is due. */
function nextAttempt({ deliveries, now }: OrderFacts): Moment[] {
  const at = deliveries?.at(-1)?.next_retry_at ?? null;
  if (at === null) return [];
  const text = inWords(at.getTime() - now.getTime());
  return [{ at, lane: 'service', grade: null, what: 'next attempt', text }];
}

function whyNotAccepted({ invoice: { callback_url: url }, seen }: OrderFacts, last: WebhookDelivery): Diagnosis {
  if (seen !== null && seen.cause !== null) return seen.cause;
  const host = url !== null && URL.canParse(url) ? new URL(url).host : 'your endpoint';
  return diagnoseStatus(host, url, last.attempt_log.at(-1)?.status_code ?? last.last_http_status);
}

/** `webhooks check` is named for a receiver on this machine only: it sends forged deliveries. */
function fixOf({ ident, invoice: { callback_url: url } }: OrderFacts, cause: Diagnosis): string {
  if (isUnexplained(cause) && url !== null && URL.canParse(url) && isLoopback(new URL(url).hostname))
    return `npx merchant-invoicing webhooks check ${shellWord(addressText(url) ?? '')}`;
  return `npx merchant-invoicing order ${shellWord(ident)} --resend`;
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
