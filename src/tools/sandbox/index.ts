/**
 * The sandbox: a local Merchant Invoicing Service for tests and development, in this process or over HTTP.
 *
 * A minor version may change this entry, with a line in the changelog: [versions](../../../docs/go-live.md#versions).
 *
 * @module merchant-invoicing/sandbox
 */
// Its rooms: state/ (what is kept), business/ (what happens to invoices and withdrawals), delivery/ (webhooks),
// service/ (the API), page/ (payment page and dashboard), and http/, which hands each request to service/ or page/.
// business/ calls delivery/, never the other way round. world.ts holds the parts of one sandbox, seed.ts fills them,
// and the object that sandbox.ts makes has the methods that work on them. actions.ts declares what pages and command line can
// do, dialects.ts what the interface leaves open.
import { warnOfOldNode } from '../../errors/version.ts';

export type { EndpointName as FaultOperation } from '../../contract/endpoints.ts';
export type { KnownDeliveryStatus, KnownEventType } from '../../contract/statuses.ts';
export type { UnlistedWord } from '../../contract/types.ts';
export type { Callback } from '../../errors/checks.ts';
export { createSandbox } from './create-sandbox.ts';
export type { Diagnosis, DiagnosisId } from './delivery/diagnose.ts';
export type { Dialect } from './dialects.ts';
export type { ListenOptions, SandboxServer } from './http/server.ts';
export type { Sandbox, SandboxFetch } from './sandbox.ts';
export type { SandboxDefaults, SandboxOptions, SeedInvoice } from './sandbox-options.ts';
export type {
  DeliveryFault,
  Fault,
  FaultOptions,
  Faults,
  FaultType,
  QueuedFault,
  RandomFault,
  RequestFault,
  SeedFault,
} from './state/faults.ts';
export type { DeliveryMove, InvoiceMove, RequestEntry, SandboxEvent, SandboxNote } from './state/log.ts';
export type {
  EndingDelivery,
  NewInvoice,
  Payment,
  SandboxAdjustment,
  SandboxAttempt,
  SandboxDelivery,
  SandboxEnding,
  SandboxInvoice,
  SandboxMethod,
  SandboxRate,
  SandboxWebhookRequest,
  SandboxWithdrawal,
  WireCurrency,
} from './types.ts';

warnOfOldNode();
