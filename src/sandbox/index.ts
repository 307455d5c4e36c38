/**
 * The sandbox: a local Merchant Invoicing Service for tests and development, in this process or over HTTP.
 *
 * @packageDocumentation
 */
// Its rooms import in one direction: dialects and state, options, world, business, delivery, service, http, page. The files
// create-world.ts and sandbox.ts connect them; actions.ts declares what the pages and the command line can do.
export type { Callback } from '../checks.ts';
export type { Sandbox, SandboxFetch } from './api.ts';
export { MAGIC_OUTCOMES } from './business/magic-outcomes.ts';
export type { FoundCause } from './delivery/cause-search.ts';
export { DIALECTS, type Dialect, type DialectEntry } from './dialects.ts';
export type { ListenOptions, SandboxServer } from './http/server.ts';
export type { SandboxDefaults, SandboxOptions, SeedInvoice } from './options.ts';
export { createSandbox } from './sandbox.ts';
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
export type { SandboxState } from './state/saved-state.ts';
export type {
  NewInvoice,
  Payment,
  SandboxAttempt,
  SandboxDelivery,
  SandboxInvoice,
  SandboxMethod,
  SandboxRate,
  SandboxWithdrawal,
} from './wire-types.ts';
