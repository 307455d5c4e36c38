/**
 * The sandbox: a local Merchant Invoicing Service for tests and development, in this process or over HTTP.
 *
 * @packageDocumentation
 */
// Its rooms: state/ (what is kept), delivery/ (webhooks), business/ (how invoices move), service/ (the API), page/, and http/,
// which hands each request to one of the two. world.ts holds the parts of one sandbox and sandbox.ts the functions on them;
// actions.ts declares what pages and command line can do, dialects.ts what the interface leaves open.
export type { Callback } from '../checks.ts';
export type { ServiceOperation as FaultOperation } from '../contract/endpoint.ts';
export type { KnownDeliveryStatus, KnownEventType } from '../contract/statuses.ts';
export type { UnlistedWord } from '../contract/types.ts';
export type { FoundCause } from './delivery/cause.ts';
export { DIALECTS, type Dialect, type DialectEntry } from './dialects.ts';
export type { ListenOptions, SandboxServer } from './http/server.ts';
export type { SandboxDefaults, SandboxOptions, SeedInvoice } from './options.ts';
export { createSandbox, type Sandbox, type SandboxFetch } from './sandbox.ts';
export type {
  DeliveryFault,
  Fault,
  FaultOptions,
  Faults,
  FaultType,
  QueuedFault,
  RequestFault,
  SeedFault,
} from './state/faults.ts';
export {
  type DeliveryMove,
  describeEvent,
  type InvoiceMove,
  type RequestEntry,
  type SandboxEvent,
  type SandboxNote,
} from './state/log.ts';
export type { DeliveryRecord, InvoiceRecord } from './state/records.ts';
export type { SandboxState } from './state/saved-state.ts';
export type {
  NewInvoice,
  Payment,
  SandboxAdjustment,
  SandboxAttempt,
  SandboxDelivery,
  SandboxInvoice,
  SandboxMethod,
  SandboxRate,
  SandboxWebhookRequest,
  SandboxWithdrawal,
} from './wire-types.ts';
