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
  ReconcileCallOptions,
  ReconcileClient,
  ReconcileListOptions,
  ReconcileQuery,
} from './client.ts';
export type {
  AmountValues,
  Finding,
  FindingFacts,
  FindingKind,
  FindingValues,
  FoundInvoice,
  FoundOrder,
  NotCompared,
  NotComparedReason,
  OrderState,
} from './findings.ts';
export type { Instant, Orders, ReconcileOptions, ReconcileProgress } from './options.ts';
export type { ReconcileInvoice } from './read/invoice-row.ts';
export type { ReconcileOrder } from './read/order-row.ts';
export { type Reconciliation, reconcile } from './reconcile.ts';
export type { CurrencySummary, ReconcileSummary } from './summary.ts';
