/**
 * The webhook receiver: verify and sign deliveries, handle each event once. Needs no API key and no client.
 *
 * @packageDocumentation
 */

export type { FinalInvoiceStatus } from '../contract/statuses.ts';
export { Decimal } from '../contract/values/decimal.ts';
export {
  ConfigurationError,
  hasCode,
  hasKind,
  isMerchantError,
  MerchantError,
  WebhookVerificationError,
} from '../errors/classes.ts';
export type { ErrorCode, ErrorKind, WebhookReason } from '../errors/codes.ts';
export { toFetchHandler } from './adapters/fetch-adapter.ts';
export { toLambdaHandler } from './adapters/lambda-adapter.ts';
export type { LambdaEvent, LambdaReply } from './adapters/lambda-types.ts';
export { type NodeHandler, toNodeHandler } from './adapters/node-adapter.ts';
export type { NodeRequest, NodeResponse } from './adapters/node-types.ts';
export type {
  CatchUpClient,
  CatchUpInvoice,
  CatchUpOptions,
  CatchUpProgress,
  CatchUpResult,
} from './catch-up/catch-up-options.ts';
export { type StoreCheck, type StoreConformanceOptions, storeConformance } from './conformance/store-conformance.ts';
export { parseInvoiceEvent } from './event/event-json.ts';
export type { EventNames } from './event/event-name.ts';
export type {
  AdjustedInvoicePaidEvent,
  ExactInvoicePaidEvent,
  InvoiceCanceledEvent,
  InvoiceEvent,
  InvoicePaidEvent,
  UnknownInvoiceEvent,
} from './event/events.ts';
export { createWebhookHandler } from './handle/handler.ts';
export type {
  WebhookContext,
  WebhookHandler,
  WebhookHandlerOptions,
  WebhookRequest,
} from './handle/handler-options.ts';
export type { WebhookReply } from './handle/replies.ts';
export type { WebhookReport, WebhookReportReason } from './handle/report.ts';
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './stores/memory-store.ts';
export type { PostgresTx } from './stores/postgres/postgres-pool.ts';
export { type PostgresStore, type PostgresStoreOptions, postgresStore } from './stores/postgres/postgres-store.ts';
export { type RedisStore, type RedisStoreOptions, redisStore } from './stores/redis/redis-store.ts';
export type { SqliteCommit } from './stores/sqlite/sqlite-commit.ts';
export type { SqliteDatabase } from './stores/sqlite/sqlite-database.ts';
export { type SqliteStore, type SqliteStoreOptions, sqliteStore } from './stores/sqlite/sqlite-store.ts';
export type { Claim, ClaimRequest, ClaimResult, RunResult, WebhookStore } from './stores/store.ts';
export type { HeadersInput } from './verify/delivery-headers.ts';
export type { RawBody } from './verify/raw-body.ts';
export type { WebhookSecret } from './verify/secrets.ts';
export {
  type SignatureEncoding,
  type SignWebhookOptions,
  signWebhook,
  type TimestampFormat,
  type WebhookHeaders,
} from './verify/signature.ts';
export { verifyWebhook } from './verify/verify.ts';
export type { VerifyWebhookOptions } from './verify/verify-settings.ts';
