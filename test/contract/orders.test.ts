import { expect, it } from 'vitest';
import { orderOf } from '../../src/contract/orders.ts';

it.each<[string, string, number]>([
  ['order-1042', 'order-1042', 1],
  ['order-1042-r2', 'order-1042', 2],
  ['order-1042-r50', 'order-1042', 50],
  ['order-1042-r2-r3', 'order-1042-r2', 3],
  ['order-1042-r1', 'order-1042-r1', 1],
  ['order-1042-r0', 'order-1042-r0', 1],
  ['order-1042-r02', 'order-1042-r02', 1],
  ['order-1042-r51', 'order-1042-r51', 1],
  ['order-1042-r100', 'order-1042-r100', 1],
  ['order-1042-r', 'order-1042-r', 1],
  ['order-1042-r2 ', 'order-1042-r2 ', 1],
  ['order-1042-R2', 'order-1042-R2', 1],
  ['order-1042r2', 'order-1042r2', 1],
  ['-r2', '-r2', 1],
  ['', '', 1],
])('the order of %j is %j, attempt %i', (external_id, order, attempt) => {
  expect(orderOf(external_id)).toEqual({ order, attempt });
});
