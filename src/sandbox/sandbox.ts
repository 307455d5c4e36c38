import { ConfigurationError } from '../errors/classes.ts';
import type { Sandbox } from './api.ts';
import { adjustInvoice, type ClosedStatus, chooseMethod, closeInvoice, payInvoice } from './business/invoices.ts';
import { compareAmounts, isAmount } from './business/money.ts';
import { announce, mustResend, settleDeliveries } from './delivery/deliveries.ts';
import { deliveryOf } from './delivery/delivery-form.ts';
import { eventBody, eventTypeOf } from './delivery/event-payload.ts';
import { signedRequest } from './delivery/send.ts';
import { searchCause } from './delivery/why-search.ts';
import { durationFrom, shown } from './duration.ts';
import { EventLog } from './events.ts';
import { fetchInProcess } from './http/in-process.ts';
import { listenHttp, type SandboxServer } from './http/server.ts';
import { checkOptionNames, PAY_NAMES, PAY_OTHER_NAMES } from './option-names.ts';
import { type SandboxOptions, type Settings, settingsFrom } from './options.ts';
import { servePage } from './page/pages.ts';
import { createRandom } from './random.ts';
import { FaultScript } from './service/faults.ts';
import { invoiceOf } from './service/invoice-form.ts';
import { createClock } from './state/clock.ts';
import { restartOf, restore } from './state/restore.ts';
import { seed } from './state/seed.ts';
import { stateOf } from './state/state.ts';
import { type InvoiceRecord, Store } from './state/store.ts';
import type { SandboxDelivery, SandboxInvoice } from './wire-types.ts';
import type { World } from './world.ts';

const IN_PROCESS_URL = 'https://sandbox.invalid';

/** Makes a sandbox. Throws a ConfigurationError for an option it cannot use. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = settingsFrom(options);
  const world = worldFrom(settings, (exchange) => servePage(world, sandbox, exchange));
  const servers = new Set<SandboxServer>();
  const find = (ident: string): InvoiceRecord => {
    const invoice = world.store.byIdent(String(ident));
    if (invoice !== undefined) return invoice;
    const known = world.store
      .list()
      .part(0, 5, 'newest')
      .reverse()
      .map(({ external_id }) => shown(external_id))
      .join(', ');
    throw new ConfigurationError(
      `No invoice ${shown(ident)} in this sandbox; ${known ? `the latest are ${known}` : 'there are none yet'}`,
    );
  };
  const moved = async (ident: string, move: (invoice: InvoiceRecord) => Promise<void>): Promise<SandboxInvoice> => {
    const invoice = find(ident);
    await move(invoice);
    return invoiceOf(world, invoice);
  };
  const payOther =
    (sign: -1 | 1) =>
    (ident: string, amount: string, options: { method?: number | string | undefined } = {}) =>
      moved(ident, (invoice) => {
        checkOptionNames(sign < 0 ? 'underpay' : 'overpay', options, PAY_OTHER_NAMES);
        if (typeof amount === 'string' && isAmount(amount) && compareAmounts(amount, invoice.amount) !== sign) {
          throw new ConfigurationError(
            `${amount} is not ${sign < 0 ? 'less' : 'more'} than the ordered ${invoice.amount}`,
          );
        }
        return payInvoice(world, invoice, { amount, method: options.method });
      });
  const close = (status: ClosedStatus, why: string) => (ident: string) =>
    moved(ident, (invoice) => closeInvoice(world, invoice, status, why));
  const closing = {
    fail: close('fail', 'the payment failed'),
    cancel: close('canceled', 'it was canceled'),
    expire: close('expired', 'it was let expire'),
  };
  const pay: Sandbox['pay'] = (ident, options = {}) =>
    moved(ident, (invoice) => {
      checkOptionNames('pay', options, PAY_NAMES);
      return payInvoice(world, invoice, { method: options.method, amount: options.amount });
    });
  const shutDown = async (): Promise<void> => {
    world.life.abort();
    world.clock.close();
    await Promise.all([...servers].map((server) => server.close()));
    servers.clear();
  };

  const sandbox: Sandbox = {
    fetch: (input, init) => fetchInProcess(world, input, init),
    apiKey: settings.apiKey,
    webhookSecret: settings.webhookSecret,
    seed: settings.seed,
    dialect: settings.dialect,
    faults: world.faults,
    get url() {
      return world.url;
    },
    async listen(listenOptions) {
      if (world.life.signal.aborted) throw new ConfigurationError('This sandbox is closed: make another');
      const server = await listenHttp(world, listenOptions);
      world.url = settings.url ?? server.url;
      const listening: SandboxServer = {
        ...server,
        async close() {
          servers.delete(listening);
          await server.close();
        },
      };
      servers.add(listening);
      return listening;
    },
    now: () => new Date(world.clock.now()),
    async advance(duration) {
      const milliseconds = durationFrom(duration, 'The duration to advance');
      await settleDeliveries(world);
      await world.clock.advance(milliseconds);
    },
    freeze: () => world.clock.run(false),
    unfreeze: () => world.clock.run(true),
    get frozen() {
      return !world.clock.running();
    },
    settle: () => settleDeliveries(world),
    reset: () => resetWorld(world),

    choose(ident, method) {
      const invoice = find(ident);
      chooseMethod(world, invoice, method);
      return invoiceOf(world, invoice);
    },
    pay,
    underpay: payOther(-1),
    overpay: payOther(1),
    ...closing,
    async finish(ident, status) {
      const ways = { success: pay, fail: closing.fail, canceled: closing.cancel, expired: closing.expire };
      if (!Object.hasOwn(ways, status)) {
        throw new ConfigurationError(`finish takes ${Object.keys(ways).join(', ')}; got ${shown(status)}`);
      }
      return ways[status](ident);
    },
    adjust: (ident, amount) => moved(ident, (invoice) => adjustInvoice(world, invoice, amount)),

    invoice: (ident) => invoiceOf(world, find(ident)),
    invoices: () =>
      world.store
        .invoices()
        .reverse()
        .map((invoice) => invoiceOf(world, invoice)),
    deliveries: (ident) =>
      world.store
        .deliveries(ident === undefined ? undefined : find(ident))
        .reverse()
        .map(deliveryOf),
    async resend(ident): Promise<SandboxDelivery> {
      const { delivery, done } = mustResend(world, find(ident));
      await done;
      return deliveryOf(delivery);
    },
    explain: async (ident) => searchCause(world, find(ident)),
    async webhookRequest(ident, url) {
      const invoice = find(ident);
      if (invoice.status === 'pending')
        throw new ConfigurationError(`${shown(ident)} is pending: only a final invoice has a webhook`);
      const delivery = world.store.deliveries(invoice).at(-1) ?? {
        id: world.random.uuid(),
        body: eventBody(invoice, settings.dialect),
        eventType: eventTypeOf(invoice),
      };
      const stamp = settings.deliveryTimestamp === 'wall' ? settings.wallClock() : world.clock.now();
      const target = url ?? invoice.callback_url ?? 'http://localhost/webhook';
      const { headers, body, method } = await signedRequest(world, delivery, target, stamp, world.faults.forDelivery());
      return new Request(target, { method, headers: { ...headers }, body });
    },
    state: () => stateOf(world),
    requests: () => world.log.requests(),
    events: () => world.log.all(),
    close: shutDown,
    [Symbol.asyncDispose]: shutDown,
  };
  return sandbox;
}

function startOf(settings: Settings): number {
  return settings.start ?? settings.wallClock();
}

function worldFrom(settings: Settings, pages: World['pages']): World {
  const start = settings.state === null ? startOf(settings) : restartOf(settings, settings.state);
  const world: World = {
    settings,
    clock: createClock(settings.clock, start, settings.wallClock),
    store: new Store(settings.maxInvoices),
    log: new EventLog(settings.onEvent),
    faults: new FaultScript(),
    random: createRandom(settings.seed, settings.state?.position),
    url: settings.url ?? IN_PROCESS_URL,
    life: new AbortController(),
    requestCount: settings.state?.requestCount ?? 0,
    pages,
    announce: (invoice) => announce(world, invoice),
  };
  for (const { fault, ...rest } of settings.faults) world.faults.next(fault, rest);
  if (settings.state === null) seed(world, start);
  else restore(world, settings.state);
  return world;
}

function resetWorld(world: World): void {
  const { settings } = world;
  const start = startOf(settings);
  world.life.abort();
  world.life = new AbortController();
  world.clock.reset(start);
  world.store.clear();
  world.log.clear();
  world.faults.clear();
  for (const { fault, ...rest } of settings.faults) world.faults.next(fault, rest);
  if (settings.seedGiven) world.random = createRandom(settings.seed);
  seed(world, start);
}
