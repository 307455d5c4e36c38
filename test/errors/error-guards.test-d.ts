import { expectTypeOf, it } from 'vitest';
import type {
  ApiError,
  ConfigurationError,
  InvoiceAlreadyExistsError,
  TimeoutError,
  UnexpectedResponseError,
  WebhookVerificationError,
} from '../../src/errors/classes.ts';
import type { AnyMerchantError, ErrorByCode } from '../../src/errors/guards.ts';
import { hasCode } from '../../src/errors/guards.ts';

declare const error: unknown;

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

it('a code of the service that no list has compiles, and narrows to any error', () => {
  if (hasCode(error, 'RATE_EXPIRED')) expectTypeOf(error).toEqualTypeOf<AnyMerchantError>();
  const code: string = 'ACCOUNT_FROZEN';
  if (hasCode(error, code)) expectTypeOf(error.code).toExtend<string>();
  if (hasCode(error, 'ACCOUNT_FROZEN')) expectTypeOf(error.message).toEqualTypeOf<string>();
});

it('no known code is without a class', () => {
  type Unclassed = { [C in keyof ErrorByCode]: [ErrorByCode[C]] extends [never] ? C : never }[keyof ErrorByCode];
  expectTypeOf<Unclassed>().toEqualTypeOf<never>();
});
