// A delivery as `webhooks check` and `webhooks send` make it: its order, its event, its headers, and how it is sent.
import type { KnownEventType } from '../../../contract/statuses.ts';
import { isLoopback } from '../../../contract/values/scalars.ts';
import { engine } from '../../../webhooks/crypto.ts';
import { SANDBOX_SECRET } from '../../../webhooks/verify/sandbox-secret.ts';
import { parseSecrets } from '../../../webhooks/verify/secrets.ts';
import { fingerprintOf } from '../../../webhooks/verify/why.ts';
import { isAmount, quote, shareOf } from '../../sandbox/business/money.ts';
import { type Diagnosis, diagnoseReply, isHtmlPage } from '../../sandbox/delivery/diagnose.ts';
import { eventBody, eventTypeOf, fetchOnce } from '../../sandbox/delivery/webhook-request.ts';
import { dialectFrom } from '../../sandbox/dialects.ts';
import { parseDuration } from '../../sandbox/duration.ts';
import type { SandboxEnding } from '../../sandbox/index.ts';
import type { InvoiceRecord } from '../../sandbox/state/records.ts';
import { SEED_METHODS } from '../../sandbox/state/seed-data.ts';
import { shellWord } from '../../shell.ts';
import { parseAddress, parseDialect, type readArguments } from '../arguments.ts';
import type { COMMANDS } from '../commands.ts';
import { CliError, EXIT, type Io, misuse, unreachable } from '../io.ts';
import { performAction, usualSandbox } from '../sandbox/remote.ts';

/** Each event, the status of its invoice, the action of the sandbox that brings an order there, and the paid share. */
export const SAMPLES = {
  paid: { status: 'success', action: 'pay', share: '1' },
  adjusted: { status: 'success', action: 'pay', share: '0.5' },
  overpaid: { status: 'success', action: 'pay', share: '1.5' },
  expired: { status: 'expired', action: 'expire', share: '1' },
  canceled: { status: 'canceled', action: 'cancel', share: '1' },
  fail: { status: 'fail', action: 'fail', share: '1' },
} as const;
export type EventKind = keyof typeof SAMPLES;

/** The order of an event. */
export interface Order {
  readonly externalId: string;
  /** Of the invoice in a running sandbox. Default: `customer-1`. */
  readonly customerId?: string;
  readonly amount: string;
  /** The uuid of its invoice. Default: a new one. */
  readonly uuid?: string | undefined;
}

/** A webhook of a final state as the service sends it. */
export interface SampleEvent {
  readonly eventType: KnownEventType;
  readonly body: string;
}

/** The checked flags of both commands. */
export type Sender = Awaited<ReturnType<typeof readSender>>;

type SenderFlags = ReturnType<typeof readArguments<(typeof COMMANDS)['webhooks check']['flags']>>['values'];

/**
 * Checks the flags, so that no delivery has an order that the service could not have.
 *
 * @param sends False if nothing will be sent, so that no sandbox is looked for.
 */
export async function readSender(
  address: string | undefined,
  flags: SenderFlags,
  env: Io['env'],
  fix: string,
  sends = true,
) {
  const { 'external-id': externalId = null, uuid, amount } = flags;
  const url = parseAddress(address, 'the address of the receiver', fix);
  // An empty one comes from a variable that is not set.
  if (externalId === '' || uuid === '') throw misuse(`--${uuid === '' ? 'uuid' : 'external-id'} is empty`, fix);
  if (!isAmount(amount)) throw misuse(`--amount takes an amount such as 25.00, not ${JSON.stringify(amount)}`, fix);
  const sender = {
    url,
    ...readSecrets(flags.secret, env),
    dialect: dialectFrom(parseDialect(flags.dialect)),
    /** Null: a new order id for each event. */
    externalId,
    order: { uuid, amount },
    /** Milliseconds. */
    timeout: parseDuration(flags.timeout, '--timeout'),
  };
  const sandbox = parseAddress(flags.sandbox ?? usualSandbox(env), '--sandbox', fix);
  /** The running sandbox in which new orders are made, or null. */
  return { ...sender, sandbox: sends && externalId === null && (await isSandbox(sandbox)) ? sandbox : null };
}

/**
 * The secrets to use, and where they came from, for people. The first one signs. A receiver must accept the others too.
 *
 * @throws ConfigurationError for an empty or padded secret.
 */
export function readSecrets(given: readonly string[], env: Io['env'], form: 'usable' | 'any form' = 'usable') {
  const check = (secret: string, name: string): void => {
    if (form === 'usable' || secret === '') parseSecrets(secret, name);
  };
  for (const secret of given) check(secret, '--secret');
  if (given.length > 0) return { secrets: given, source: 'the secret of --secret' };
  const secret = env['MERCHANT_WEBHOOK_SECRET'] || undefined;
  if (secret === undefined) {
    return { secrets: [SANDBOX_SECRET], source: 'the secret of the sandbox (--secret gives another)' };
  }
  check(secret, 'MERCHANT_WEBHOOK_SECRET');
  return { secrets: [secret], source: 'the secret in MERCHANT_WEBHOOK_SECRET' };
}

/** True if a sandbox runs at this address. */
async function isSandbox(url: string): Promise<boolean> {
  try {
    await performAction(url, 'status', {});
    return true;
  } catch (error) {
    if (error instanceof CliError && error.exitCode === EXIT.unreachable) return false;
    throw error;
  }
}

/**
 * The event of an order that has ended. With the address of a sandbox the order is created and ended there, so that a
 * receiver that looks it up finds it.
 */
export async function sampleEvent(
  kind: EventKind,
  { externalId: external_id, customerId: customer_id = 'customer-1', amount, uuid: given }: Order,
  { dialect, sandbox }: Pick<Sender, 'dialect' | 'sandbox'>,
): Promise<SampleEvent> {
  const { status, action, share } = SAMPLES[kind];
  const paid = share === '1' ? undefined : shareOf(amount, share);
  const [card] = SEED_METHODS;
  let uuid = given ?? crypto.randomUUID();
  let settledUsdt = card === undefined ? null : quote(paid ?? amount, card, '0.9214').usdt;
  if (sandbox !== null) {
    await performAction(sandbox, 'create', { external_id, customer_id, amount, currency: 'EUR' });
    const { result } = await performAction(sandbox, action, { ident: external_id, amount: paid });
    ({ uuid, settled_amount_usdt: settledUsdt } = (result as SandboxEnding).invoice); // what these actions return
  }
  const adjustment = paid === undefined ? null : { expected_amount_fiat: amount, actual_amount_fiat: paid };
  const members = { uuid, external_id, customer_id, amount, status, settledUsdt, adjustment };
  const invoice = members as InvoiceRecord; // an event has no other member of an invoice
  return { eventType: eventTypeOf(invoice), body: eventBody(invoice, dialect) };
}

/** One request to a receiver. */
export interface ReceiverRequest {
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How the receiver answered. */
export interface Reply {
  /** Null where there is no response. */
  readonly status: number | null;
  /** The start of the response's body, at most 2,000 characters. */
  readonly text: string;
  readonly ms: number;
  /** Why there is no response: `time-out`, or the code of the connection error. */
  readonly problem: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a request on a new connection and follows no redirect. Never rejects. */
export async function deliver(url: string, request: ReceiverRequest, timeout: number): Promise<Reply> {
  const { method, body } = request;
  const began = performance.now();
  const signal = AbortSignal.timeout(timeout);
  const headers = { ...request.headers, Connection: 'close' };
  const init = { method, headers, body: method === 'GET' ? null : body, signal };
  const { status_code, response_body, response_headers, problem } = await fetchOnce(fetch, url, init);
  return {
    status: status_code,
    text: response_body ?? '',
    ms: Math.round(performance.now() - began),
    problem: problem !== null && signal.aborted ? 'time-out' : problem,
    headers: response_headers ?? {},
  };
}

/** Why a genuine delivery was not accepted. An order that was invented may be unknown to the receiver. */
export async function causeOfReply(
  { url, secrets, externalId }: Sender,
  body: string,
  { status, problem, text, headers }: Reply,
): Promise<Diagnosis> {
  const cause = diagnoseReply({
    ...{ url, status, problem, body: text, headers, repeatsTimestamp: false },
    sentSha256: await engine().sha256(body),
    secretFingerprint: await fingerprintOf(secrets[0] ?? ''),
  });
  const isUnknownOrder = cause.id === 'handler_failed' || cause.id === 'receiver_failed';
  if (externalId !== null || !isUnknownOrder) return cause;
  return { ...cause, remedy: `${cause.remedy ?? ''} ${NAME_ONE}`.trim() };
}

const NAME_ONE = 'If the receiver refuses unknown orders, name one that it knows: --external-id ORDER --amount 25.00';

/** @throws CliError if there was no connection. After a timeout the receiver counts as reachable. */
export function throwIfUnreachable(url: string, { status, problem }: Reply, typed: string): void {
  if (status !== null || problem === 'time-out') return;
  const fix = `npx merchant-invoicing webhooks ${typed} ${shellWord(url)}`;
  const words = `cannot reach ${url}: ${problem}. Start your receiver first`;
  throw new CliError(EXIT.unreachable, isLoopback(new URL(url).hostname) ? unreachable(words) : words, fix);
}

/** True for a 2xx: the service does not send the delivery again. */
export function isAcknowledged({ status }: Reply): boolean {
  return status !== null && status >= 200 && status <= 299;
}

/** The same of a receiver. A page with a 2xx comes from another route. */
export function isAccepted(reply: Reply): boolean {
  return isAcknowledged(reply) && !isHtmlPage({ body: reply.text, headers: reply.headers });
}
