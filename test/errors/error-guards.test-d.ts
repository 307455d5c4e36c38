import { expectTypeOf, it } from 'vitest';
import type { Invoice } from '../../src/contract/invoices.ts';
import type { InvoiceStatus } from '../../src/contract/types.ts';
import type {
  AbortedError,
  ApiError,
  ConfigurationError,
  ConnectionError,
  InvoiceAlreadyExistsError,
  InvoiceMismatchError,
  TimeoutError,
  UnexpectedResponseError,
  ValidationError,
  WebhookVerificationError,
} from '../../src/errors/classes.ts';
import type { Outcome } from '../../src/errors/codes.ts';
import type { AnyMerchantError, ErrorByCode } from '../../src/errors/guards.ts';
import { hasCode, isMerchantError } from '../../src/errors/guards.ts';
import type { Call } from '../../src/resources/call-promise.ts';

declare const error: unknown;
declare const call: Call<Invoice>;

it('hasCode narrows to the class of every known code', () => {
  if (hasCode(error, 'INVOICE_ALREADY_EXISTS')) expectTypeOf(error).toExtend<InvoiceAlreadyExistsError>();
  if (hasCode(error, 'SDK_PAGE')) expectTypeOf(error).toExtend<UnexpectedResponseError>();
  if (hasCode(error, 'SDK_API_KEY')) expectTypeOf(error).toExtend<ConfigurationError>();
  if (hasCode(error, 'SDK_DEADLINE')) expectTypeOf(error).toExtend<TimeoutError>();
  if (hasCode(error, 'SDK_HTTP_404')) expectTypeOf(error).toExtend<ApiError>();
  if (hasCode(error, 'SDK_WEBHOOK_SIGNATURE_MISMATCH')) expectTypeOf(error).toExtend<WebhookVerificationError>();
  if (hasCode(error, 'SDK_CONTRACT')) expectTypeOf(error.code).toEqualTypeOf<'SDK_CONTRACT'>();
  expectTypeOf<never>().not.toEqualTypeOf<ErrorByCode[keyof ErrorByCode]>();
});

it('error.code narrows to the class and its members, by switch and by ===', () => {
  if (!isMerchantError(error)) return;
  if (error.code === 'INVOICE_ALREADY_EXISTS') expectTypeOf(error.existingStatus).toEqualTypeOf<InvoiceStatus | null>();
  if (error.code === 'SDK_INVOICE_MISMATCH') expectTypeOf(error).toEqualTypeOf<InvoiceMismatchError>();
  if (error.code === 'SDK_WEBHOOK_SIGNATURE_MISMATCH') expectTypeOf(error).toEqualTypeOf<WebhookVerificationError>();
  // @ts-expect-error a mistyped code
  if (error.code === 'INVOICE_ALREADY_EXIST') return;
  // @ts-expect-error a code that is not listed goes through hasCode
  if (error.code === 'RATE_EXPIRED') return;
  switch (error.code) {
    case 'VALIDATION_ERROR':
      return expectTypeOf(error).toEqualTypeOf<ValidationError>();
    case 'INVOICE_ALREADY_EXISTS':
      return expectTypeOf(error).toEqualTypeOf<InvoiceAlreadyExistsError>();
    case 'SDK_CONNECTION':
    case 'SDK_TLS':
      return expectTypeOf(error).toEqualTypeOf<ConnectionError>();
    case 'SDK_ATTEMPT_TIMEOUT':
    case 'SDK_DEADLINE':
      return expectTypeOf(error).toEqualTypeOf<TimeoutError>();
    case 'SDK_ABORTED':
      return expectTypeOf(error).toEqualTypeOf<AbortedError>();
    case 'SDK_CONTRACT':
    case 'SDK_PAGE':
    case 'SDK_REDIRECT':
    case 'SDK_UNREADABLE_BODY':
    case 'SDK_BODY_TOO_LARGE':
      return expectTypeOf(error).toEqualTypeOf<UnexpectedResponseError>();
    case 'SDK_CONFIGURATION':
    case 'SDK_INVALID_ARGUMENT':
    case 'SDK_API_KEY':
      return expectTypeOf(error).toEqualTypeOf<ConfigurationError>();
    case 'SDK_INVOICE_MISMATCH':
      return expectTypeOf(error.existing).toEqualTypeOf<Invoice>();
    case 'SDK_HTTP_404':
      return expectTypeOf(error).toExtend<ApiError>();
    default:
      return expectTypeOf(error.outcome).toEqualTypeOf<Outcome>();
  }
});

it('what every error has can be read after isMerchantError alone', () => {
  if (!isMerchantError(error)) return;
  const { status, requestId, outcome, operation } = error;
  expectTypeOf(status).toEqualTypeOf<number | null>();
  expectTypeOf(requestId).toEqualTypeOf<string | null>();
  expectTypeOf(outcome).toEqualTypeOf<Outcome>();
  expectTypeOf(operation).toEqualTypeOf<string | null>();
});

it('error.code of a result narrows too', async () => {
  const result = await call.result();
  if (result.ok) return expectTypeOf(result.value).toEqualTypeOf<Invoice>();
  if (result.error.code === 'INVOICE_ALREADY_EXISTS') {
    expectTypeOf(result.error.existing).toEqualTypeOf<Invoice | undefined>();
  }
  // @ts-expect-error no call has an error of a delivery
  return result.error.code === 'SDK_WEBHOOK_SIGNATURE_MISMATCH';
});

it('a code of the service that no list has compiles, and narrows to an error response', () => {
  if (hasCode(error, 'RATE_EXPIRED')) expectTypeOf(error).toExtend<ApiError>();
  if (isMerchantError(error)) {
    if (hasCode(error, 'RATE_EXPIRED')) expectTypeOf(error.status).toEqualTypeOf<number | null>();
    else expectTypeOf(error.outcome).toEqualTypeOf<Outcome>(); // not never
  }
  const code: string = 'ACCOUNT_FROZEN';
  if (hasCode(error, code)) expectTypeOf(error).toEqualTypeOf<AnyMerchantError>();
  if (hasCode(error, 'ACCOUNT_FROZEN')) expectTypeOf(error.message).toEqualTypeOf<string>();
});

it('no known code is without a class', () => {
  type Unclassed = { [C in keyof ErrorByCode]: [ErrorByCode[C]] extends [never] ? C : never }[keyof ErrorByCode];
  expectTypeOf<Unclassed>().toEqualTypeOf<never>();
});
