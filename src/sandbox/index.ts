export type { Sandbox, SandboxFetch } from './api.ts';
export { MAGIC_OUTCOMES } from './business/magic-outcomes.ts';
export type { Finding } from './delivery/why-search.ts';
export { DIALECTS, type Dialect, type DialectEntry } from './dialect/dialects.ts';
export {
  type DeliveryMove,
  describeEvent,
  type InvoiceMove,
  type RequestEntry,
  type SandboxEvent,
  type SandboxNote,
} from './events.ts';
export type { ListenOptions, SandboxServer } from './http/server.ts';
export type { SandboxDefaults, SandboxOptions, SeedInvoice } from './options.ts';
export { createSandbox } from './sandbox.ts';
export type {
  DeliveryFault,
  Fault,
  FaultOptions,
  Faults,
  QueuedFault,
  RequestFault,
  SeedFault,
} from './service/faults.ts';
export type { SandboxState } from './state/state.ts';
export type {
  SandboxAttempt,
  SandboxDelivery,
  SandboxInvoice,
  SandboxMethod,
  SandboxRate,
  SandboxWithdrawal,
} from './wire-types.ts';
