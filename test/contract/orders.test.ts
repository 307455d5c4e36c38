import { expect, it } from 'vitest';
import { isRenewalId, orderOf, renewalId } from '../../src/contract/orders.ts';

it.each<[string, string, number]>([
  ['order-1042', 'order-1042', 0],
  ['order-1042--1', 'order-1042', 1],
  ['order-1042--49', 'order-1042', 49],
  ['order-1042--50', 'order-1042', 50],
  ['order-1042--99', 'order-1042', 99],
  ['order-1042--1--2', 'order-1042--1', 2],
  ['order-1042---1', 'order-1042-', 1],
  ['o--1', 'o', 1],
  ['😀--1', '😀', 1],
  ['order-1042--0', 'order-1042--0', 0],
  ['order-1042--01', 'order-1042--01', 0],
  ['order-1042--100', 'order-1042--100', 0],
  ['order-1042--', 'order-1042--', 0],
  ['order-1042--1 ', 'order-1042--1 ', 0],
  ['order-1042--1x', 'order-1042--1x', 0],
  ['order-1042--1\n', 'order-1042--1\n', 0],
  ['order-1042--١', 'order-1042--١', 0], // a digit, but not of ASCII
  ['order-1042-1', 'order-1042-1', 0],
  ['quote-17-r2', 'quote-17-r2', 0],
  ['0b9f6e1c-7f43-4e0d-9f5a-1d2c3b4a5e6f', '0b9f6e1c-7f43-4e0d-9f5a-1d2c3b4a5e6f', 0],
  ['0b9f6e1c-7f43-4e0d-9f5a-1d2c3b4a5e6f--1', '0b9f6e1c-7f43-4e0d-9f5a-1d2c3b4a5e6f', 1],
  ['--1', '--1', 0], // a suffix alone names no order
  ['', '', 0],
])('the order of %j is %j, renewal %i', (external_id, order, renewal) => {
  expect(orderOf(external_id)).toEqual({ order, renewal });
  expect(isRenewalId(external_id)).toBe(renewal > 0);
  expect(renewalId({ order, renewal })).toBe(external_id);
});
