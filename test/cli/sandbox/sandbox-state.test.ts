import { describe, expect, it } from 'vitest';
import type { Sandbox, SandboxOptions, SandboxState } from '../../../src/sandbox/index.ts';
import { testSandbox } from '../../support/test-sandbox.ts';

async function create(sandbox: Sandbox, external_id: string, callback_url?: string): Promise<void> {
  await sandbox.fetch(`${sandbox.url}/api/v1/external/invoices`, {
    method: 'POST',
    headers: { 'X-Api-Key': sandbox.apiKey },
    body: JSON.stringify({ external_id, customer_id: 'c', amount: '25.00', currency: 'EUR', callback_url }),
  });
}

const HOUR = 3_600_000;
/** As a file would carry it. */
const carried = (state: SandboxState): SandboxState => JSON.parse(JSON.stringify(state));
const receives = (status: number): Pick<SandboxOptions, 'fetch'> => ({
  fetch: () => Promise.resolve(new Response(null, { status })),
});

describe('a sandbox from the state of another', () => {
  it('holds the same, and answers the same bytes', async () => {
    const first = testSandbox({ seed: 3, now: 0, ...receives(500) });
    await create(first, 'a', 'http://127.0.0.1:1/hook');
    await create(first, 'b');
    await first.underpay('a', '17.00');
    const second = testSandbox({ state: carried(first.state()) });
    expect(second.seed).toBe(3);
    expect(second.invoices()).toEqual(first.invoices());
    expect(second.deliveries()).toEqual(first.deliveries());
    expect(second.now()).toEqual(first.now());
    const list = async (sandbox: Sandbox): Promise<string> => {
      const headers = { 'X-Api-Key': sandbox.apiKey };
      const paths = ['invoices', 'withdrawals', 'invoices/a/webhooks'];
      const texts = paths.map(async (path) =>
        (await sandbox.fetch(`${sandbox.url}/api/v1/external/${path}`, { headers })).text(),
      );
      return (await Promise.all(texts)).join('\n');
    };
    expect(await list(second)).toBe(await list(first));
  });

  it('makes an attempt again that was under way', async () => {
    const first = testSandbox({ fetch: () => new Promise(() => undefined) });
    await create(first, 'a', 'http://127.0.0.1:1/hook');
    void first.pay('a');
    expect(first.deliveries('a')[0]?.status).toBe('delivering');
    const second = testSandbox({ state: carried(first.state()), ...receives(200) });
    await second.advance(0);
    expect(second.deliveries('a')[0]).toMatchObject({ attempts: 1, status: 'delivered' });
    await first.close();
  });

  it('keeps a running clock as far ahead as it was, and a standing one where it stood', async () => {
    let wall = 1_000_000;
    const real = { clock: 'real', wallClock: () => wall } as const;
    const first = testSandbox(real);
    await first.advance(HOUR);
    const state = carried(first.state());
    wall += 5_000;
    expect(
      testSandbox({ ...real, state })
        .now()
        .getTime(),
    ).toBe(1_000_000 + HOUR + 5_000);
    expect(
      testSandbox({ state, wallClock: () => wall })
        .now()
        .getTime(),
    ).toBe(1_000_000 + HOUR);
  });

  it.each([
    ['not an object', null],
    ['another version', { version: 2 }],
    ['a delivery without its invoice', { invoices: [] }],
  ])('refuses %s', async (_, change) => {
    const first = testSandbox(receives(200));
    await create(first, 'a', 'http://127.0.0.1:1/hook');
    await first.pay('a');
    const state = change === null ? null : { ...first.state(), ...change };
    expect(() => testSandbox({ state: state as SandboxState })).toThrow(/state/);
  });
});

it('a version stands for these members: raise it in saved-state.ts when one changes', async () => {
  const sandbox = testSandbox(receives(500));
  await create(sandbox, 'a', 'http://127.0.0.1:1/hook');
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
    'body createdAt deliveredAt eventType finding firstStamp id invoice log made nextRetryAt status url',
    'actor address amount amount_to_send balance_type created_at logo_url network network_commission processed_at reject_reason status token tx_hash uuid',
  ]);
});

describe('freeze', () => {
  it('stops a running clock, advance moves it, unfreeze lets it run on from there', async () => {
    let wall = 1_000;
    const sandbox = testSandbox({ clock: 'real', wallClock: () => wall });
    wall += 10;
    sandbox.freeze();
    wall += 500;
    expect([sandbox.frozen, sandbox.now().getTime()]).toEqual([true, 1_010]);
    await sandbox.advance(90);
    sandbox.unfreeze();
    wall += 7;
    expect([sandbox.frozen, sandbox.now().getTime()]).toEqual([false, 1_107]);
    await sandbox.close();
  });
});

describe('faults from the start', () => {
  it('strike, by chance where they have a rate, and come back with reset', async () => {
    const sandbox = testSandbox({
      faults: [{ fault: 'html' }, { fault: 'rate_limit', rate: 0.5, times: 100, seed: 4 }],
    });
    const statuses = async (): Promise<number[]> => {
      const found: number[] = [];
      for (let count = 0; count < 20; count += 1) {
        const headers = { 'X-Api-Key': sandbox.apiKey };
        found.push((await sandbox.fetch(`${sandbox.url}/api/v1/external/rates`, { headers })).status);
      }
      return found;
    };
    const first = await statuses();
    expect(first[0]).toBe(502);
    expect(new Set(first.slice(1))).toEqual(new Set([200, 429]));
    sandbox.reset();
    expect(await statuses()).toEqual(first);
    sandbox.faults.clear();
    expect(await statuses()).toEqual(Array.from({ length: 20 }, () => 200));
  });

  it('want a rate that is one', () => {
    for (const rate of [0, -1, 1.1, Number.NaN]) {
      expect(() => testSandbox({ faults: [{ fault: 'html', rate }] })).toThrow(/rate must be above 0/);
    }
  });
});
