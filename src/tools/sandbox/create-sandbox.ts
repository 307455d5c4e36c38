import { checkOptions, readCount } from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { type Perform, runAction } from './actions.ts';
import { createWorld, resetWorld, saveState } from './begin.ts';
import {
  adjustInvoice,
  type ClosedStatus,
  chooseMethod,
  closeInvoice,
  payInvoice,
  payOtherAmount,
} from './business/invoices.ts';
import { decideWithdrawal, withdrawalsInOrder } from './business/withdrawals.ts';
import { deliveryState, resend, settleDeliveries } from './delivery/deliveries.ts';
import { sentenceOf } from './delivery/diagnose.ts';
import { eventBody, REQUEST_CHANGES, signedRequest } from './delivery/webhook-request.ts';
import { dialectFrom } from './dialects.ts';
import { createFront } from './http/dispatch.ts';
import { listenHttp, type SandboxServer } from './http/server.ts';
import { fail, parseDuration, quoted } from './option-checks.ts';
import { type Internals, readSettings, type SandboxOptions } from './options.ts';
import { servePage } from './page/pages.ts';
import type { Sandbox } from './sandbox.ts';
import { createInvoice } from './service/handlers.ts';
import { toSandboxDelivery, toSandboxInvoice } from './service/write-resources.ts';
import type { InvoiceRecord } from './state/records.ts';
import type { EndingDelivery, Payment, SandboxDelivery, SandboxEnding } from './wire-types.ts';

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
  return createSandboxWith(options, {});
}

/** {@link createSandbox} with a replaced clock and timer of the machine, for tests and for `storm`. @internal */
export function createSandboxWith(options: SandboxOptions, internals: Internals): Sandbox {
  const settings = readSettings(options, internals);
  const world = createWorld(settings);
  const perform: Perform = (name, values) => runAction(sandbox, name, values);
  const front = createFront(world, (incoming) => servePage(world, perform, incoming));
  const servers: SandboxServer[] = [];
  const find = (ident: string): InvoiceRecord => {
    const invoice = world.store.byIdent(String(ident));
    if (invoice !== undefined) return invoice;
    const latest = world.store.invoices().slice(-5);
    const known = latest.map(({ external_id }) => quoted(external_id)).join(', ');
    throw new ConfigurationError(
      `No invoice ${quoted(ident)} in this sandbox. ${known ? `The latest are ${known}` : 'It has no invoices yet'}`,
    );
  };
  const moved = async (ident: string, move: (invoice: InvoiceRecord) => Promise<void>): Promise<SandboxEnding> => {
    const invoice = find(ident);
    await move(invoice);
    return { invoice: toSandboxInvoice(world, invoice), delivery: deliveryOf(invoice) };
  };
  const deliveryOf = (invoice: InvoiceRecord): EndingDelivery | null => {
    const delivery = world.store.latestDelivery(invoice);
    if (delivery === undefined) return null;
    const { status_code: status = null, cause = null, error = null, success = false } = delivery.log.at(-1) ?? {};
    const why = success || error === null ? null : cause === null ? error : sentenceOf(cause);
    return { state: deliveryState(delivery), status, why };
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
  const endings = {
    success: (ident: string, options: Payment = {}) =>
      moved(ident, (invoice) => {
        checkOptions('pay', options, new Set(['method', 'amount', 'late']), fail);
        return payInvoice(world, invoice, options);
      }),
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
    fetch: async (input, init) => front(new Request(input, init)),
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
    async settle(settleOptions = {}) {
      checkOptions('settle', settleOptions, new Set(['quiet']), fail);
      const quiet = readCount('quiet', settleOptions.quiet, { byDefault: 0, min: 0 }, fail);
      await settleDeliveries(world, quiet);
    },
    reset: () => resetWorld(world),

    create: (draft) => toSandboxInvoice(world, createInvoice(world, draft)),
    withdrawals: () => withdrawalsInOrder(world),
    approve: (uuid) => decideWithdrawal(world, uuid, null),
    reject: (uuid, reason) => decideWithdrawal(world, uuid, String(reason)),
    assume(changes) {
      // The object itself changes, because every room holds it.
      return Object.assign(settings.dialect, dialectFrom({ ...settings.dialect, ...changes }));
    },

    choose(ident, method) {
      const invoice = find(ident);
      chooseMethod(world, invoice, method);
      return toSandboxInvoice(world, invoice);
    },
    pay: endings.success,
    underpay: payOther('underpay'),
    overpay: payOther('overpay'),
    fail: endings.fail,
    cancel: endings.canceled,
    expire: endings.expired,
    async finish(ident, status) {
      if (Object.hasOwn(endings, status)) return endings[status](ident);
      return fail(`finish takes ${Object.keys(endings).join(', ')}, not ${quoted(status)}`);
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
      const { delivery, done } = resend(world, find(ident));
      await done;
      return toSandboxDelivery(delivery);
    },
    async webhookRequest(ident, url) {
      const invoice = find(ident);
      if (invoice.status === 'pending')
        throw new ConfigurationError(`${quoted(ident)} is pending: only a final invoice has a webhook`);
      const delivery = world.store.latestDelivery(invoice) ?? {
        id: invoice.uuid, // the same in each call, as in all attempts of a delivery
        body: eventBody(invoice, settings.dialect),
      };
      const target = url ?? invoice.callback_url ?? 'http://localhost/webhook';
      const fault = world.faults.forDelivery(invoice.external_id, REQUEST_CHANGES);
      const { headers, body, method } = await signedRequest(settings, delivery, target, settings.wallClock(), fault);
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
