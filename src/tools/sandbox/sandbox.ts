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
 * What a sandbox works on. Kept outside of the class, so that its type has no private member and is one in both forms.
 */
interface Inside {
  readonly world: World;
  readonly front: Front;
  readonly servers: SandboxServer[];
}
const INSIDES = new WeakMap<LocalSandbox, Inside>();

/** What one sandbox works on. */
function inside(sandbox: LocalSandbox): Inside {
  return INSIDES.get(sandbox) ?? fail('this is not a sandbox');
}

function worldOf(sandbox: LocalSandbox): World {
  return inside(sandbox).world;
}

/**
 * A local Merchant Invoicing Service, with its state in memory.
 *
 * `ident` is the `external_id` of the merchant or the uuid of the service. Functions that end an invoice resolve after
 * the first attempt of its webhook, to the invoice and what became of that webhook. A webhook that was refused or had
 * no address is also reported in one line on the console, once for each cause, unless the option `quiet` is true.
 * Functions throw a ConfigurationError (`SDK_CONFIGURATION`) for an invoice or a withdrawal that the sandbox does not
 * have, and for one whose final status does not allow the change. Every method is bound, so it can be passed alone:
 * `fetch: sandbox.fetch`.
 *
 * @example
 * await using sandbox = createSandbox();
 * const merchant = new MerchantClient({ apiKey: sandbox.apiKey, baseUrl: sandbox.url, fetch: sandbox.fetch });
 * await merchant.invoices.create({ external_id: 'order-1', customer_id: 'c-1', amount: '25.00', currency: 'EUR' });
 * const { delivery } = await sandbox.pay('order-1');
 * expect(delivery?.state).toBe('delivered');
 */
export interface Sandbox extends LocalSandbox {}

/** The methods of a {@link Sandbox}, which is exported as a type alone. */
export class LocalSandbox implements AsyncDisposable {
  /** The key that requests need in X-Api-Key: the option `apiKey`. */
  readonly apiKey: string;
  /** The secret that webhooks are signed with: the option `webhookSecret`. */
  readonly webhookSecret: string;
  /** The seed of this run. Give it to `createSandbox` to repeat the run. */
  readonly seed: number | string;
  /** How it fills in what the interface leaves open. Changed by `assume()`. */
  readonly dialect: Dialect;
  /** The injected failures. */
  readonly faults: Faults;

  /** @internal */
  constructor(world: World, front: Front) {
    INSIDES.set(this, { world, front, servers: [] });
    const { apiKey, webhookSecret, seed, dialect } = world.settings;
    this.apiKey = apiKey;
    this.webhookSecret = webhookSecret;
    this.seed = seed;
    this.dialect = dialect;
    this.faults = world.faults;
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(LocalSandbox.prototype))) {
      if (typeof value === 'function' && name !== 'constructor')
        Object.defineProperty(this, name, { value: value.bind(this), enumerable: true });
    }
  }

  // Traffic: requests to the service, and what is seen of them.

  /** The service as a fetch, for the option `fetch` of a client. The host of the address does not matter. */
  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    return inside(this).front(new Request(input, init));
  }

  /** Base address: https://sandbox.invalid, and after `listen()` the server's. The option `url` replaces both. */
  get url(): string {
    return worldOf(this).url;
  }

  /**
   * Serves the sandbox over HTTP, by default on loopback and a free port.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the port is in use or the sandbox is closed.
   * @example
   * const { url } = await sandbox.listen({ port: 4010 });
   */
  async listen(options?: ListenOptions): Promise<SandboxServer> {
    const { world, front, servers } = inside(this);
    if (world.life.signal.aborted) throw new ConfigurationError('This sandbox is closed. Create another');
    const server = await listenHttp(world, front, options);
    world.url = world.settings.url ?? server.url;
    servers.push(server);
    return server;
  }

  /** The requests, oldest first, each with the cause of its refusal. The last 2,000 events are kept. */
  requests(): RequestEntry[] {
    return worldOf(this).log.requests();
  }

  /** Requests, changes of invoices, delivery attempts and notes, oldest first. */
  events(): SandboxEvent[] {
    return worldOf(this).log.all();
  }

  /** The deliveries of one invoice, or of all, newest first. */
  deliveries(ident?: string): SandboxDelivery[] {
    const world = worldOf(this);
    const invoice = ident === undefined ? undefined : find(world, ident);
    return world.store.deliveries(invoice).reverse().map(toSandboxDelivery);
  }

  /**
   * Sends the delivery now and waits for the attempt. A queued one is expedited.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the invoice has no delivery.
   */
  async resend(ident: string): Promise<SandboxDelivery> {
    const world = worldOf(this);
    const { delivery, done } = resend(world, find(world, ident));
    await done;
    return toSandboxDelivery(delivery);
  }

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
  async webhookRequest(ident: string, url?: string): Promise<Request> {
    const world = worldOf(this);
    const { settings } = world;
    const invoice = find(world, ident);
    if (invoice.status === 'pending')
      throw new ConfigurationError(`${quoted(ident)} is pending: only a final invoice has a webhook`);
    const delivery = world.store.latestDelivery(invoice) ?? {
      id: invoice.uuid, // the same in each call, as in all attempts of a delivery
      body: eventBody(invoice, settings.dialect, settings.writeBody),
    };
    const target = url ?? invoice.callback_url ?? 'http://localhost/webhook';
    const fault = world.faults.forDelivery(invoice.external_id, REQUEST_CHANGES);
    const { headers, body, method } = await signedRequest(settings, delivery, target, settings.wallClock(), fault);
    return new Request(target, { method, headers: { ...headers }, body });
  }

  // Time: the clock of the sandbox, on which invoices expire and webhooks are repeated.

  /** The time of the sandbox clock. */
  now(): Date {
    return new Date(worldOf(this).clock.now());
  }

  /**
   * Moves the clock and runs all work that falls due, in order, deliveries included.
   *
   * @param duration Milliseconds, or text such as `"6h"` or `"1h30m"`.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if it is not a duration from 0 up to 100 years.
   * @example
   * await sandbox.advance('6h');
   */
  async advance(duration: number | string): Promise<void> {
    const world = worldOf(this);
    const milliseconds = parseDuration(duration, 'The duration to advance');
    await settleDeliveries(world);
    await world.clock.advance(milliseconds);
  }

  /** Stops a running clock. `advance()` still moves it. */
  freeze(): void {
    worldOf(this).clock.run(false);
  }

  /** Lets the clock run with real time from its current time. */
  unfreeze(): void {
    worldOf(this).clock.run(true);
  }

  /** True while only `advance()` moves the clock. */
  get frozen(): boolean {
    return !worldOf(this).clock.running();
  }

  /**
   * Resolves when no delivery attempt is in progress. With `quiet` it also waits for that many milliseconds of real
   * time in which no request and no attempt begins or ends, as a sign that a shop in another process has no work left.
   *
   * @example
   * await sandbox.settle({ quiet: 10 });
   */
  async settle(options: { readonly quiet?: number | undefined } = {}): Promise<void> {
    const { quiet } = readOptions('settle', options, { quiet: count({ default: 0, min: 0 }) }, fail);
    await settleDeliveries(worldOf(this), quiet);
  }

  /**
   * Restores the beginning: the `seedData`, the faults of the options, an empty log, and the time of the clock. With
   * the option `seed` the ids repeat too. Dialects that `assume()` has changed stay.
   */
  reset(): void {
    resetWorld(worldOf(this));
  }

  /** Ends deliveries, timers and servers. */
  async close(): Promise<void> {
    const { world, servers } = inside(this);
    world.life.abort();
    world.clock.close();
    await Promise.all(servers.map((server) => server.close()));
  }

  /** Does the same as `close()`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

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
  create(draft: NewInvoice): SandboxInvoice {
    const world = worldOf(this);
    return toSandboxInvoice(world, createInvoice(world, draft));
  }

  /**
   * Sets the payment method, by id or name. May be repeated while the invoice is pending.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the method does not take its currency or amount.
   */
  choose(ident: string, method: number | string): SandboxInvoice {
    const world = worldOf(this);
    const invoice = find(world, ident);
    chooseMethod(world, invoice, method);
    return toSandboxInvoice(world, invoice);
  }

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
  pay(ident: string, options: Payment = {}): Promise<SandboxEnding> {
    return ended(this, ident, (world, invoice) => payInvoice(world, invoice, options));
  }

  /** Ends the invoice as `fail`. */
  fail(ident: string): Promise<SandboxEnding> {
    return ended(this, ident, (world, invoice) => closeInvoice(world, invoice, 'fail', 'the payment failed'));
  }

  /** Ends the invoice as `canceled`. */
  cancel(ident: string): Promise<SandboxEnding> {
    return ended(this, ident, (world, invoice) => closeInvoice(world, invoice, 'canceled', 'it was canceled'));
  }

  /** Ends the invoice as `expired` without moving the clock. */
  expire(ident: string): Promise<SandboxEnding> {
    return ended(this, ident, (world, invoice) => closeInvoice(world, invoice, 'expired', 'it expired early'));
  }

  /**
   * Corrects the amount of a paid invoice, as after a dispute. No second webhook is sent.
   *
   * @param amount Decimal text without the commission, as the ordered amount.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the invoice is not paid.
   * @example
   * await sandbox.pay('order-1');
   * await sandbox.adjust('order-1', '20.00');
   */
  adjust(ident: string, amount: string): Promise<SandboxEnding> {
    return ended(this, ident, async (world, invoice) => adjustInvoice(world, invoice, amount));
  }

  /** One invoice. */
  invoice(ident: string): SandboxInvoice {
    const world = worldOf(this);
    return toSandboxInvoice(world, find(world, ident));
  }

  /** All invoices, newest first. */
  invoices(): SandboxInvoice[] {
    const world = worldOf(this);
    const rows = world.store.invoices().reverse();
    return rows.map((invoice) => toSandboxInvoice(world, invoice));
  }

  /** The withdrawals, newest first. */
  withdrawals(): SandboxWithdrawal[] {
    return withdrawalsInOrder(worldOf(this));
  }

  /** Approves a pending withdrawal, which gets a `tx_hash`. */
  approve(uuid: string): SandboxWithdrawal {
    return decideWithdrawal(worldOf(this), uuid, null);
  }

  /** Rejects a pending withdrawal. */
  reject(uuid: string, reason: string): SandboxWithdrawal {
    return decideWithdrawal(worldOf(this), uuid, String(reason));
  }

  // Faults: `faults` breaks requests and webhooks, and a dialect answers as another service does.

  /**
   * Changes dialects from now on. What exists already is also written in the new form.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for a name or value that `docs/sandbox.md` does not list.
   * @example
   * sandbox.assume({ signatureEncoding: 'base64' });
   */
  assume(changes: { readonly [Name in keyof Dialect]?: Dialect[Name] | undefined }): Dialect {
    // The object itself changes, because every room holds it.
    return Object.assign(this.dialect, dialectFrom({ ...this.dialect, ...changes }));
  }
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

/** Ends or corrects an invoice, and returns it with what became of its webhook. */
async function ended(
  sandbox: LocalSandbox,
  ident: string,
  move: (world: World, invoice: InvoiceRecord) => Promise<void>,
): Promise<SandboxEnding> {
  const world = worldOf(sandbox);
  const invoice = find(world, ident);
  await move(world, invoice);
  return { invoice: toSandboxInvoice(world, invoice), delivery: endingDelivery(world, invoice) };
}

function endingDelivery({ store }: World, invoice: InvoiceRecord): EndingDelivery | null {
  const delivery = store.latestDelivery(invoice);
  if (delivery === undefined) return null;
  const { status_code: status = null, cause = null, error = null } = delivery.log.at(-1) ?? {};
  return { state: deliveryState(delivery), status, why: cause === null ? error : sentenceOf(cause) };
}
