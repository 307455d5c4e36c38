export type { Call, CallResult, ListCall, ResponseInfo, WithResponse } from './call/call.ts';
export type {
  CallEvent,
  CallOptions,
  DriftEvent,
  ErrorEvent,
  FetchLike,
  Hooks,
  InvalidRow,
  Logger,
  ResponseEvent,
  RetryEvent,
  RetryOptions,
  RowsOptions,
} from './call/options.ts';
export { MerchantClient } from './client.ts';
export type { MerchantClientOptions } from './client-options.ts';
export type { Operation } from './contract/endpoint.ts';
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
  KnownDeliveryStatus,
  KnownEventType,
  KnownInvoiceStatus,
  KnownWithdrawalStatus,
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
export type { AnyMerchantError, CallError } from './errors/classes.ts';
export {
  AbortedError,
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  hasCode,
  hasKind,
  InvoiceAlreadyExistsError,
  InvoiceMismatchError,
  isMerchantError,
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
export type { KnownCode } from './errors/guards.ts';
export type {
  ComparedField,
  ValidationIssue,
} from './errors/inits.ts';
export type { CreateOrGetResult, Invoices } from './resources/invoices.ts';
export type { InvalidItem, ListOptions } from './resources/list-options.ts';
export type { ChargeQuery, PaymentMethods } from './resources/payment-methods.ts';
export type { RateFilter, Rates } from './resources/rates.ts';
export type { WaitOptions } from './resources/wait-until-final.ts';
export type { Webhooks } from './resources/webhooks.ts';
export type { Withdrawals } from './resources/withdrawals.ts';
export type { Runtime } from './transport/runtime.ts';
export type { InvoiceEvent } from './webhooks/event/events.ts';
