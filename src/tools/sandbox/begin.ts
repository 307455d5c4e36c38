// Fills the parts of a sandbox with the seed data or a saved state, resets them, and copies them into a state.
import { ConfigurationError } from '../../errors/classes.ts';
import { awaitExpiry, chooseMethod, creditPayment, endInvoice, openInvoice } from './business/invoices.ts';
import { activeCurrency, isAmount } from './business/money.ts';
import { attempt } from './delivery/deliveries.ts';
import { parseDuration, quoted } from './option-checks.ts';
import type { SeedInvoice, Settings } from './options.ts';
import { createRandom } from './state/random.ts';
import type { DeliveryRecord, InvoiceRecord } from './state/records.ts';
import { type SandboxState, VERSION } from './state/saved-state.ts';
import { createParts, startTime, type World } from './world.ts';

/** Creates the parts of a sandbox and fills them with the seed data or a saved state. */
export function createWorld(settings: Settings): World {
  const { state, wallClock } = settings;
  const world = createParts(settings);
  if (state === null) {
    seed(world);
  } else {
    queueFaults(world);
    // A virtual clock goes on where it stood, a real one as far ahead as it was.
    const { now, wall } = state;
    world.clock.reset(settings.clock === 'virtual' ? now : wallClock() + Math.max(0, now - wall));
    restore(world, state);
  }
  return world;
}

/** Ends all attempts in progress and restores the seed data. */
export function resetWorld(world: World): void {
  const { settings } = world;
  world.life.abort();
  world.life = new AbortController();
  world.clock.reset(startTime(settings));
  world.store.clear();
  world.log.clear();
  world.faults.clear();
  if (settings.isSeedGiven) world.random = createRandom(settings.seed);
  seed(world);
}

function queueFaults({ settings, faults }: World): void {
  for (const { fault, ...options } of settings.faults) faults.next(fault, options);
}

/** Adds the faults and the seed data, oldest first. Invoices that are final already send no webhook. */
function seed(world: World): void {
  const { settings, store, clock } = world;
  const start = clock.now();
  queueFaults(world);
  store.withdrawals = settings.withdrawals(start);
  const rows = settings.seedData.map((row) => ({ row, createdAt: start - parseDuration(row.age ?? 0, 'age') }));
  const [method] = settings.methods;
  if (settings.dialect.laterVersion === 'some' && method !== undefined) {
    const order = { external_id: 'sandbox-later-version', customer_id: 'sandbox', amount: '10.00' };
    const status = 'refunded' as never; // the type has the statuses of the interface, and this is another on purpose
    rows.push({ row: { ...order, currency: method.currency.code, status }, createdAt: start - settings.lifetime });
  }
  for (const { row, createdAt } of rows.sort((a, b) => a.createdAt - b.createdAt)) seedInvoice(world, row, createdAt);
}

function seedInvoice(world: World, row: SeedInvoice, createdAt: number): void {
  const { external_id, customer_id, amount, purpose = null } = row;
  const [paid, status] = [row.paid ?? amount, row.status ?? 'pending'];
  const { callback_url = null, success_url = null, fail_url = null } = row;
  const currency = activeCurrency(world, row.currency);
  if (currency === undefined) throw new ConfigurationError(`seedData: no method serves ${quoted(row.currency)}`);
  for (const text of [paid, amount]) {
    if (!isAmount(text)) throw new ConfigurationError(`seedData: ${quoted(text)} is not an amount such as "25.00"`);
  }
  if (world.store.byExternalId(external_id) !== undefined)
    throw new ConfigurationError(`seedData: ${quoted(external_id)} appears twice`);
  const draft = { external_id, customer_id, amount, currency, purpose, callback_url, success_url, fail_url };
  const invoice = openInvoice(world, draft, createdAt);
  if (status === 'pending') return;
  if (status === 'success') {
    chooseMethod(world, invoice, undefined);
    creditPayment(world, invoice, paid);
  }
  endInvoice(invoice, status, status === 'expired' ? invoice.expiresAt : createdAt + world.settings.lifetime / 10);
}

/** Copies the content of a sandbox. */
export function saveState({ store, settings, clock, random, requestCount }: World): SandboxState {
  const state: SandboxState = {
    version: VERSION,
    seed: settings.seed,
    position: random.position(),
    requestCount,
    now: clock.now(),
    wall: settings.wallClock(),
    invoices: store.invoices().map(({ expiry: _, ...invoice }) => invoice),
    deliveries: store
      .deliveries()
      .map(({ retry: _, attempt: __, invoice, ...delivery }) => ({ ...delivery, invoice: invoice.uuid })),
    withdrawals: store.withdrawals,
  };
  return structuredClone(state);
}

/** Adds the content of a saved state. Work that fell due meanwhile runs as soon as the clock moves. */
function restore(world: World, state: SandboxState): void {
  const { store, clock } = world;
  store.withdrawals = state.withdrawals;
  for (const saved of state.invoices) {
    const invoice: InvoiceRecord = { ...saved, expiry: null };
    store.addInvoice(invoice);
    if (invoice.status === 'pending') awaitExpiry(world, invoice);
  }
  for (const saved of state.deliveries) {
    const invoice = store.byUuid(saved.invoice);
    if (invoice === undefined) throw new ConfigurationError(`state: the invoice of delivery ${saved.id} is missing`);
    // An attempt in progress was lost with its process. It is made again, as a restarted service would do.
    const wasSending = saved.status === 'delivering' && saved.nextRetryAt === null;
    const again = wasSending ? ({ status: 'pending', nextRetryAt: clock.now() } as const) : {};
    const delivery: DeliveryRecord = { ...saved, ...again, invoice, retry: null, attempt: null };
    store.addDelivery(delivery);
    const { nextRetryAt } = delivery;
    if (nextRetryAt !== null) delivery.retry = clock.schedule(nextRetryAt, () => attempt(world, delivery, 'schedule'));
  }
}
