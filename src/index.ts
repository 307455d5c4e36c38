/**
 * The client of the service, its types, and the typed errors of the whole package.
 *
 * @packageDocumentation
 */
export type { Call, CallResult, ListCall, ResponseInfo, WithResponse } from './call/call.ts';
export { MerchantClient } from './client.ts';
export type { ClientOverrides, MerchantClientOptions } from './client-options.ts';
export type { HttpMethod } from './contract/endpoint.ts';
export type { ClientOperation as Operation } from './contract/endpoints.ts';
export type {
  CreatedInvoice,
  CreateInvoiceParams,
  Currency,
  DecimalInput,
  DeliveryAttempt,
  DeliveryStatus,
  EventType,
  Invoice,
  InvoiceAdjustment,
  InvoicePaymentMethod,
  InvoiceStatus,
  ListInvoicesQuery,
  ListWithdrawalsQuery,
  OpenEnum,
  Page,
  PaymentMethod,
  Rate,
  WebhookDelivery,
  Withdrawal,
  WithdrawalStatus,
} from './contract/types.ts';
export { Decimal } from './contract/values/decimal.ts';
export {
  AbortedError,
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  InvoiceAlreadyExistsError,
  InvoiceMismatchError,
  MerchantError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
  ValidationError,
  WebhookVerificationError,
} from './errors/classes.ts';
export type {
  AttemptRecord,
  ErrorCode,
  ErrorKind,
  Outcome,
  SdkCode,
  ServiceCode,
  StoppedBy,
  WebhookReason,
} from './errors/codes.ts';
export type {
  ComparedField,
  ValidationIssue,
} from './errors/error-fields.ts';
export type { AnyMerchantError, CallError, KnownCode } from './errors/guards.ts';
export { hasCode, hasKind, isMerchantError } from './errors/guards.ts';
export { type Plain, type PlainError, toPlain } from './plain.ts';
export type { CreateOrGetResult, Invoices } from './resources/invoices.ts';
export type { InvalidItem, ListOptions } from './resources/list-options.ts';
export type { ChargeQuery, PaymentMethods } from './resources/payment-methods.ts';
export type { RateFilter, Rates } from './resources/rates.ts';
export type { RawRequest } from './resources/request.ts';
export type { WaitOptions } from './resources/wait-until-final.ts';
export type { Webhooks } from './resources/webhooks.ts';
export type { Withdrawals } from './resources/withdrawals.ts';
export type {
  AttemptTrace,
  CallEvent,
  CallTrace,
  DriftEvent,
  EndEvent,
  ErrorEvent,
  Hooks,
  Logger,
  ResponseEvent,
  RetryEvent,
} from './transport/observe/events.ts';
export type { CallOptions, FetchLike, RetryOptions, RowsOptions } from './transport/options.ts';
export type { Runtime } from './transport/runtime.ts';
export type { InvoiceEvent } from './webhooks/event/events.ts';
