/**
 * The client of the service, its types, and the typed errors of the whole package.
 *
 * Only a major version breaks this entry, before 1.0 a minor one: [versions](../docs/go-live.md#versions).
 *
 * @module merchant-invoicing
 */
import { warnOfOldNode } from './errors/version.ts';

export { MerchantClient } from './client.ts';
export type { DeliveryAttempt, WebhookDelivery } from './contract/deliveries.ts';
export type { HttpMethod } from './contract/endpoint.ts';
export type { Operation as ServiceOperation } from './contract/endpoints.ts';
export type {
  ChargeMember,
  ComparedText,
  CreatedInvoice,
  CreateInvoiceParams,
  Invoice,
  InvoiceAdjustment,
  InvoicePaymentMethod,
  ListInvoicesQuery,
  OrderInvoice,
} from './contract/invoices.ts';
export type { OrderRenewal } from './contract/orders.ts';
export type { DecimalInput } from './contract/parameters.ts';
export type { PaymentMethod } from './contract/payment-methods.ts';
export type { Rate } from './contract/rates.ts';
export type {
  Currency,
  DeliveryStatus,
  EventType,
  InvoiceStatus,
  OpenEnum,
  Page,
  WithdrawalStatus,
} from './contract/types.ts';
export { Decimal } from './contract/values/decimal.ts';
export type { ListWithdrawalsQuery, Withdrawal } from './contract/withdrawals.ts';
export type { Callback } from './errors/checks.ts';
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
  type ValidationIssue,
  WebhookVerificationError,
} from './errors/classes.ts';
export type {
  AttemptRecord,
  ErrorCode,
  ErrorKind,
  Outcome,
  SdkCode,
  ServiceCodes,
  StoppedBy,
  WebhookReason,
} from './errors/codes.ts';
export type { AnyMerchantError, CallError, PlainApiError } from './errors/guards.ts';
export { hasCode, hasKind, isMerchantError } from './errors/guards.ts';
export type {
  CallOptions,
  ClientOverrides,
  InvalidItem,
  ListOptions,
  MerchantClientOptions,
  RetryOptions,
  RowsOptions,
  WithdrawalQueryNames,
} from './options.ts';
export type { Call, CallResult, ListCall, ResponseInfo, WithResponse } from './resources/call-promise.ts';
export type { Invoices } from './resources/invoices.ts';
export { amountFromMinor, amountToMinor } from './resources/minor-units.ts';
export { orderOf } from './resources/order-of.ts';
export type { ChargeQuery, PaymentMethods } from './resources/payment-methods.ts';
export type { RateFilter, Rates } from './resources/rates.ts';
export type { CreateOrRenewResult } from './resources/renew-invoice.ts';
export type { RawRequest } from './resources/request.ts';
export type { Webhooks } from './resources/webhooks.ts';
export type { Withdrawals } from './resources/withdrawals.ts';
export type {
  CallEvent,
  EndEvent,
  Hooks,
  ResponseEvent,
  RetryEvent,
} from './transport/hooks.ts';
export type { ApiKey, FetchInit, FetchLike } from './transport/types.ts';
export type {
  InvoiceAdjustedEvent,
  InvoiceCanceledEvent,
  InvoiceEvent,
  InvoicePaidEvent,
  UnknownInvoiceEvent,
} from './webhooks/event/event-types.ts';

warnOfOldNode();
