/**
 * Compares the orders of a shop with the invoices of the service. Needs a client, and loads neither it nor the sandbox.
 *
 * @packageDocumentation
 */
// The entry `merchant-invoicing/reconcile`. This room takes from the contract only files without zod.
export type { Callback } from '../checks.ts';
export type { KnownInvoiceStatus } from '../contract/types.ts';
export { Decimal } from '../contract/values/decimal.ts';
export type {
  Finding,
  FindingKind,
  FoundInvoice,
  FoundOrder,
  OrderState,
  ReconcileInvoice,
  ReconcileOrder,
  UnreadableOrder,
} from './compare.ts';
export {
  type CurrencySummary,
  type NotCompared,
  type NotComparedReason,
  type ReconcileClient,
  type ReconcileOptions,
  type ReconcileProgress,
  type ReconcileSummary,
  type Reconciliation,
  reconcile,
} from './reconcile.ts';
