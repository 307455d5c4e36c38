import { describe, expect, test } from 'vitest';
import { lies, type Played } from '../scripts/chaos/truth.ts';
import { chaos } from '../scripts/chaos.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { clientOf, order } from './support/test-client.ts';

describe('the chaos run', () => {
  test('200 creations through a network that fails in every way: every call tells the truth', async () => {
    const report = await chaos(20260131, 200);
    expect(report.lies).toEqual([]);
    // A run in which nothing went wrong would prove nothing.
    expect(Object.keys(report.ends)).toEqual(
      expect.arrayContaining([
        'created',
        'recovered',
        'found',
        'aborted, unknown',
        'conflict, rejected',
        'server, unknown',
      ]),
    );
    expect(report.invoices).toBeGreaterThan(80);
  });

  test('a seed repeats its run', async () => {
    const [first, again, another] = [await chaos(7, 120), await chaos(7, 120), await chaos(8, 120)];
    expect(again).toEqual(first);
    expect(another.digest).not.toBe(first.digest);
  });
});

describe('its judge', () => {
  test('finds each kind of lie', async () => {
    const sandbox = createSandbox({ seed: 1 });
    const client = clientOf('https://sandbox.invalid', { apiKey: sandbox.apiKey, fetch: sandbox.fetch });
    const invoice = await client.invoices.create({ ...order, purpose: 'call-1' });
    const conflict = await client.invoices.create(order).result();
    if (conflict.ok) throw new Error('must be taken');
    const traffic = { sent: 1, unsent: 0 };
    const played = (over: Partial<Played>): Played => ({
      marker: 'call-1',
      externalId: order.external_id,
      amount: '25.00',
      result: { ok: true, value: { invoice, created: true, recovered: false } },
      traffic,
      ...over,
    });
    const of = (over: Partial<Played>) => lies([played(over)], sandbox);
    expect(of({})).toEqual([]);
    expect(of({ externalId: 'order-2' })[0]).toContain('does not exist');
    expect(of({ amount: '26.00' })).toEqual([expect.stringContaining('another amount')]);
    expect(of({ marker: 'call-2' })).toEqual([expect.stringContaining('another call created it')]);
    expect(of({ result: conflict })).toEqual([expect.stringContaining('rejected')]);
    expect(of({ result: conflict, marker: 'call-2' })).toEqual([]);
    expect(of({ result: conflict, marker: 'call-2', externalId: 'order-2' })).toEqual([
      expect.stringContaining('a conflict with an invoice that does not exist'),
    ]);
    await sandbox.close();
  });
});
