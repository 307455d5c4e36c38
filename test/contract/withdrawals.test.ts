import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { getWithdrawal, listWithdrawals } from '../../src/contract/withdrawals.ts';
import * as wire from '../support/fixtures/withdrawals.ts';
import { changed, decoded, refused, without } from './mutation.ts';

describe('a withdrawal', () => {
  it('is decoded while pending', () => {
    expect(decoded(getWithdrawal.data, wire.pendingWithdrawal)).toEqual({
      uuid: '615fc472-d5a9-4463-9fb0-738290a0b4c5',
      actor: 'owner@shop.example',
      balance_type: 'main',
      token: 'USDT',
      network: 'TRC20',
      address: 'TXYZexampleaddress000000000000000',
      amount: new Decimal('500'),
      network_commission: new Decimal('1.5'),
      amount_to_send: new Decimal('498.5'),
      status: 'pending',
      created_at: new Date('2026-02-01T08:00:00.000Z'),
      logo_url: 'https://cdn.example/trc20.svg',
      tx_hash: null,
      reject_reason: null,
      processed_at: null,
    });
  });

  it('is decoded when approved', () => {
    expect(decoded(getWithdrawal.data, wire.approvedWithdrawal)).toMatchObject({
      status: 'approved',
      amount: new Decimal('250.000001'),
      amount_to_send: new Decimal('248.500001'),
      tx_hash: 'a3f1c0ffee',
      processed_at: new Date('2026-02-01T08:20:00.000Z'),
    });
  });

  it('is decoded when rejected: empty amounts and times are null, absent members too', () => {
    expect(decoded(getWithdrawal.data, wire.rejectedWithdrawal)).toMatchObject({
      status: 'rejected',
      network_commission: null,
      amount_to_send: null,
      logo_url: null,
      tx_hash: null,
      reject_reason: 'Wrong address',
      processed_at: null,
    });
  });

  it.each([
    ...['actor', 'balance_type', 'token', 'network', 'address', 'amount', 'network_commission', 'amount_to_send'],
    ...['created_at', 'logo_url', 'tx_hash', 'reject_reason', 'processed_at'],
  ])('has null for %s when it is absent or null', (name) => {
    expect(decoded(getWithdrawal.data, without(wire.approvedWithdrawal, name))).toHaveProperty(name, null);
    expect(decoded(getWithdrawal.data, changed(wire.approvedWithdrawal, name, null))).toHaveProperty(name, null);
  });

  it.each([
    ['uuid', undefined],
    ['uuid', null],
    ['uuid', 5],
    ['status', undefined],
    ['status', null],
    ['status', 4],
  ])('is refused with %s = %j', (path, value) => {
    const payload =
      value === undefined ? without(wire.approvedWithdrawal, path) : changed(wire.approvedWithdrawal, path, value);
    expect(refused(getWithdrawal.data, payload).map((issue) => issue.path)).toEqual([path]);
  });

  it.each([
    ['actor', 4],
    ['balance_type', false],
    ['token', {}],
    ['network', ['TRC20']],
    ['address', 1e21],
    ['amount', '1.5 USDT'],
    ['amount', 'much'],
    ['amount', 2 ** 53],
    ['amount', '1'.repeat(10_000_000)],
    ['network_commission', 'NaN'],
    ['amount_to_send', {}],
    ['created_at', '2026-02-01'],
    ['created_at', 'yesterday'],
    ['logo_url', 0],
    ['tx_hash', []],
    ['reject_reason', { code: 7 }],
    ['processed_at', 1767225600],
  ])('has null for an unreadable %s, and shows what came (%#)', (name, value) => {
    const found = decoded(getWithdrawal.data, changed(wire.approvedWithdrawal, name, value));
    expect(found).toEqual({
      ...decoded(getWithdrawal.data, wire.approvedWithdrawal),
      [name]: null,
      unreadable: { [name]: value },
    });
    expect(JSON.parse(JSON.stringify(found)).unreadable, 'it survives a queue').toEqual({ [name]: value });
  });

  it('shows every member that could not be read, and none where all could', () => {
    const odd = { ...wire.approvedWithdrawal, amount: '1.5 USDT', processed_at: '2026-02-01', tx_hash: null };
    const found = decoded(getWithdrawal.data, odd);
    expect(found.unreadable).toEqual({ amount: '1.5 USDT', processed_at: '2026-02-01' });
    expect([found.amount, found.processed_at, found.tx_hash]).toEqual([null, null, null]);
    expect(decoded(getWithdrawal.data, wire.rejectedWithdrawal)).not.toHaveProperty('unreadable');
  });

  it('passes a status that the interface does not list, and keeps unknown members', () => {
    const grown = { ...wire.pendingWithdrawal, status: 'on_hold', memo: 'x' };
    expect(decoded(getWithdrawal.data, grown)).toMatchObject({ status: 'on_hold', memo: 'x' });
  });
});

describe('a page of withdrawals', () => {
  it('is decoded in order', () => {
    const page = decoded(listWithdrawals.data, wire.withdrawalPage);
    expect(page.items.map((item) => item.status)).toEqual(['pending', 'approved', 'rejected']);
    expect(page.total_items).toBe(3);
  });

  it('keeps a withdrawal with an odd member', () => {
    const page = decoded(listWithdrawals.data, changed(wire.withdrawalPage, 'items.1.amount', '1.5 USDT'));
    expect(page.items.map(({ amount, unreadable }) => [amount?.toFixed(), unreadable?.amount])).toEqual([
      ['500', undefined],
      [undefined, '1.5 USDT'],
      [page.items[2]?.amount?.toFixed(), undefined],
    ]);
  });

  it('names the item that is wrong', () => {
    expect(refused(listWithdrawals.data, without(wire.withdrawalPage, 'items.2.uuid'))).toEqual([
      { path: 'items.2.uuid', message: 'is required' },
    ]);
  });
});

it('may stand under its own name when it is read alone', () => {
  expect(decoded(getWithdrawal.data, { withdrawal: wire.pendingWithdrawal })).toMatchObject({ status: 'pending' });
  expect(decoded(getWithdrawal.data, { payout: wire.pendingWithdrawal })).toMatchObject({ status: 'pending' });
  expect(refused(getWithdrawal.data, { items: [wire.pendingWithdrawal] })).not.toEqual([]);
});
