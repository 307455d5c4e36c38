import { expect, it } from 'vitest';
import type { SandboxOptions, SandboxState } from '../../../src/tools/sandbox/index.ts';
import { testSandbox } from '../../support/test-sandbox.ts';
import { inProcess, ORDER } from './loopback.ts';

/** As a file would carry it. */
const carried = (state: SandboxState): SandboxState => JSON.parse(JSON.stringify(state));
const receives = (status: number): Pick<SandboxOptions, 'fetch'> => ({
  fetch: async () => new Response(null, { status }),
});

/** A sandbox with order a, which has an address for its webhook. */
async function withOrder(options: SandboxOptions) {
  const found = inProcess(options);
  await found.api('POST', '/invoices', { ...ORDER, external_id: 'a', callback_url: 'http://127.0.0.1:1/hook' });
  return found;
}

it('a sandbox from the state of another holds the same, and answers the same bytes', async () => {
  const first = await withOrder({ seed: 3, now: 0, ...receives(500) });
  await first.api('POST', '/invoices', { ...ORDER, external_id: 'b' });
  await first.sandbox.underpay('a', '17.00');
  const state = carried(first.sandbox.state());
  expect(testSandbox({ state }).seed).toBe(3);
  const second = inProcess({ state, seed: undefined, now: undefined });
  for (const path of ['/invoices', '/withdrawals', '/invoices/a/webhooks']) {
    expect((await second.api('GET', path)).text).toBe((await first.api('GET', path)).text);
  }
  expect(second.sandbox.deliveries()).toEqual(first.sandbox.deliveries());
  expect(second.sandbox.now()).toEqual(first.sandbox.now());
});

it('a sandbox from the state of another makes an attempt again that was under way', async () => {
  const { sandbox } = await withOrder({ fetch: () => new Promise(() => undefined) });
  void sandbox.pay('a');
  expect(sandbox.deliveries('a')[0]?.status).toBe('delivering');
  const second = testSandbox({ state: carried(sandbox.state()), ...receives(200) });
  await second.advance(0);
  expect(second.deliveries('a')[0]).toMatchObject({ attempts: 1, status: 'delivered' });
});

it('a state keeps a running clock as far ahead as it was, and a standing one where it stood', async () => {
  let wall = 1_000_000;
  const real = { clock: 'real', wallClock: () => wall } as const;
  const first = testSandbox(real);
  await first.advance('1h');
  const state = carried(first.state());
  wall += 5_000;
  expect(
    testSandbox({ ...real, state })
      .now()
      .getTime(),
  ).toBe(1_000_000 + 3_600_000 + 5_000);
  expect(
    testSandbox({ state, wallClock: () => wall })
      .now()
      .getTime(),
  ).toBe(1_000_000 + 3_600_000);
});

it('a state with a delivery without its invoice is refused', async () => {
  const { sandbox } = await withOrder(receives(200));
  await sandbox.pay('a');
  expect(() => testSandbox({ state: { ...sandbox.state(), invoices: [] } })).toThrow('state: the invoice of delivery');
});

it('a version stands for these members: raise it in saved-state.ts when one changes', async () => {
  const { sandbox } = await withOrder(receives(500));
  await sandbox.underpay('a', '17.00');
  const { invoices, deliveries, withdrawals, ...rest } = sandbox.state();
  const members = (rows: readonly object[]): string =>
    Object.keys(rows[0] ?? {})
      .sort()
      .join(' ');
  expect([rest.version, Object.keys(rest).join(' '), ...[invoices, deliveries, withdrawals].map(members)]).toEqual([
    4,
    'version seed position requestCount now wall',
    'adjustment amount amountToSend callback_url createdAt currency customer_id expiresAt external_id fail_url finishedAt method purpose rate settledUsdt status success_url uuid',
    'body createdAt deliveredAt eventType firstStamp id invoice log made nextRetryAt status url',
    'actor address amount amount_to_send balance_type created_at logo_url network network_commission processed_at reject_reason status token tx_hash uuid',
  ]);
});
