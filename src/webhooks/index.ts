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
export type { HeadersInput } from './delivery-headers.ts';
export { parseInvoiceEvent } from './event-json.ts';
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
  WebhookTimers,
} from './handler-options.ts';
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './memory-store.ts';
export { type NodeHandler, toNodeHandler } from './node-adapter.ts';
export type {
  FastifyReplyLike,
  FastifyRequestLike,
  KoaContextLike,
  NodeRequest,
  NodeResponse,
} from './node-types.ts';
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
export type { Claim, ClaimRequest, ClaimResult, WebhookStore } from './store.ts';
export { verifyWebhook } from './verify.ts';
export type { VerifyWebhookOptions } from './verify-settings.ts';
