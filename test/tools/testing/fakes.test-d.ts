import { describe, expectTypeOf, it } from 'vitest';
import type {
  ApiError,
  CallError,
  TimeoutError,
  ValidationError,
  WebhookVerificationError,
} from '../../../src/index.ts';
import {
  fakeAdjustedEvent,
  fakeCanceledEvent,
  fakeError,
  fakeInvoice,
  fakePaidEvent,
} from '../../../src/tools/testing/index.ts';
import type { InvoiceAdjustedEvent, InvoiceCanceledEvent, InvoicePaidEvent } from '../../../src/webhooks/index.ts';

describe('overrides', () => {
  it('are money as text or Decimal, times as Date or text, and known names', () => {
    fakeInvoice({ amount: '25.00', created_at: '2026-01-31T09:30:00Z', currency: 'TRY', status: 'success' });
    fakeInvoice({ adjustment: { actual_amount_fiat: '1' }, payment_method: { name: 'Card' }, purpose: null });
    // @ts-expect-error a mistyped name
    fakeInvoice({ externalId: 'a' });
    // @ts-expect-error a mistyped status
    fakeInvoice({ status: 'sucess' });
    // @ts-expect-error money is no number
    fakeInvoice({ amount: 25 });
    // @ts-expect-error a mistyped name of a nested object
    fakeInvoice({ adjustment: { actual: '1' } });
    // @ts-expect-error an amount is never null
    fakeInvoice({ amount: null });
    // @ts-expect-error a canceled event has no credit
    fakeCanceledEvent({ credited_usdt: '1' });
    // @ts-expect-error the status of a paid invoice
    fakeCanceledEvent({ status: 'success' });
  });

  it('make one type of event each', () => {
    expectTypeOf(fakePaidEvent({ amount: '1' })).toEqualTypeOf<InvoicePaidEvent>();
    expectTypeOf(fakeAdjustedEvent({ original_amount: null })).toEqualTypeOf<InvoiceAdjustedEvent>();
    // @ts-expect-error an event that was paid as ordered has no other amount
    fakePaidEvent({ original_amount: '1' });
    expectTypeOf(fakeCanceledEvent()).toEqualTypeOf<InvoiceCanceledEvent>();
  });
});

describe('fakeError', () => {
  it('has the class of its code, and takes the members of that class', () => {
    expectTypeOf(fakeError('SDK_DEADLINE')).toExtend<TimeoutError>();
    expectTypeOf(fakeError('VALIDATION_ERROR', { details: { amount: ['is taken'] } })).toExtend<ValidationError>();
    expectTypeOf(fakeError('SDK_WEBHOOK_SIGNATURE_MISMATCH')).toExtend<WebhookVerificationError>();
    expectTypeOf(fakeError('SDK_HTTP_404')).toExtend<Extract<CallError, ApiError>>();
    expectTypeOf(fakeError('ACCOUNT_FROZEN' as string, { status: 403 })).toExtend<ApiError>();
    // @ts-expect-error a mistyped code
    fakeError('SDK_TIMEOUT');
    // @ts-expect-error a mistyped name
    fakeError('SDK_DEADLINE', { reason: 'none' });
  });
});
