/**
 * A day of customers over a shop's own code, with everything that goes wrong between a shop and a payment service. For
 * the tests of a merchant. Loads the sandbox, and no client.
 *
 * A minor version may change this entry, with a line in the changelog: [versions](../../../docs/go-live.md#versions).
 *
 * @module merchant-invoicing/storm
 */

export type {
  StormCheckout,
  StormCustomer,
  StormFulfilment,
  StormNetwork,
  StormOptions,
  StormOrder,
  StormService,
  StormSettings,
  StormShop,
  StormTerms,
  StormWebhook,
  StormWeights,
} from './options.ts';
export type { StormFinding, StormMoney, StormResult } from './result.ts';
export { storm } from './storm.ts';
export type { StormFindingKind, StormMistake } from './words.ts';
