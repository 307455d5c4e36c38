import { checkOptions } from '../checks.ts';
import { ConfigurationError } from '../errors/classes.ts';
import type { Sandbox } from './api.ts';
import {
  adjustInvoice,
  type ClosedStatus,
  chooseMethod,
  closeInvoice,
  payInvoice,
  payOtherAmount,
} from './business/invoices.ts';
import { decideWithdrawal } from './business/withdrawals.ts';
import { createWorld, resetWorld } from './create-world.ts';
import { searchCause } from './delivery/cause-search.ts';
import { resendOrThrow, settleDeliveries, stampNow } from './delivery/deliveries.ts';
import { eventBody, eventTypeOf } from './delivery/event-payload.ts';
import { signedRequest } from './delivery/signed-request.ts';
import { toSandboxDelivery } from './delivery/write-delivery.ts';
import { dialectFrom } from './dialects.ts';
import { createFront } from './http/dispatch.ts';
import { fetchInProcess } from './http/in-process.ts';
import { listenHttp, type SandboxServer } from './http/server.ts';
import { fail, parseDuration, shown } from './option-checks.ts';
import type { SandboxOptions } from './options.ts';
import { readSettings } from './options.ts';
import { servePage } from './page/pages.ts';
import { createInvoice } from './service/handlers.ts';
import { toSandboxInvoice, withdrawalsInOrder } from './service/write-resources.ts';
import type { InvoiceRecord } from './state/records.ts';
import { saveState } from './state/saved-state.ts';
import type { SandboxDelivery, SandboxInvoice } from './wire-types.ts';

/**
 * Creates a sandbox: a local Merchant Invoicing Service for tests and development.
 *
 * @param options All optional. `createSandbox()` works without any.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option.
 * @example
 * const sandbox = createSandbox();
 * const merchant = new MerchantClient({ apiKey: sandbox.apiKey, baseUrl: sandbox.url, fetch: sandbox.fetch });
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = readSettings(options);
  const world = createWorld(settings);
  const front = createFront(world, (exchange) => servePage(world, sandbox, exchange));
  const servers: SandboxServer[] = [];
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
      `No invoice ${shown(ident)} in this sandbox. ${known ? `The latest are ${known}` : 'It has no invoices yet'}`,
    );
  };
  const moved = async (ident: string, move: (invoice: InvoiceRecord) => Promise<void>): Promise<SandboxInvoice> => {
    const invoice = find(ident);
    await move(invoice);
    return toSandboxInvoice(world, invoice);
  };
  const payOther =
    (kind: 'underpay' | 'overpay') =>
    (ident: string, amount: string, options: { method?: number | string } = {}) =>
      moved(ident, (invoice) => {
        checkOptions(kind, options, new Set(['method']), fail);
        return payOtherAmount(world, invoice, kind, { amount, method: options.method });
      });
  const close = (status: ClosedStatus, why: string) => (ident: string) =>
    moved(ident, (invoice) => closeInvoice(world, invoice, status, why));
  const pay: Sandbox['pay'] = (ident, options = {}) =>
    moved(ident, (invoice) => {
      checkOptions('pay', options, new Set(['method', 'amount']), fail);
      return payInvoice(world, invoice, { method: options.method, amount: options.amount });
    });
  const endings = {
    success: pay,
    fail: close('fail', 'the payment failed'),
    canceled: close('canceled', 'it was canceled'),
    expired: close('expired', 'it expired early'),
  };
  const shutDown = async (): Promise<void> => {
    world.life.abort();
    world.clock.close();
    await Promise.all(servers.map((server) => server.close()));
  };

  const sandbox: Sandbox = {
    fetch: (input, init) => fetchInProcess(world, front, input, init),
    apiKey: settings.apiKey,
    webhookSecret: settings.webhookSecret,
    seed: settings.seed,
    dialect: settings.dialect,
    faults: world.faults,
    get url() {
      return world.url;
    },
    async listen(listenOptions) {
      if (world.life.signal.aborted) throw new ConfigurationError('This sandbox is closed. Create another');
      const server = await listenHttp(world, front, listenOptions);
      world.url = settings.url ?? server.url;
      servers.push(server);
      return server;
    },
    now: () => new Date(world.clock.now()),
    async advance(duration) {
      const milliseconds = parseDuration(duration, 'The duration to advance');
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

    create: (draft) => toSandboxInvoice(world, createInvoice(world, draft)),
    withdrawals: () => withdrawalsInOrder(world),
    approve: (uuid) => decideWithdrawal(world, uuid, { status: 'approved' }),
    reject: (uuid, reason) => decideWithdrawal(world, uuid, { status: 'rejected', reason: String(reason) }),
    assume(changes) {
      // Each request reads the object anew.
      return Object.assign(settings.dialect, dialectFrom({ ...settings.dialect, ...changes }));
    },

    choose(ident, method) {
      const invoice = find(ident);
      chooseMethod(world, invoice, method);
      return toSandboxInvoice(world, invoice);
    },
    pay,
    underpay: payOther('underpay'),
    overpay: payOther('overpay'),
    fail: endings.fail,
    cancel: endings.canceled,
    expire: endings.expired,
    async finish(ident, status) {
      if (Object.hasOwn(endings, status)) return endings[status](ident);
      throw new ConfigurationError(`finish takes ${Object.keys(endings).join(', ')}, not ${shown(status)}`);
    },
    adjust: (ident, amount) => moved(ident, (invoice) => adjustInvoice(world, invoice, amount)),

    invoice: (ident) => toSandboxInvoice(world, find(ident)),
    invoices: () =>
      world.store
        .invoices()
        .reverse()
        .map((invoice) => toSandboxInvoice(world, invoice)),
    deliveries: (ident) =>
      world.store
        .deliveries(ident === undefined ? undefined : find(ident))
        .reverse()
        .map(toSandboxDelivery),
    async resend(ident): Promise<SandboxDelivery> {
      const { delivery, done } = resendOrThrow(world, find(ident));
      await done;
      return toSandboxDelivery(delivery);
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
      const target = url ?? invoice.callback_url ?? 'http://localhost/webhook';
      const fault = world.faults.forDelivery();
      const { headers, body, method } = await signedRequest(settings, delivery, target, stampNow(world), fault);
      return new Request(target, { method, headers: { ...headers }, body });
    },
    state: () => saveState(world),
    requests: () => world.log.requests(),
    events: () => world.log.all(),
    close: shutDown,
    [Symbol.asyncDispose]: shutDown,
  };
  return sandbox;
}
