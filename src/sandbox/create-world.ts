import type { KnownInvoiceStatus } from '../contract/types.ts';
import { ConfigurationError } from '../errors/classes.ts';
import { awaitExpiry, chooseMethod, endInvoice, openInvoice, settle } from './business/invoices.ts';
import { scheduleOutcome } from './business/magic-outcomes.ts';
import { activeCurrency } from './business/methods-and-rates.ts';
import { isAmount } from './business/money.ts';
import { announce, attempt } from './delivery/deliveries.ts';
import { parseDuration, shown } from './option-checks.ts';
import type { SeedInvoice, Settings } from './options.ts';
import { createClock } from './state/clock.ts';
import { FaultScript } from './state/faults.ts';
import { EventLog } from './state/log.ts';
import { createRandom } from './state/random.ts';
import { type DeliveryRecord, type InvoiceRecord, Store } from './state/records.ts';
import type { DeliveryState, SandboxState } from './state/saved-state.ts';
import type { World } from './world.ts';

// How a sandbox begins: with the seed data, with a saved state, or again after a reset.

/** Creates the parts of a sandbox and fills them with the seed data or a saved state. */
export function createWorld(settings: Settings): World {
  const { state } = settings;
  const start = state === null ? startOf(settings) : restartOf(settings, state);
  const world: World = {
    settings,
    clock: createClock(settings.clock, start, settings.wallClock),
    store: new Store(settings.maxInvoices),
    log: new EventLog(settings.onEvent),
    faults: new FaultScript(),
    random: createRandom(settings.seed, state?.position),
    url: settings.url ?? 'https://sandbox.invalid',
    life: new AbortController(),
    requestCount: state?.requestCount ?? 0,
    announce: (invoice) => announce(world, invoice),
  };
  queueFaults(world);
  if (state === null) seed(world, start);
  else restore(world, state);
  return world;
}

/** Ends all attempts in progress and restores the seed data. */
export function resetWorld(world: World): void {
  const { settings } = world;
  const start = startOf(settings);
  world.life.abort();
  world.life = new AbortController();
  world.clock.reset(start);
  world.store.clear();
  world.log.clear();
  world.faults.clear();
  queueFaults(world);
  if (settings.isSeedGiven) world.random = createRandom(settings.seed);
  seed(world, start);
}

function startOf(settings: Settings): number {
  return settings.now ?? settings.wallClock();
}

/** Where the clock of a restored sandbox starts: a virtual one where it stood, a real one as far ahead as it was. */
function restartOf(settings: Settings, { now, wall }: SandboxState): number {
  return settings.clock === 'virtual' ? now : settings.wallClock() + Math.max(0, now - wall);
}

function queueFaults({ settings, faults }: World): void {
  for (const { fault, ...options } of settings.faults) faults.next(fault, options);
}

/** Adds the seed data. Invoices that are final already send no webhook. */
function seed(world: World, start: number): void {
  const { store, settings } = world;
  store.withdrawals = settings.withdrawals(start);
  const created = settings.seedData.map(({ age }) => start - parseDuration(age ?? 0, 'age'));
  for (const [index, row] of settings.seedData.entries()) seedInvoice(world, row, created[index] ?? start);
  if (settings.dialect.laterVersion === 'some') seedNewStatus(world, start);
}

function seedInvoice(world: World, row: SeedInvoice, createdAt: number): void {
  const invoice = openSeeded(world, row, createdAt);
  const status = row.status ?? 'pending';
  if (status === 'pending') return;
  if (status === 'success') {
    chooseMethod(world, invoice, undefined);
    settle(world, invoice, row.paid ?? row.amount);
  }
  const finishedAt = status === 'expired' ? invoice.expiresAt : createdAt + world.settings.lifetime / 10;
  endInvoice(invoice, status, finishedAt);
}

/** Adds an invoice in a status that the interface does not list. */
function seedNewStatus(world: World, start: number): void {
  const [method] = world.settings.methods;
  if (method === undefined) return;
  const order = { external_id: 'sandbox-later-version', customer_id: 'sandbox', amount: '10.00' };
  const invoice = openSeeded(world, { ...order, currency: method.currency.code }, start - 1);
  endInvoice(invoice, 'refunded' as KnownInvoiceStatus, start); // the type holds the listed ones; this one is not
}

function openSeeded(world: World, row: SeedInvoice, createdAt: number): InvoiceRecord {
  const { external_id, customer_id, amount, purpose = null, paid } = row;
  const { callback_url = null, success_url = null, fail_url = null } = row;
  const currency = activeCurrency(world, row.currency);
  if (currency === undefined) throw new ConfigurationError(`seedData: no method serves ${shown(row.currency)}`);
  for (const text of [paid ?? amount, amount]) {
    if (!isAmount(text)) throw new ConfigurationError(`seedData: ${shown(text)} is not an amount such as "25.00"`);
  }
  if (world.store.byExternalId(external_id) !== undefined)
    throw new ConfigurationError(`seedData: ${shown(external_id)} appears twice`);
  const draft = { external_id, customer_id, amount, currency, purpose, callback_url, success_url, fail_url };
  return openInvoice(world, draft, createdAt);
}

/** Adds the content of a saved state. Work that fell due meanwhile runs as soon as the clock moves. */
function restore(world: World, state: SandboxState): void {
  world.store.withdrawals = state.withdrawals;
  for (const saved of state.invoices) {
    const invoice: InvoiceRecord = { ...saved, expiry: null };
    world.store.addInvoice(invoice);
    if (invoice.status !== 'pending') continue;
    awaitExpiry(world, invoice);
    scheduleOutcome(world, invoice);
  }
  for (const saved of state.deliveries) restoreDelivery(world, saved);
}

function restoreDelivery(world: World, saved: DeliveryState): void {
  const invoice = world.store.byUuid(saved.invoice);
  if (invoice === undefined) throw new ConfigurationError(`state: the invoice of delivery ${saved.id} is missing`);
  // An attempt in progress was lost with its process. It is made again, as a restarted service would do.
  const wasUnderWay = saved.status === 'delivering' && saved.nextRetryAt === null;
  const nextRetryAt = wasUnderWay ? world.clock.now() : saved.nextRetryAt;
  const status = wasUnderWay ? 'pending' : saved.status;
  const delivery: DeliveryRecord = { ...saved, invoice, status, nextRetryAt, retry: null, attempt: null };
  world.store.addDelivery(delivery);
  if (nextRetryAt !== null) {
    delivery.retry = world.clock.schedule(nextRetryAt, () => attempt(world, delivery, 'schedule'));
  }
}
