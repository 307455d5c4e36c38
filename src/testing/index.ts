/**
 * Fakes of data, events, errors and calls, signed requests for a receiver, and the checks of a store. For the tests of an
 * integration. Loads neither the client nor the sandbox.
 *
 * @packageDocumentation
 */
export { Decimal } from '../contract/values/decimal.ts';
export {
  type StoreCheck,
  type StoreConformanceOptions,
  storeConformance,
} from '../webhooks/conformance/store-conformance.ts';
export { type FakeListOptions, type FakeResponse, fakeCall, fakeListCall } from './fake-call.ts';
export { type FakeErrorOverrides, fakeError } from './fake-error.ts';
export {
  type FakeCanceledEventOverrides,
  type FakePaidEventOverrides,
  type FakeUnknownEventOverrides,
  fakeCanceledEvent,
  fakePaidEvent,
  fakeUnknownEvent,
} from './fake-event.ts';
export {
  type FakeCreatedInvoiceOverrides,
  type FakeInvoiceOverrides,
  fakeCreatedInvoice,
  fakeInvoice,
} from './fake-invoice.ts';
export {
  type FakePaymentMethodOverrides,
  fakeDelivery,
  fakePage,
  fakePaymentMethod,
  fakeRate,
  fakeWithdrawal,
} from './fake-rows.ts';
export { type MatcherResult, type MoneyMatchers, moneyEquality, moneyMatchers } from './money-equality.ts';
export type { Override, Overrides } from './overrides.ts';
export { type SeedFakesOptions, seedFakes } from './sequence.ts';
export {
  type DeliveryBody,
  FAKE_WEBHOOK_SECRET,
  type SignedDelivery,
  type SignedDeliveryOptions,
  type SignedRequestOptions,
  signedDelivery,
  signedRequest,
} from './signed-request.ts';
