import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { eventOfStatus, type KnownEventType } from '../../contract/statuses.ts';
import { compareAmounts, isAmount, shareOf } from '../../sandbox/business/money.ts';
import { signedRequest } from '../../sandbox/delivery/webhook-request.ts';
import { type Dialect, dialectFrom } from '../../sandbox/dialects.ts';
import { createSandbox, type SandboxInvoice, type SeedInvoice } from '../../sandbox/index.ts';
import { parseDuration } from '../../sandbox/option-checks.ts';
import { shellWord } from '../../sandbox/page/copies.ts';
import { seedMethod, seedRates } from '../../sandbox/state/seed-data.ts';
import { parseSecrets } from '../../webhooks/verify/signature.ts';
import { parseAddress, parseDialect } from '../arguments.ts';
import { CliError, EXIT, type Io, misuse } from '../io.ts';
import { command } from '../sandbox/control.ts';

// A delivery as `webhooks check` and `webhooks send` make it: its order, its event, its signature, and how it is sent.

/** Each event, and the action of the sandbox that brings an order there. */
const ACTIONS = {
  paid: 'pay',
  adjusted: 'underpay',
  overpaid: 'overpay',
  expired: 'expire',
  canceled: 'cancel',
  fail: 'fail',
} as const;
export type EventKind = keyof typeof ACTIONS;
export const EVENT_KINDS = Object.keys(ACTIONS) as readonly EventKind[]; // the keys of this table

/** The order of an event. */
export interface Order {
  readonly externalId: string;
  readonly amount: string;
  readonly currency: string;
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

/** What the flags of both commands say. */
export interface Sender {
  readonly url: string;
  /** The first signs. A receiver must accept the others as well. */
  readonly secrets: readonly string[];
  /** Where the secrets came from, for people. */
  readonly source: string;
  readonly dialect: Dialect;
  /** Null: a new order id for each event. */
  readonly externalId: string | null;
  readonly order: Omit<Order, 'externalId'>;
  /** Milliseconds. */
  readonly timeout: number;
  readonly sandbox: string;
}

interface SenderFlags {
  readonly secret: readonly string[];
  readonly dialect: readonly string[];
  readonly timeout: string;
  readonly sandbox: string;
  readonly 'external-id'?: string | undefined;
  readonly uuid?: string | undefined;
  readonly amount: string;
  readonly currency: string;
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Checks the flags, so that no delivery has an order that the service could not have. */
export function readSender(address: string | undefined, flags: SenderFlags, env: Io['env'], fix: string): Sender {
  const { 'external-id': externalId = null, uuid, amount, currency } = flags;
  const url = parseAddress(address, 'the address of the receiver', fix);
  const { secrets, source } = readSecrets(flags.secret, env);
  const length = externalId === null ? 1 : [...externalId].length;
  if (length < 1 || length > 128) throw misuse(`--external-id takes 1 to 128 characters, not ${length}`, fix);
  if (uuid !== undefined && !/^[\w-]{1,64}$/.test(uuid)) {
    throw misuse(`--uuid takes the uuid of an invoice, not ${JSON.stringify(uuid)}`, fix);
  }
  if (!CURRENCIES.has(currency)) {
    throw misuse(`--currency takes a code of ISO 4217 such as EUR, not ${JSON.stringify(currency)}`, fix);
  }
  return {
    url,
    secrets,
    source,
    dialect: dialectFrom(parseDialect(flags.dialect)),
    externalId,
    order: { uuid, amount: parseAmount('--amount', amount, fix), currency },
    timeout: parseDuration(flags.timeout, '--timeout'),
    sandbox: parseAddress(flags.sandbox, '--sandbox', fix),
  };
}

/** Checks the paid amount of an event, which must be what the event says of it. */
export function parsePaid(kind: EventKind, paid: string | undefined, amount: string, fix: string): string | undefined {
  if (paid === undefined) return undefined;
  if (kind !== 'adjusted' && kind !== 'overpaid') {
    throw misuse(`--paid belongs to adjusted and overpaid, not to ${kind}`, fix);
  }
  const order = compareAmounts(parseAmount('--paid', paid, fix), amount);
  if (order === 0) throw misuse(`--paid ${paid} is the ordered amount, so nothing is ${kind}`, fix);
  if (order < 0 && kind === 'overpaid') throw misuse(`--paid ${paid} is less than --amount ${amount}`, fix);
  return paid;
}

function parseAmount(flag: string, text: string, fix: string): string {
  if (isAmount(text)) return text;
  throw misuse(`${flag} takes an amount such as 25.00, not ${JSON.stringify(text)}`, fix);
}

/**
 * The secrets to use, and where they came from. A secret itself is never shown.
 *
 * @throws ConfigurationError for an empty or padded secret.
 */
export function readSecrets(given: readonly string[], env: Io['env']) {
  const fromEnv = env['MERCHANT_WEBHOOK_SECRET'];
  const found =
    given.length > 0
      ? { secrets: given, source: 'the secret of --secret' }
      : fromEnv
        ? { secrets: [fromEnv], source: 'the secret in MERCHANT_WEBHOOK_SECRET' }
        : { secrets: ['whsec_sandbox'], source: 'the secret of the sandbox (--secret gives another)' };
  for (const secret of found.secrets) parseSecrets(secret, given.length > 0 ? '--secret' : 'MERCHANT_WEBHOOK_SECRET');
  return found;
}

/** A text without the secrets in it. */
export function redacted(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}

/** Makes the order of an event known to the service, and brings it to its final state. Returns its uuid. */
export type OrderSource = (kind: EventKind, order: Order) => Promise<string>;

/** Creates orders in the sandbox at this address, so that a receiver that looks them up finds them. Null if none runs there. */
export async function runningSandbox(url: string): Promise<OrderSource | null> {
  try {
    await command(url, 'status', {});
  } catch (error) {
    if (error instanceof CliError && error.exitCode === EXIT.unreachable) return null;
    throw error;
  }
  return async (kind, order) => {
    const { externalId, amount, currency } = order;
    const { result } = await command(url, 'create', { external_id: externalId, amount, currency });
    const { uuid } = result as SandboxInvoice; // what this action returns
    await command(url, ACTIONS[kind], { ident: uuid, amount: paidAmount(kind, order) });
    return uuid;
  };
}

/** The paid amount, where it is not the ordered one. */
function paidAmount(kind: EventKind, { amount, paid }: Order): string | undefined {
  if (kind !== 'adjusted' && kind !== 'overpaid') return undefined;
  return paid ?? shareOf(amount, kind === 'adjusted' ? '0.5' : '1.5');
}

/** The event of an order that has ended. A sandbox in this process writes it, in any currency. */
export async function sampleEvent(kind: EventKind, order: Order, dialect: Dialect): Promise<SampleEvent> {
  const { externalId, amount, currency, uuid } = order;
  const isPaid = kind === 'paid' || kind === 'adjusted' || kind === 'overpaid';
  const paid = paidAmount(kind, order);
  const invoice: SeedInvoice = {
    external_id: externalId,
    customer_id: 'check',
    amount,
    currency,
    age: '5m',
    status: isPaid ? 'success' : kind,
    ...(paid !== undefined && { paid }),
  };
  const anyCurrency = { id: 1, code: currency, name: currency, symbol: currency };
  const sandbox = createSandbox({
    dialect,
    methods: [seedMethod(1, 'Any amount', anyCurrency, ['0.01', '9'.repeat(30)], ['0.00', '1.00', '1.00'])],
    rates: seedRates('binance', [[currency, '0.9214', '0.9187']]),
    seedData: { invoices: [invoice] },
  });
  try {
    const text = await (await sandbox.webhookRequest(externalId)).text();
    const body = text.replace(/("invoice_uuid":)"[^"]*"/, (all, name) => (uuid ? name + JSON.stringify(uuid) : all));
    return { eventType: eventOfStatus(invoice.status ?? '') ?? 'invoice.canceled', body };
  } finally {
    await sandbox.close();
  }
}

/** The headers of a delivery, signed by the sandbox. `timestamp` is in epoch milliseconds. */
export async function sampleHeaders(
  { body }: SampleEvent,
  secret: string,
  dialect: Dialect,
  timestamp: number,
  id: string = crypto.randomUUID(),
): Promise<Readonly<Record<string, string>>> {
  const settings = { dialect, webhookSecret: secret };
  const { headers } = await signedRequest(settings, { id, body }, 'http://localhost/', timestamp);
  return headers;
}

/** One request to a receiver. */
export interface ReceiverRequest {
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How the receiver answered. */
export interface Reply {
  /** Null where there is no answer. */
  readonly status: number | null;
  /** The start of the answer's body. */
  readonly text: string;
  readonly ms: number;
  /** Why there is no answer: `time-out`, or the code of the connection error. */
  readonly problem: string | null;
  /** The header Location. */
  readonly location: string | null;
  /** True for an answer with the header WWW-Authenticate. */
  readonly asksForLogin: boolean;
}

/** How many characters of the answer are kept. */
const MAX_TEXT = 2_000;

/** Sends a request on a new connection and follows no redirect. Never rejects. */
export function deliver(url: string, { method, headers, body }: ReceiverRequest, timeout: number): Promise<Reply> {
  const began = performance.now();
  const send = url.toLowerCase().startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    let status: number | null = null;
    let text = '';
    let location: string | null = null;
    let asksForLogin = false;
    const end = (problem: string | null): void => {
      clearTimeout(timer);
      const ms = Math.round(performance.now() - began);
      resolve({ status, text: text.slice(0, MAX_TEXT), ms, problem, location, asksForLogin });
      request.destroy();
    };
    const timer = setTimeout(() => end(status === null ? 'time-out' : null), timeout);
    const length = method === 'GET' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const request = send(url, { method, headers: { ...headers, ...length }, agent: false }, (response) => {
      status = response.statusCode ?? null;
      location = response.headers.location ?? null;
      asksForLogin = response.headers['www-authenticate'] !== undefined;
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        if (text.length < MAX_TEXT) text += part;
      });
      response.on('end', () => end(null));
      response.on('error', () => end(null)); // the status decides, even if the body breaks off
    });
    request.on('error', (error: Error & { readonly code?: string }) => {
      // A receiver may refuse a large body before it has read all of it, so its answer may have arrived.
      setImmediate(() => end(status === null ? (error.code ?? error.message) : null));
    });
    request.end(method === 'GET' ? undefined : body);
  });
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
