import { expect } from 'vitest';
import type { Withdrawal } from '../../src/contract/withdrawals.ts';
import { errorOf } from '../support/test-client.ts';
import { expectTime } from './expected.ts';
import type { Behaviour } from './stage.ts';

async function walked(list: AsyncIterable<Withdrawal>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { uuid } of list) ids.push(uuid.slice(-2));
  return ids;
}

export const BUSINESS: readonly Behaviour[] = [
  {
    name: 'withdrawals are listed by status and page size, under whatever names',
    async run({ merchant, dialect }) {
      const approved = await merchant.withdrawals.list({ status: 'approved', per_page: 2 });
      expect(approved).toMatchObject({ per_page: 2, total_items: 3, total_pages: 2, has_next: true });
      expect(approved.items.map(({ status }) => status)).toEqual(['approved', 'approved']);
      const all = await merchant.withdrawals.list();
      expect([all.per_page, all.total_items]).toEqual([dialect.withdrawalQuery === 'as_invoices' ? 20 : 10, 9]);
    },
  },
  {
    name: 'withdrawals are walked, each once',
    async run({ merchant, dialect }) {
      const ids = await walked(merchant.withdrawals.list({ per_page: 4, status: 'pending' }, { prefetch: 2 }));
      const newest = ['04', '03', '02', '01', '00'];
      expect(ids).toEqual(dialect.listOrder === 'newest' ? newest : newest.reverse());
    },
  },
  {
    name: 'withdrawals are decoded, with null for whatever does not apply',
    async run({ merchant }) {
      const pending = await merchant.withdrawals.get('5eed0000-0000-4000-8000-000000000001');
      expect(pending).toMatchObject({ status: 'pending', token: 'USDT', network: 'TRC20', processed_at: null });
      for (const text of [pending.tx_hash, pending.reject_reason, pending.logo_url]) expect(text ?? '').toBe('');
      expect(pending.amount?.eq('250')).toBe(true);
      expect(pending.network_commission?.eq('1')).toBe(true);
      expectTime(pending.created_at, '2026-01-21T08:00:00');
      const { items } = await merchant.withdrawals.list({ status: 'rejected' });
      expect(items).toMatchObject([{ reject_reason: 'Address is not on the allow list' }]);
      expectTime(items[0]?.processed_at ?? null, '2026-01-28T09:00:00');
    },
  },
  {
    name: 'a client that does not know the query names of withdrawals never takes one page for another',
    async run({ client, dialect }) {
      const unaware = client({ withdrawalQuery: {} });
      const walk = unaware.withdrawals.list({ per_page: 4 }).collect({ limit: 100 });
      if (dialect.withdrawalQuery !== 'strict') return expect(await walk).toHaveLength(9);
      expect(await errorOf(walk)).toMatchObject({ kind: 'validation', status: 422 });
    },
  },
  {
    name: 'payment methods are decoded',
    async run({ merchant }) {
      const methods = await merchant.paymentMethods.list();
      expect(methods).toHaveLength(9);
      const [card] = methods;
      expect(card).toMatchObject({ id: 1, name: 'Card', currency: { code: 'EUR' } });
      expect(card?.min_amount.toFixed(2)).toBe('5.00');
      expect(card?.max_amount.toFixed(2)).toBe('2000.00');
      expect(card?.total_commission_percent.toString()).toBe('3');
      expect(card?.client_commission_percent.toString()).toBe('2');
      expect(card?.merchant_commission_percent.toString()).toBe('1');
    },
  },
  {
    name: 'rates come with a price, without the pairs that have no fresh data',
    async run({ merchant }) {
      const rates = await merchant.rates.list();
      expect(rates, '18 pairs, of which three have no fresh data').toHaveLength(15);
      for (const { price, min_amount } of rates) expect([price.gt(0), min_amount?.gt(0)]).toEqual([true, true]);
    },
  },
];
