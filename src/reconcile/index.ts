/**
 * Compares the orders of a shop with the invoices of the service. Needs a client, and loads neither it nor the sandbox.
 *
 * Only a major version breaks its types and findings, before 1.0 a minor one. A minor version may change its texts:
 * [versions](../../docs/go-live.md#versions).
 *
 * @module merchant-invoicing/reconcile
 */
// This room takes from the contract only files without zod: the entry must not load it.

export type { KnownInvoiceStatus } from '../contract/types.ts';
export { Decimal } from '../contract/values/decimal.ts';
export { reconcile } from './reconcile.ts';
export type {
  Advice,
  CurrencySummary,
  Finding,
  FindingKind,
  FindingMoney,
  FoundInvoice,
  FoundOrder,
  NotCompared,
  NotComparedReason,
  OrderState,
  ReconcileClient,
  ReconcileInvoice,
  ReconcileOptions,
  ReconcileOrder,
  ReconcileSummary,
  Reconciliation,
  UnreadableOrder,
} from './types.ts';
