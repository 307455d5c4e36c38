// A delivery as `webhooks check` and `webhooks send` make it: its order, its event, its headers, and how it is sent.
import type { KnownEventType } from '../../../contract/statuses.ts';
import { engine } from '../../../webhooks/crypto.ts';
import { SANDBOX_SECRET } from '../../../webhooks/verify/sandbox-secret.ts';
import { parseSecrets } from '../../../webhooks/verify/secrets.ts';
import { compareAmounts, isAmount, quote, shareOf } from '../../sandbox/business/money.ts';
import type { Diagnosis } from '../../sandbox/delivery/diagnose.ts';
import { codeOf, eventBody, eventTypeOf, startOfBody } from '../../sandbox/delivery/webhook-request.ts';
import { type Dialect, dialectFrom } from '../../sandbox/dialects.ts';
import type { SandboxEnding } from '../../sandbox/index.ts';
import { parseDuration } from '../../sandbox/option-checks.ts';
import type { InvoiceRecord } from '../../sandbox/state/records.ts';
import { SEED_METHODS } from '../../sandbox/state/seed-data.ts';
import { shellWord } from '../../shell.ts';
import { parseAddress, parseDialect, type readArguments } from '../arguments.ts';
import type { COMMANDS } from '../commands.ts';
import { CliError, EXIT, type Io, misuse } from '../io.ts';
import { performAction, usualSandbox } from '../sandbox/remote.ts';

/** Each event, the status of its invoice, and the action of the sandbox that brings an order there. */
export const SAMPLES = {
  paid: { status: 'success', action: 'pay' },
  adjusted: { status: 'success', action: 'pay' },
  overpaid: { status: 'success', action: 'pay' },
  expired: { status: 'expired', action: 'expire' },
  canceled: { status: 'canceled', action: 'cancel' },
  fail: { status: 'fail', action: 'fail' },
} as const;
export type EventKind = keyof typeof SAMPLES;

/** The order of an event. */
export interface Order {
  readonly externalId: string;
  readonly customerId: string;
  readonly amount: string;
  /** The paid amount of `adjusted` and `overpaid`. Default: half, and one and a half of the amount. */
  readonly paid?: string | undefined;
  /** The uuid of its invoice. Default: a new one. */
  readonly uuid?: string | undefined;
}

/** A webhook of a final state as the service sends it. */
export interface SampleEvent {
  readonly eventType: KnownEventType;
  readonly body: string;
}

/** The checked flags of both commands. */
export type Sender = ReturnType<typeof readSender>;

type SenderFlags = ReturnType<typeof readArguments<(typeof COMMANDS)['webhooks check']['flags']>>['values'];

/** What to do if the cause may be that the receiver does not know the invented order, or an empty text. */
export function adviceForInventedOrder({ id }: Diagnosis): string {
  if (id !== 'handler_failed' && id !== 'receiver_failed') return '';
  return 'A receiver that refuses orders which it does not know needs one of its own: --external-id ID --uuid UUID --amount 25.00';
}

/** Checks the flags, so that no delivery has an order that the service could not have. */
export function readSender(address: string | undefined, flags: SenderFlags, env: Io['env'], fix: string) {
  const { 'external-id': externalId = null, uuid, amount } = flags;
  const url = parseAddress(address, 'the address of the receiver', fix);
  // An empty one comes from a variable that is not set.
  if (externalId === '' || uuid === '') throw misuse(`--${uuid === '' ? 'uuid' : 'external-id'} is empty`, fix);
  return {
    url,
    ...readSecrets(flags.secret, env),
    dialect: dialectFrom(parseDialect(flags.dialect)),
    /** Null: a new order id for each event. */
    externalId,
    order: { uuid, amount: parseAmount('--amount', amount, fix) },
    /** Milliseconds. */
    timeout: parseDuration(flags.timeout, '--timeout'),
    /** The address of a sandbox, whether one runs there or not. */
    sandbox: parseAddress(flags.sandbox ?? usualSandbox(env), '--sandbox', fix),
  };
}

/** Checks the paid amount of an event: less than ordered for `adjusted`, more for `overpaid`. */
export function parsePaid(kind: EventKind, paid: string | undefined, amount: string, fix: string): string | undefined {
  if (paid === undefined) return undefined;
  const difference = { adjusted: -1, overpaid: 1, paid: 0, expired: 0, canceled: 0, fail: 0 }[kind];
  if (difference === 0) throw misuse(`--paid belongs to adjusted and overpaid, not to ${kind}`, fix);
  if (compareAmounts(parseAmount('--paid', paid, fix), amount) === difference) return paid;
  throw misuse(`--paid of ${kind} must be ${difference < 0 ? 'less' : 'more'} than ${amount}, not ${paid}`, fix);
}

function parseAmount(flag: string, text: string, fix: string): string {
  if (isAmount(text)) return text;
  throw misuse(`${flag} takes an amount such as 25.00, not ${JSON.stringify(text)}`, fix);
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
export async function isSandbox(url: string): Promise<boolean> {
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
  order: Order,
  dialect: Dialect,
  sandbox: string | null,
): Promise<SampleEvent> {
  const { externalId: external_id, customerId: customer_id, amount } = order;
  const { status, action } = SAMPLES[kind];
  const isAdjusted = kind === 'adjusted' || kind === 'overpaid';
  const paid = isAdjusted ? (order.paid ?? shareOf(amount, kind === 'adjusted' ? '0.5' : '1.5')) : undefined;
  const [card] = SEED_METHODS;
  let uuid = order.uuid ?? crypto.randomUUID();
  let settledUsdt = card === undefined ? null : quote(paid ?? amount, card, '0.9214').usdt;
  if (sandbox !== null) {
    await performAction(sandbox, 'create', { external_id, customer_id, amount, currency: 'EUR' });
    const { result } = await performAction(sandbox, action, { ident: external_id, amount: paid });
    ({ uuid, settled_amount_usdt: settledUsdt } = (result as SandboxEnding).invoice); // what these actions return
  }
  const adjustment = isAdjusted ? { expected_amount_fiat: amount, actual_amount_fiat: paid } : null;
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
  /** SHA-256 of the body that was sent, in hex. */
  readonly sentSha256: string;
}

/** Sends a request on a new connection and follows no redirect. Never rejects. */
export async function deliver(url: string, request: ReceiverRequest, timeout: number): Promise<Reply> {
  const { method, body } = request;
  const began = performance.now();
  const sentSha256 = await engine().sha256(body);
  const reply = { status: null, text: '', problem: null, headers: {}, sentSha256 };
  const ended = (): { ms: number } => ({ ms: Math.round(performance.now() - began) });
  const signal = AbortSignal.timeout(timeout);
  let response: Response;
  try {
    const headers = { ...request.headers, Connection: 'close' };
    response = await fetch(url, { method, headers, body: method === 'GET' ? null : body, redirect: 'manual', signal });
  } catch (error) {
    return { ...reply, ...ended(), problem: signal.aborted ? 'time-out' : codeOf(error) };
  }
  const text = await startOfBody(response);
  return { ...reply, ...ended(), status: response.status, headers: Object.fromEntries(response.headers), text };
}

/** @throws CliError if there was no connection. After a timeout the receiver counts as reachable. */
export function throwIfUnreachable(url: string, { status, problem }: Reply, typed: string): void {
  if (status !== null || problem === 'time-out') return;
  const fix = `start your receiver, then: npx merchant-invoicing webhooks ${typed} ${shellWord(url)}`;
  throw new CliError(EXIT.unreachable, `cannot reach ${url}: ${problem}`, fix);
}

/** True for a 2xx, which acknowledges a delivery. */
export function isAcknowledged({ status }: Reply): boolean {
  return status !== null && status >= 200 && status <= 299;
}
