import { expect, it } from 'vitest';
import { isObject, payloadOf } from '../../src/contract/envelope.ts';
import { createdInvoice, createdInvoiceEnvelope } from '../support/fixtures/invoices.ts';

it('takes the payload out of the envelope', () => {
  expect(payloadOf(createdInvoiceEnvelope)).toEqual(createdInvoice);
});

it('takes a body without an envelope as the payload', () => {
  expect(payloadOf(createdInvoice)).toEqual(createdInvoice);
  expect(payloadOf([1])).toEqual([1]);
  expect(payloadOf(null)).toBeNull();
});

it.each([
  [{ success: true, data: null }, null],
  [{ data: [] }, []],
  [{ success: true, data: false }, false],
])('takes %j apart though its data is empty', (body, payload) => {
  expect(payloadOf(body)).toEqual(payload);
});

it('does not look for data on the prototype', () => {
  const body: unknown = Object.create({ data: 'inherited' });
  expect(payloadOf(body)).toBe(body);
});

it.each([
  [{}, true],
  [Object.create(null), true],
  [[], false],
  [null, false],
  ['{}', false],
  [undefined, false],
])('knows an object: %j', (value, expected) => {
  expect(isObject(value)).toBe(expected);
});
