import type { KnownInvoiceStatus, KnownWithdrawalStatus } from '../../contract/types.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { activeCurrency } from '../business/catalogue.ts';
import { chooseMethod, type InvoiceDraft, openInvoice, settle } from '../business/invoices.ts';
import { isAmount } from '../business/money.ts';
import { durationFrom, shown } from '../duration.ts';
import type { SeedInvoice } from '../options.ts';
import type { World } from '../world.ts';

/** Fills a fresh world. Invoices that are final already send no webhook. */
export function seed(world: World, start: number): void {
  world.store.withdrawals = world.settings.withdrawals(start);
  const rows = (world.settings.seedData.invoices ?? []).map((row) => ({
    row,
    createdAt: start - durationFrom(row.age ?? 0, 'age'),
  }));
  for (const { row, createdAt } of rows) plant(world, row, createdAt);
  if (world.settings.dialect.newWords === 'some') plantNewWords(world, start);
}

/** An invoice and a withdrawal in states that the interface does not list. */
function plantNewWords(world: World, start: number): void {
  const { store, settings } = world;
  const [newest] = store.withdrawals;
  const uuid = '5eed0000-0000-4000-8000-0000000000ff';
  // The types hold the words that are listed. This is one that is not, on purpose.
  const [refunded, onHold] = ['refunded', 'on_hold'] as unknown as [KnownInvoiceStatus, KnownWithdrawalStatus];
  if (newest !== undefined) store.withdrawals = [...store.withdrawals, { ...newest, uuid, status: onHold }];
  const [method] = settings.methods;
  if (method === undefined) return;
  const order = { external_id: 'sandbox-new-words', customer_id: 'sandbox', amount: '10.00' };
  const invoice = openInvoice(world, draftOf(world, { ...order, currency: method.currency.code }), start - 1);
  invoice.expiry?.cancel();
  invoice.expiry = null;
  store.setStatus(invoice, refunded);
  invoice.finishedAt = start;
}

function plant(world: World, row: SeedInvoice, createdAt: number): void {
  const invoice = openInvoice(world, draftOf(world, row), createdAt);
  const { status = 'pending', paid = row.amount } = row;
  if (status === 'pending') return;
  if (status === 'success') {
    chooseMethod(world, invoice, undefined);
    settle(world, invoice, paid);
  }
  invoice.expiry?.cancel();
  invoice.expiry = null;
  world.store.setStatus(invoice, status);
  invoice.finishedAt = status === 'expired' ? invoice.expiresAt : createdAt + world.settings.lifetime / 10;
}

function draftOf(world: World, row: SeedInvoice): InvoiceDraft {
  const {
    external_id,
    customer_id,
    amount,
    purpose = null,
    callback_url = null,
    success_url = null,
    fail_url = null,
  } = row;
  const currency = activeCurrency(world, row.currency);
  if (currency === undefined) throw new ConfigurationError(`seedData: no method serves ${shown(row.currency)}`);
  if (!isAmount(row.paid ?? amount))
    throw new ConfigurationError(`seedData: ${shown(row.paid)} is not an amount such as "25.00"`);
  if (!isAmount(amount)) throw new ConfigurationError(`seedData: ${shown(amount)} is not an amount such as "25.00"`);
  if (world.store.byExternalId(external_id) !== undefined)
    throw new ConfigurationError(`seedData: ${shown(external_id)} is there twice`);
  return { external_id, customer_id, amount, currency, purpose, callback_url, success_url, fail_url };
}
