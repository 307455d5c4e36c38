// Fills the parts of a sandbox with the seed data, and resets them.
import { quoted } from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { chooseMethod, creditPayment, endInvoice, openInvoice } from './business/invoices.ts';
import { activeCurrency, isAmount } from './business/money.ts';
import { parseDuration } from './duration.ts';
import type { SeedInvoice, Settings } from './sandbox-options.ts';
import { createRandom } from './state/random.ts';
import { createParts, startTime, type World } from './world.ts';

/** Creates the parts of a sandbox and fills them with the seed data. */
export function createWorld(settings: Settings): World {
  const world = createParts(settings);
  seed(world);
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

/** Adds the faults and the seed data, oldest first. Invoices that are final already send no webhook. */
function seed(world: World): void {
  const { settings, store, clock } = world;
  const start = clock.now();
  for (const { fault, ...options } of settings.faults) world.faults.next(fault, options);
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
