import { expect, it } from 'vitest';
import { MerchantClient } from '../../src/index.ts';
import * as entry from '../../src/reconcile/index.ts';

it('the entry exports what it promises, and nothing by accident', () => {
  expect(Object.keys(entry).sort()).toEqual(['Decimal', 'reconcile']);
});

it('a MerchantClient is the client that the entry asks for', () => {
  const merchant: entry.ReconcileClient = new MerchantClient({ baseUrl: 'https://pay.example.com', apiKey: 'sk' });
  expect(entry.reconcile({ merchant, orders: [] })).toHaveProperty('summary');
});
