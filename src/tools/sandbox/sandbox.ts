/// <reference lib="esnext.disposable" preserve="true" />
import { configurationFail, count, quoted, readOptions } from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { adjustInvoice, chooseMethod, closeInvoice, payInvoice } from './business/invoices.ts';
import { decideWithdrawal, withdrawalsInOrder } from './business/withdrawals.ts';
import { deliveryState, resend, settleDeliveries } from './delivery/deliveries.ts';
import { sentenceOf } from './delivery/diagnose.ts';
import { eventBody, REQUEST_CHANGES, signedRequest } from './delivery/webhook-request.ts';
import { type Dialect, dialectFrom } from './dialects.ts';
import { parseDuration } from './duration.ts';
import type { Front } from './http/dispatch.ts';
import { type ListenOptions, listenHttp, type SandboxServer } from './http/server.ts';
import { resetWorld } from './seed.ts';
import { createInvoice } from './service/handlers.ts';
import { toSandboxDelivery, toSandboxInvoice } from './service/write-resources.ts';
import type { Faults } from './state/faults.ts';
import type { RequestEntry, SandboxEvent } from './state/log.ts';
import type { InvoiceRecord } from './state/records.ts';
import type {
  EndingDelivery,
  NewInvoice,
  Payment,
  SandboxDelivery,
  SandboxEnding,
  SandboxInvoice,
  SandboxWithdrawal,
} from './types.ts';
import type { World } from './world.ts';

const fail = configurationFail();

/** The sandbox as a fetch. It takes the same arguments as the fetch of the platform. */
export type SandboxFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A local Merchant Invoicing Service, with its state in memory.
 *
 * `ident` is the `external_id` of the merchant or the uuid of the service. Functions that end an invoice resolve after
 * the first attempt of its webhook, to the invoice and what became of that webhook. A webhook that was refused or had
 * no address is also reported in one line on the console, once for each cause, unless the option `quiet` is true.
 * Functions throw a ConfigurationError (`SDK_CONFIGURATION`) for an invoice or a withdrawal that the sandbox does not
 * have, and for one whose final status does not allow the change. Every method can be passed alone:
 * `fetch: sandbox.fetch`.
 *
 * @example
 * await using sandbox = createSandbox();
 * const merchant = new MerchantClient({ apiKey: sandbox.apiKey, baseUrl: sandbox.url, fetch: sandbox.fetch });
 * await merchant.invoices.create({ external_id: 'order-1', customer_id: 'c-1', amount: '25.00', currency: 'EUR' });
 * const { delivery } = await sandbox.pay('order-1');
 * expect(delivery?.state).toBe('delivered');
 */
export interface Sandbox extends AsyncDisposable {
  /** The key that requests need in X-Api-Key: the option `apiKey`. */
  readonly apiKey: string;
  /** The secret that webhooks are signed with: the option `webhookSecret`. */
  readonly webhookSecret: string;
  /** The seed of this run. Give it to `createSandbox` to repeat the run. */
  readonly seed: number | string;
  /** How the sandbox answers where services differ. Changed by `assume()`. */
  readonly dialect: Dialect;
  /** The injected failures. */
  readonly faults: Faults;

  // Traffic: requests to the service, and what is seen of them.

  /** The service as a fetch, for the option `fetch` of a client. The host of the address does not matter. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;

  /** Base address: https://sandbox.invalid, and after `listen()` the server's. The option `url` replaces both. */
  readonly url: string;

  /**
   * Serves the sandbox over HTTP, by default on loopback and a free port.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the port is in use or the sandbox is closed.
   * @example
   * const { url } = await sandbox.listen({ port: 4010 });
   */
  listen(options?: ListenOptions): Promise<SandboxServer>;

  /** The requests, oldest first, each with the cause of its refusal. The last 2,000 events are kept. */
  requests(): RequestEntry[];

  /** Requests, changes of invoices, delivery attempts and notes, oldest first. */
  events(): SandboxEvent[];

  /** The deliveries of one invoice, or of all, newest first. */
  deliveries(ident?: string): SandboxDelivery[];

  /**
   * Sends the delivery now and waits for the attempt. If its next attempt waits, that attempt begins now.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the invoice has no delivery.
   */
  resend(ident: string): Promise<SandboxDelivery>;

  /**
   * The webhook of a final invoice as a signed Request, for a receiver without a port. It uses up the next
   * queued fault that changes a request: `wrong_signature`, `late_timestamp` or `reserialized`.
   *
   * @param url Default: the `callback_url` of the invoice, else http://localhost/webhook.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the invoice is pending.
   * @example
   * await sandbox.pay('order-1');
   * const response = await receive(await sandbox.webhookRequest('order-1'));
   */
  webhookRequest(ident: string, url?: string): Promise<Request>;

  // Time: the clock of the sandbox, on which invoices expire and webhooks are repeated.

  /** The time of the sandbox clock. */
  now(): Date;

  /**
   * Moves the clock and runs all work that falls due, in order, deliveries included.
   *
   * @param duration Milliseconds, or text such as `"6h"` or `"1h30m"`.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if it is not a duration from 0 up to 100 years.
   * @example
   * await sandbox.advance('6h');
   */
  advance(duration: number | string): Promise<void>;

  /** Stops a running clock. `advance()` still moves it. */
  freeze(): void;

  /** Lets the clock run with real time from its current time. */
  unfreeze(): void;

  /** True while only `advance()` moves the clock. */
  readonly frozen: boolean;

  /**
   * Resolves when no delivery attempt is in progress. With `quiet` it also waits for that many milliseconds of real
   * time in which no request and no attempt begins or ends, as a sign that a shop in another process has no work left.
   *
   * @example
   * await sandbox.settle({ quiet: 10 });
   */
  settle(options?: { readonly quiet?: number | undefined }): Promise<void>;

  /**
   * Restores the beginning: the `seedData`, the faults of the options, an empty log, and the time of the clock. With
   * the option `seed` the ids repeat too. Dialects that `assume()` has changed stay.
   */
  reset(): void;

  /** Ends deliveries, timers and servers. */
  close(): Promise<void>;

  /** Does the same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;

  // Orders: what the customer and the service do to an invoice, and the money that is paid out.

  /**
   * Creates an invoice, as a request to the service would.
   *
   * @param draft Amount and currency. `external_id` defaults to the next free `order-1001`, `customer_id` to
   * `customer-1`.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for a member that the service refuses, or a taken `external_id`.
   * @example
   * const { payment_url } = sandbox.create({ amount: '25.00', currency: 'EUR' });
   */
  create(draft: NewInvoice): SandboxInvoice;

  /**
   * Sets the payment method, by id or name. May be repeated while the invoice is pending.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the method does not take its currency or amount.
   */
  choose(ident: string, method: number | string): SandboxInvoice;

  /**
   * Pays the ordered amount, or another `amount`, which makes the invoice adjusted. With `late` it pays an invoice that
   * has ended unpaid. One that is still pending expires first: the clock moves to its `expires_at`.
   *
   * @param options `amount` defaults to the whole. `method` is an id or name, and defaults to the chosen one, else to
   * the first that takes the ordered amount.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if no method takes the amount, or if the invoice is paid already.
   * @example
   * const { invoice, delivery } = await sandbox.pay('order-1', { method: 'Card' });
   * await sandbox.pay('order-2', { amount: '17.00' });
   * await sandbox.pay('order-3', { late: true });
   */
  pay(ident: string, options?: Payment): Promise<SandboxEnding>;

  /** Ends the invoice as `fail`. */
  fail(ident: string): Promise<SandboxEnding>;

  /** Ends the invoice as `canceled`. */
  cancel(ident: string): Promise<SandboxEnding>;

  /** Ends the invoice as `expired` without moving the clock. */
  expire(ident: string): Promise<SandboxEnding>;

  /**
   * Corrects the amount of a paid invoice, as after a dispute. No second webhook is sent.
   *
   * @param amount Decimal text without the commission, as the ordered amount.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the invoice is not paid.
   * @example
   * await sandbox.pay('order-1');
   * await sandbox.adjust('order-1', '20.00');
   */
  adjust(ident: string, amount: string): Promise<SandboxEnding>;

  /** One invoice. */
  invoice(ident: string): SandboxInvoice;

  /** All invoices, newest first. */
  invoices(): SandboxInvoice[];

  /** The withdrawals, newest first. */
  withdrawals(): SandboxWithdrawal[];

  /** Approves a pending withdrawal, which gets a `tx_hash`. */
  approve(uuid: string): SandboxWithdrawal;

  /** Rejects a pending withdrawal. */
  reject(uuid: string, reason: string): SandboxWithdrawal;

  // Faults: `faults` breaks requests and webhooks, and a dialect answers as another service does.

  /**
   * Changes dialects from now on. What exists already is also written in the new form.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for a name or value that `docs/sandbox.md` does not list.
   * @example
   * sandbox.assume({ signatureEncoding: 'base64' });
   */
  assume(changes: { readonly [Name in keyof Dialect]?: Dialect[Name] | undefined }): Dialect;
}

/** The object of a sandbox, over its parts and what answers its requests. @internal */
export function sandboxOver(world: World, front: Front): Sandbox {
  const { settings, store, faults, clock, log } = world;
  const servers: SandboxServer[] = [];
  const shown = (invoice: InvoiceRecord): SandboxInvoice => toSandboxInvoice(world, invoice);
  const close = async (): Promise<void> => {
    world.life.abort();
    clock.close();
    await Promise.all(servers.map((server) => server.close()));
  };
  /** Ends or corrects an invoice, and returns it with what became of its webhook. */
  const ended = async (ident: string, move: (invoice: InvoiceRecord) => unknown): Promise<SandboxEnding> => {
    const invoice = find(world, ident);
    await move(invoice);
    return { invoice: shown(invoice), delivery: endingDelivery(world, invoice) };
  };
  return {
    apiKey: settings.apiKey,
    webhookSecret: settings.webhookSecret,
    seed: settings.seed,
    dialect: settings.dialect,
    faults,

    fetch: async (input, init) => front(new Request(input, init)),
    get url() {
      return world.url;
    },
    async listen(options) {
      if (world.life.signal.aborted) throw new ConfigurationError('This sandbox is closed. Create another');
      const server = await listenHttp(world, front, options);
      world.url = settings.url ?? server.url;
      servers.push(server);
      return server;
    },
    requests: () => log.requests(),
    events: () => log.all(),
    deliveries(ident) {
      const invoice = ident === undefined ? undefined : find(world, ident);
      return store.deliveries(invoice).reverse().map(toSandboxDelivery);
    },
    async resend(ident) {
      const { delivery, done } = resend(world, find(world, ident));
      await done;
      return toSandboxDelivery(delivery);
    },
    async webhookRequest(ident, url) {
      const invoice = find(world, ident);
      if (invoice.status === 'pending')
        throw new ConfigurationError(`${quoted(ident)} is pending: only a final invoice has a webhook`);
      const delivery = store.latestDelivery(invoice) ?? {
        id: invoice.uuid, // the same in each call, as in all attempts of a delivery
        body: eventBody(invoice, settings.dialect, settings.writeBody),
      };
      const target = url ?? invoice.callback_url ?? 'http://localhost/webhook';
      const fault = faults.forDelivery(invoice.external_id, REQUEST_CHANGES);
      const { headers, body, method } = await signedRequest(settings, delivery, target, settings.wallClock(), fault);
      return new Request(target, { method, headers: { ...headers }, body });
    },

    now: () => new Date(clock.now()),
    async advance(duration) {
      const milliseconds = parseDuration(duration, 'The duration to advance');
      await settleDeliveries(world);
      await clock.advance(milliseconds);
    },
    freeze: () => clock.run(false),
    unfreeze: () => clock.run(true),
    get frozen() {
      return !clock.running();
    },
    async settle(options = {}) {
      const { quiet } = readOptions('settle', options, { quiet: count({ default: 0, min: 0 }) }, fail);
      await settleDeliveries(world, quiet);
    },
    reset: () => resetWorld(world),
    close,
    [Symbol.asyncDispose]: close,

    create: (draft) => shown(createInvoice(world, draft)),
    choose(ident, method) {
      const invoice = find(world, ident);
      chooseMethod(world, invoice, method);
      return shown(invoice);
    },
    pay: (ident, options = {}) => ended(ident, (invoice) => payInvoice(world, invoice, options)),
    fail: (ident) => ended(ident, (invoice) => closeInvoice(world, invoice, 'fail', 'nothing was paid')),
    cancel: (ident) => ended(ident, (invoice) => closeInvoice(world, invoice, 'canceled', 'nothing was paid')),
    expire: (ident) => ended(ident, (invoice) => closeInvoice(world, invoice, 'expired', 'before its time')),
    adjust: (ident, amount) => ended(ident, (invoice) => adjustInvoice(world, invoice, amount)),
    invoice: (ident) => shown(find(world, ident)),
    invoices: () => store.invoices().reverse().map(shown),
    withdrawals: () => withdrawalsInOrder(world),
    approve: (uuid) => decideWithdrawal(world, uuid, null),
    reject: (uuid, reason) => decideWithdrawal(world, uuid, String(reason)),

    // The object itself changes, because every room holds it.
    assume: (changes) => Object.assign(settings.dialect, dialectFrom({ ...settings.dialect, ...changes })),
  };
}

function find({ store }: World, ident: string): InvoiceRecord {
  const invoice = store.byIdent(String(ident));
  if (invoice !== undefined) return invoice;
  const latest = store.invoices().slice(-5);
  const known = latest.map(({ external_id }) => quoted(external_id)).join(', ');
  throw new ConfigurationError(
    `No invoice ${quoted(ident)} in this sandbox. ${known ? `The latest are ${known}` : 'It has no invoices yet'}`,
  );
}

function endingDelivery({ store }: World, invoice: InvoiceRecord): EndingDelivery | null {
  const delivery = store.latestDelivery(invoice);
  if (delivery === undefined) return null;
  const { status_code: status = null, cause = null, error = null } = delivery.log.at(-1) ?? {};
  return { state: deliveryState(delivery), status, why: cause === null ? error : sentenceOf(cause) };
}
