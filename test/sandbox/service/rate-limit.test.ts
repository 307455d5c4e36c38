import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { inProcess, ORDER } from '../loopback.ts';

function limited(rateLimit: string) {
  const clock = { now: 1_000_000 };
  const { api, sandbox } = inProcess({ rateLimit, wallClock: () => clock.now });
  const status = async () => (await api('GET', '/rates')).status;
  return { api, sandbox, clock, status };
}

describe('the option rateLimit', () => {
  it('admits the given number in any window of that length, and says when the next one is admitted', async () => {
    const { api, clock, status } = limited('3/s');
    expect([await status(), await status()]).toEqual([200, 200]);
    clock.now += 600;
    expect([await status(), await status()]).toEqual([200, 429]);
    clock.now += 399;
    expect(await status()).toBe(429);
    clock.now += 1; // the first two are a second old
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    const { headers, json } = await api('GET', '/rates');
    expect([headers.get('retry-after'), json.error.code]).toEqual(['1', 'RATE_LIMIT_EXCEEDED']);
  });

  it('names the whole wait of a long window', async () => {
    const { api, clock, status } = limited('1/min');
    expect(await status()).toBe(200);
    clock.now += 12_500;
    expect((await api('GET', '/rates')).headers.get('retry-after')).toBe('48');
  });

  it('refuses before the work, counts wrong keys, and leaves the pages alone', async () => {
    const { api, sandbox } = limited('1/h');
    expect((await api('GET', '/rates', undefined, { 'X-Api-Key': 'wrong' })).status).toBe(401);
    expect((await api('POST', '/invoices', ORDER)).status).toBe(429);
    expect(sandbox.invoices()).toEqual([]);
    expect((await sandbox.fetch('https://sandbox.invalid/')).status).toBe(200);
    expect(sandbox.requests().at(-1)).toMatchObject({ status: 429, why: 'the option rateLimit' });
  });

  it('uses the dialect, and begins anew after a reset', async () => {
    const { api, sandbox } = inProcess({
      rateLimit: '1/h',
      dialect: { failureCodes: 'specific', retryAfterForm: 'absent' },
    });
    await api('GET', '/rates');
    const refused = await api('GET', '/rates');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, null]);
    sandbox.reset();
    expect((await api('GET', '/rates')).status).toBe(200);
  });

  it.each(['10', '0/s', '10/day', '-1/s', '1000000/s', 10])('refuses %s', (rateLimit) => {
    // One of the values is a number on purpose.
    expect(() => createSandbox({ rateLimit: rateLimit as string })).toThrow(/rateLimit must be .* such as "10\/s"/);
  });
});

it('a currency that cannot be charged is refused with those that can', async () => {
  const { api } = inProcess({});
  const { status, json } = await api('POST', '/invoices', { ...ORDER, currency: 'XXX' });
  const [message] = json.error.details.currency;
  expect([status, message]).toEqual([
    422,
    'is not an active currency allowed for the business: EUR, USD, TRY, BRL, INR',
  ]);
});
