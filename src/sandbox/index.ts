export type { Sandbox, SandboxFetch } from './api.ts';
export { DIALECTS, type Dialect, type DialectEntry } from './dialects.ts';
export {
  type DeliveryMove,
  describeEvent,
  type InvoiceMove,
  type RequestEntry,
  type SandboxEvent,
  type SandboxNote,
} from './events.ts';
export type { DeliveryFault, Fault, FaultOptions, Faults, FaultType, RequestFault } from './faults.ts';
export type { DeliveryFetch, SandboxDefaults, SandboxOptions, SeedInvoice } from './options.ts';
export { createSandbox } from './sandbox.ts';
export type { ListenOptions, SandboxServer } from './server.ts';
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
