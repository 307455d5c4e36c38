export type { Sandbox, SandboxFetch } from './api.ts';
export { MAGIC_OUTCOMES, type MagicOutcome } from './business/magic-outcomes.ts';
export type { Finding } from './delivery/cause-search.ts';
export type { FailureBody, NullForm } from './dialect/dialect.ts';
export { DIALECTS, type Dialect, type DialectEntry, type DialectTable } from './dialect/dialects.ts';
export type { ListenOptions, SandboxServer } from './http/server.ts';
export type { DeliveryFetch, SandboxDefaults, SandboxOptions, SeedInvoice } from './options.ts';
export { createSandbox } from './sandbox.ts';
export {
  type DeliveryMove,
  describeEvent,
  type InvoiceMove,
  type RequestEntry,
  type SandboxEvent,
  type SandboxNote,
} from './state/events.ts';
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
export type { SandboxState } from './state/saved-state.ts';
export type {
  SandboxAdjustment,
  SandboxAttempt,
  SandboxDelivery,
  SandboxInvoice,
  SandboxMethod,
  SandboxRate,
  SandboxWebhookRequest,
  SandboxWithdrawal,
  WireCurrency,
} from './wire-types.ts';
