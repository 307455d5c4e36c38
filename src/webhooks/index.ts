/**
 * The webhook receiver: verify and sign deliveries, handle each event once. Needs no API key and no client.
 *
 * @packageDocumentation
 */
// The entry `merchant-invoicing/webhooks`. This room takes from the contract only files without zod.
export type { FinalInvoiceStatus } from '../contract/statuses.ts';
export { Decimal } from '../contract/values/decimal.ts';
export type { DialectFile, DialectPoint, DialectSource } from '../dialect-file/dialect-file.ts';
export { ConfigurationError, MerchantError, WebhookVerificationError } from '../errors/classes.ts';
export type { ErrorCode, ErrorKind, WebhookReason } from '../errors/codes.ts';
export { hasCode, hasKind, isMerchantError } from '../errors/guards.ts';
export { toFetchHandler } from './adapters/fetch-adapter.ts';
export { type LambdaEvent, type LambdaReply, toLambdaHandler } from './adapters/lambda-adapter.ts';
export { type NodeHandler, type NodeResponse, toNodeHandler } from './adapters/node-adapter.ts';
export type { NodeRequest } from './adapters/node-body.ts';
export type {
  CatchUpAnswer,
  CatchUpClient,
  CatchUpInvoice,
  CatchUpList,
  CatchUpListOptions,
  CatchUpPage,
} from './catch-up/catch-up-client.ts';
export type { CatchUpCounts, CatchUpProgress } from './catch-up/catch-up-count.ts';
export type { CatchUpOptions, CatchUpResult } from './catch-up/catch-up-options.ts';
export type { CatchUpCursor, CatchUpTotal } from './catch-up/cursor.ts';
export { type StoreCheck, type StoreConformanceOptions, storeConformance } from './conformance/store-conformance.ts';
export { parseInvoiceEvent } from './event/event-json.ts';
export type * from './event/events.ts';
export type { EventNames } from './event/pinned-names.ts';
export type { WebhookRequest } from './handle/handle-request.ts';
export type { WebhookContext, WebhookHandlerOptions } from './handle/handler-options.ts';
export type { WebhookReport, WebhookReportReason } from './handle/report.ts';
export type { WebhookReply } from './handle/verdict.ts';
export { createWebhookHandler, type WebhookHandler } from './handler.ts';
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './stores/memory-store.ts';
export { type PostgresStore, type PostgresStoreOptions, postgresStore } from './stores/postgres/postgres-store.ts';
export type { PostgresTx } from './stores/postgres/postgres-types.ts';
export { type RedisStore, type RedisStoreOptions, redisStore } from './stores/redis-store.ts';
export type { SqliteCommit } from './stores/sqlite/sqlite-commit.ts';
export type { SqliteDatabase } from './stores/sqlite/sqlite-database.ts';
export { type SqliteStore, type SqliteStoreOptions, sqliteStore } from './stores/sqlite/sqlite-store.ts';
export type { Claim, ClaimRequest, ClaimResult, RunResult, WebhookStore } from './stores/store.ts';
export type { HeadersInput } from './verify/headers.ts';
export type { RawBody } from './verify/raw-body.ts';
export type { WebhookSecret } from './verify/secrets.ts';
export { type SignWebhookOptions, signWebhook, type WebhookHeaders } from './verify/signature.ts';
export type { SignatureEncoding } from './verify/signature-header.ts';
export type { TimestampFormat } from './verify/timestamp.ts';
export { verifyWebhook } from './verify/verify.ts';
export type { VerifyWebhookOptions } from './verify/verify-options.ts';
