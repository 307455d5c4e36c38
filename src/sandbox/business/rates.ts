import { wireForm } from '../dialect/wire-form.ts';
import type { World } from '../world.ts';
import { freshRates } from './catalogue.ts';

/**
 * The rates as the service answers them.
 * @see [GET /api/v1/external/rates](../../../docs/service-interface.md#get-apiv1externalrates)
 */
export function wireRates(world: World): object[] {
  const { dialect, rates } = world.settings;
  const rows = dialect.staleRates === 'omitted' ? freshRates(world) : rates;
  const [first] = rows;
  const all = dialect.newWords === 'some' && first !== undefined ? [...rows, { ...first, side: 'mid' }] : rows;
  return all.map((rate) => {
    const { min_amount, max_amount, ...rest } = wireForm(
      dialect,
      rate,
      dialect.staleRates === 'absent' ? 'absent' : 'null',
    );
    if (dialect.rateLimits === 'absent') return rest;
    return dialect.rateLimits === 'null'
      ? { ...rest, min_amount: null, max_amount: null }
      : { ...rest, min_amount, max_amount };
  });
}
