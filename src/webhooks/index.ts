/**
 * The webhook receiver: verify and sign deliveries, handle each event once. Needs no API key and no client.
 *
 * @packageDocumentation
 */
export { Decimal } from '../contract/decimal.ts';
export type { ErrorCode, ErrorKind, WebhookReason } from '../error-codes.ts';
export {
  ConfigurationError,
  hasCode,
  hasKind,
  isMerchantError,
  MerchantError,
  WebhookVerificationError,
} from '../errors.ts';
export type {
  CatchUpClient,
  CatchUpInvoice,
  CatchUpOptions,
  CatchUpProgress,
  CatchUpResult,
} from './catch-up-options.ts';
export type { HeadersInput } from './delivery-headers.ts';
export { parseInvoiceEvent } from './event-json.ts';
export type { EventNames } from './event-name.ts';
export type {
  AdjustedInvoicePaidEvent,
  ExactInvoicePaidEvent,
  InvoiceCanceledEvent,
  InvoiceEvent,
  InvoicePaidEvent,
  UnknownInvoiceEvent,
} from './events.ts';
export { toFetchHandler } from './fetch-adapter.ts';
export { createWebhookHandler } from './handler.ts';
export type {
  WebhookContext,
  WebhookHandler,
  WebhookHandlerOptions,
  WebhookRequest,
} from './handler-options.ts';
export { toLambdaHandler } from './lambda-adapter.ts';
export type { LambdaEvent, LambdaReply } from './lambda-types.ts';
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './memory-store.ts';
export { type NodeHandler, toNodeHandler } from './node-adapter.ts';
export type { NodeRequest, NodeResponse } from './node-types.ts';
export type { RawBody } from './raw-body.ts';
export type { WebhookReply } from './replies.ts';
export type { WebhookReport, WebhookReportReason } from './report.ts';
export type { WebhookSecret } from './secrets.ts';
export {
  type SignatureEncoding,
  type SignWebhookOptions,
  signWebhook,
  type TimestampFormat,
  type WebhookHeaders,
} from './signature.ts';
export type { Claim, ClaimRequest, ClaimResult, RunResult, WebhookStore } from './store.ts';
export { type StoreCheck, type StoreConformanceOptions, storeConformance } from './store-conformance.ts';
export type { PostgresTx } from './stores/postgres-pool.ts';
export { type PostgresStore, type PostgresStoreOptions, postgresStore } from './stores/postgres-store.ts';
export { type RedisStore, type RedisStoreOptions, redisStore } from './stores/redis-store.ts';
export type { SqliteCommit } from './stores/sqlite-commit.ts';
export type { SqliteDatabase } from './stores/sqlite-database.ts';
export { type SqliteStore, type SqliteStoreOptions, sqliteStore } from './stores/sqlite-store.ts';
export { verifyWebhook } from './verify.ts';
export type { VerifyWebhookOptions } from './verify-settings.ts';
