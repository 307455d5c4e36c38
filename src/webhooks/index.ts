/**
 * The webhook receiver: verify and sign deliveries, handle each event once. Needs no API key and no client.
 *
 * Only a major version breaks this entry, before 1.0 a minor one: [versions](../../docs/go-live.md#versions).
 *
 * @module merchant-invoicing/webhooks
 */
// The entry `merchant-invoicing/webhooks`. This room takes from the contract only files without zod.
import { warnOfOldNode } from '../errors/version.ts';

export type { FinalInvoiceStatus } from '../contract/statuses.ts';
export { Decimal } from '../contract/values/decimal.ts';
export type { Callback } from '../errors/checks.ts';
export { ConfigurationError, MerchantError, WebhookVerificationError } from '../errors/classes.ts';
export type { ServiceCodes, WebhookReason } from '../errors/codes.ts';
export { hasCode, hasKind, isMerchantError } from '../errors/guards.ts';
export { type FetchHandler, type FetchInput, toFetchHandler } from './adapters/fetch-adapter.ts';
export { type LambdaEvent, type LambdaReply, toLambdaHandler } from './adapters/lambda-adapter.ts';
export type { HandlerSource } from './adapters/lazy-handler.ts';
export { type NodeHandler, type NodeRequest, toNodeHandler } from './adapters/node-adapter.ts';
export type { RawBody } from './body.ts';
export type { CatchUpClient, CatchUpOptions, CatchUpProgress, CatchUpResult } from './catch-up/options.ts';
export type * from './event/event-types.ts';
export { parseInvoiceEvent } from './event/queued-event.ts';
export type { NodeResponse } from './framework.ts';
export type { WebhookContext, WebhookHandlerOptions } from './handle/handler-options.ts';
export type { WebhookReply } from './handle/reply.ts';
export type { WebhookReport } from './handle/report.ts';
export type { WebhookTimers } from './handle/timing.ts';
export { createWebhookHandler, type WebhookHandler, type WebhookRequest } from './handler.ts';
export type { WebhookReportReason } from './reasons.ts';
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './stores/memory-store.ts';
export {
  type PostgresClient,
  type PostgresPool,
  type PostgresQueryable,
  type PostgresStore,
  type PostgresStoreOptions,
  type PostgresTransactions,
  type PostgresTx,
  postgresStore,
  type TransactionQuery,
} from './stores/postgres-store.ts';
export {
  type RedisStoreOptions,
  redisStore,
} from './stores/redis-store.ts';
export {
  type SqliteCommit,
  type SqliteDatabase,
  type SqliteStatement,
  type SqliteStore,
  type SqliteStoreOptions,
  sqliteStore,
} from './stores/sqlite-store.ts';
export type {
  Claim,
  ClaimRequest,
  ClaimResult,
  LeaseStore,
  OnceRequest,
  OnceResult,
  RunResult,
  StoreRecords,
  TransactionStore,
  WebhookStore,
} from './stores/store.ts';
export type { SqlStore } from './stores/store-options.ts';
export type { HeadersInput } from './verify/headers.ts';
export type { WebhookSecret } from './verify/secrets.ts';
export { type SignWebhookOptions, signWebhook, type WebhookHeaders } from './verify/signature.ts';
export { type VerifyWebhookOptions, verifyWebhook } from './verify/verify.ts';

warnOfOldNode();
