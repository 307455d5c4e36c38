import { expect } from 'vitest';
import type { Invoice } from '../../src/contract/invoices.ts';
import { errorOf } from '../support/test-client.ts';
import { expectNotFound, expectTime } from './expected.ts';
import { type Behaviour, createMany, identOf, ORDER, type Stage } from './stage.ts';

/** What the walk of a list yields, as external_ids. */
async function walked(list: AsyncIterable<Invoice>): Promise<string[]> {
  const ids: string[] = [];
  for await (const invoice of list) ids.push(invoice.external_id);
  return ids;
}

async function paid(stage: Stage, amount: string): Promise<Invoice> {
  const { merchant, sandbox } = stage;
  await merchant.invoices.create(ORDER);
  sandbox.choose('order-1042', 'Card');
  await (amount === ORDER.amount ? sandbox.pay('order-1042') : sandbox.pay('order-1042', { amount: amount }));
  return merchant.invoices.get(identOf(stage, 'order-1042'));
}

export const READING: readonly Behaviour[] = [
  {
    name: 'get reads by each ident that the service accepts',
    async run({ merchant, dialect }) {
      const { uuid } = await merchant.invoices.create(ORDER);
      const { invoiceReadIdent } = dialect;
      const is_adjusted = dialect.invoiceReadForm === 'creation' ? null : false; // which the creation form does not say
      const idents = { both: [uuid, uuid.toUpperCase(), 'order-1042'], uuid: [uuid], external_id: ['order-1042'] };
      for (const ident of idents[invoiceReadIdent]) {
        const invoice = await merchant.invoices.get(ident);
        expect(invoice).toMatchObject({ uuid, external_id: 'order-1042', status: 'pending', purpose: null });
        expect(invoice).toMatchObject({ is_adjusted, adjustment: null, payment_method: null, rate: null });
        expect(invoice).toMatchObject({ settled_amount_usdt: null, finished_at: null });
      }
    },
  },
  {
    name: 'get of a paid invoice, decoded',
    async run(stage) {
      const invoice = await paid(stage, '25.00');
      expect(invoice).toMatchObject({ status: 'success', adjustment: null });
      const { is_adjusted, settled_amount_usdt } = invoice;
      if (stage.dialect.invoiceReadForm === 'creation')
        return expect([is_adjusted, settled_amount_usdt]).toEqual([null, null]);
      expect(is_adjusted).toBe(false);
      // 25.00 less 1 % of commission, at 0.9214 EUR for a USDT
      expect(invoice.settled_amount_usdt?.toFixed(6)).toBe('26.861298');
      expect(invoice.rate?.toString()).toBe('0.9214');
      expect(invoice.amount_to_send?.toFixed(2)).toBe('25.50');
      expect(invoice.payment_method).toMatchObject({ name: 'Card', logo_url: expect.any(String) });
      expectTime(invoice.finished_at, '2026-01-31T09:30:00');
    },
  },
  {
    name: 'the list shows a corrected invoice in full, decoded',
    async run(stage) {
      await paid(stage, '17.00');
      const { items } = await stage.merchant.invoices.list({ status: 'success' });
      expect(items).toHaveLength(1);
      const { adjustment, is_adjusted, amount, settled_amount_usdt } = items[0] ?? {};
      expect([is_adjusted, amount?.toFixed(2)]).toEqual([true, '25.00']);
      expect(adjustment?.expected_amount_fiat.toFixed(2)).toBe('25.00');
      expect(adjustment?.actual_amount_fiat.toFixed(2)).toBe('17.00');
      expect(adjustment?.expected_amount_usdt.toFixed(6)).toBe('26.861298');
      expect(adjustment?.actual_amount_usdt.toFixed(6)).toBe('18.265682');
      expect(settled_amount_usdt?.toFixed(6)).toBe('18.265682');
    },
  },
  {
    name: 'list filters by status and currency',
    async run(stage) {
      const { merchant, sandbox } = stage;
      const [first = ''] = await createMany(stage, 3);
      const dollars = await createMany(stage, 2, 'USD');
      await sandbox.fail(first);
      expect(await walked(merchant.invoices.list({ status: 'fail' }))).toEqual([first]);
      expect((await walked(merchant.invoices.list({ currency: 'USD' }))).sort()).toEqual(dollars.sort());
      expect(await walked(merchant.invoices.list({ currency: 'USD', status: 'fail' }))).toEqual([]);
    },
  },
  {
    name: 'a walk yields each invoice once, in the order of the list',
    async run(stage) {
      const { merchant, dialect } = stage;
      const ids = await createMany(stage, 7);
      const ordered = dialect.listOrder === 'newest' ? ids.reverse() : ids;
      const query = { per_page: 3, currency: 'EUR', status: 'pending' } as const;
      expect(await walked(merchant.invoices.list(query))).toEqual(ordered);
      expect(await walked(merchant.invoices.list(query, { prefetch: 4 }))).toEqual(ordered);
      const some = await merchant.invoices.list(query).collect({ limit: 5 });
      expect(some.map(({ external_id }) => external_id)).toEqual(ordered.slice(0, 5));
    },
  },
  {
    name: 'a page beyond the last is an empty one, the last one, or a typed refusal',
    async run(stage) {
      const { merchant, dialect } = stage;
      await createMany(stage, 3, 'USD');
      const call = merchant.invoices.list({ currency: 'USD', page: 9, per_page: 2 });
      if (dialect.pastEnd === 'not_found') return expectNotFound(await errorOf(call), dialect, 'PAGE_NOT_FOUND');
      if (dialect.pastEnd === 'invalid')
        return expect(await errorOf(call)).toMatchObject({ kind: 'validation', page: 9 });
      const { items, page, total_pages } = await call;
      expect([items.length, page, total_pages]).toEqual(dialect.pastEnd === 'empty' ? [0, 9, 2] : [1, 2, 2]);
    },
  },
  {
    name: 'members and words that nobody knows yet pass through',
    async run(stage) {
      const { merchant, dialect } = stage;
      await merchant.invoices.create(ORDER);
      const { items } = await merchant.invoices.list();
      const words = items.map(({ status }) => status as string);
      expect(words.includes('refunded')).toBe(dialect.laterVersion === 'some');
      for (const item of items) expect('risk_score' in item).toBe(dialect.laterVersion === 'some');
    },
  },
];
