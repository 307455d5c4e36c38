import { ConfigurationError } from '../../errors/classes.ts';
import { shown } from '../option-checks.ts';
import type { SandboxMethod, SandboxRate, WireCurrency } from '../wire-types.ts';
import type { World } from '../world.ts';
import { outOfRange } from './money.ts';

/** A currency is active when a payment method serves it. */
export function activeCurrency(world: World, code: string): WireCurrency | undefined {
  return world.settings.methods.find((method) => method.currency.code === code)?.currency;
}

export function activeCurrencies(world: World): string[] {
  return [...new Set(world.settings.methods.map(({ currency }) => currency.code))];
}

export function methodsFor(world: World, currency: string): readonly SandboxMethod[] {
  return world.settings.methods.filter((method) => method.currency.code === currency);
}

/** True if one of the methods of the currency takes the amount. */
export function isPayable(world: World, amount: string, currency: string): boolean {
  return methodsFor(world, currency).some((method) => outOfRange(amount, method) === null);
}

/** The methods of a currency with their ranges, as messages show them. */
export function rangesOf(world: World, currency: string): string {
  const ranges = methodsFor(world, currency).map(
    ({ id, name, min_amount, max_amount }) => `${id} ${name} (${min_amount} to ${max_amount})`,
  );
  return ranges.join(', ') || 'none';
}

/**
 * The rates with fresh data.
 * @see [GET /api/v1/external/rates](../../../docs/service-interface.md#get-apiv1externalrates)
 */
export function freshRates(world: World): SandboxRate[] {
  return world.settings.rates.filter((rate) => rate.price !== null);
}

/** Fiat per USDT at which payments are credited: the first buying price, because the service buys USDT. */
export function settlementRate(world: World, currency: string): string {
  const rows = freshRates(world).filter((rate) => rate.fiat === currency);
  const price = (rows.find((rate) => rate.side === 'buy') ?? rows[0])?.price;
  if (price !== undefined && price !== null) return price;
  throw new ConfigurationError(`There is no fresh rate for ${currency}: give one with the option rates`);
}

/**
 * The method to pay with: the given one by id or name, the one already chosen, or the first that takes the amount.
 * @throws ConfigurationError with the list of methods.
 */
export function methodFor(
  world: World,
  invoice: { readonly amount: string; readonly currency: WireCurrency; readonly method: SandboxMethod | null },
  wanted: string | number | undefined,
): SandboxMethod {
  const all = methodsFor(world, invoice.currency.code);
  const list = rangesOf(world, invoice.currency.code);
  if (wanted === undefined) {
    const first = invoice.method ?? all.find((method) => outOfRange(invoice.amount, method) === null);
    if (first !== undefined) return first;
    throw new ConfigurationError(`No method takes ${invoice.amount} ${invoice.currency.code}. Methods: ${list}`);
  }
  const found = all.find((method) => method.id === Number(wanted)) ?? all.find((method) => method.name === wanted);
  if (found === undefined) {
    throw new ConfigurationError(`No method ${shown(wanted)} for ${invoice.currency.code}. Methods: ${list}`);
  }
  const problem = outOfRange(invoice.amount, found);
  if (problem !== null) throw new ConfigurationError(`${found.name} cannot take this invoice: ${problem}`);
  return found;
}
