/**
 * For the tests of an integration: fakes of invoices, events and errors, signed requests for a receiver, and the checks
 * of a store. Loads neither the client nor the sandbox.
 *
 * A minor version may change this entry, with a line in the changelog: [versions](../../../docs/go-live.md#versions).
 *
 * @module merchant-invoicing/testing
 */

export { Decimal } from '../../contract/values/decimal.ts';
export type { ServiceCodes } from '../../errors/codes.ts';
export type { ErrorByCode, KnownCode } from '../../errors/guards.ts';
export {
  type StoreCheck,
  type StoreConformanceOptions,
  storeConformance,
} from './conformance.ts';
export {
  type FakeAdjustedEventOverrides,
  type FakeCanceledEventOverrides,
  type FakeInvoiceOverrides,
  type FakePaidEventOverrides,
  fakeAdjustedEvent,
  fakeCanceledEvent,
  fakeInvoice,
  fakePaidEvent,
  type Override,
} from './fake-data.ts';
export { type FakeErrorOverrides, fakeError } from './fake-error.ts';
export {
  type DeliveryBody,
  FAKE_WEBHOOK_SECRET,
  type SignedRequestOptions,
  signedRequest,
} from './signed-request.ts';
