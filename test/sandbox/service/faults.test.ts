import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../src/errors/classes.ts';
import type { DeliveryFault } from '../../../src/sandbox/index.ts';
import { inProcess, listening, ORDER, receiver } from '../loopback.ts';

describe.each(['over HTTP', 'in process'])('%s', (way) => {
  /** A sandbox, and a creation whose response is not read yet. */
  async function start(options: Parameters<typeof inProcess>[0] = {}) {
    const { sandbox, api, ...server } = way === 'over HTTP' ? await listening(options) : inProcess(options);
    const [send, base] = 'url' in server ? [fetch, server.url] : [sandbox.fetch, 'https://pay.example.com'];
    const init = { method: 'POST', headers: { 'X-Api-Key': sandbox.apiKey }, body: JSON.stringify(ORDER) };
    const create = (signal: AbortSignal | null = null): Promise<Response> =>
      send(`${base}/api/v1/external/invoices`, { ...init, signal });
    return { sandbox, api, create };
  }

  it.each([
    ['rate limit, before the work', { type: 'rate_limit', retryAfter: 3 }, 429, '3', 'RATE_LIMIT_EXCEEDED', 0],
    ['server error, before the work', { type: 'server_error' }, 503, null, 'SERVICE_UNAVAILABLE', 0],
    ['server error of a status', { type: 'server_error', status: 500 }, 500, null, 'SERVICE_UNAVAILABLE', 0],
    ['server error after the work', { type: 'server_error', afterWork: true }, 503, null, 'SERVICE_UNAVAILABLE', 1],
  ] as const)('%s', async (_, fault, status, retryAfter, code, invoices) => {
    const { api, sandbox, create } = await start();
    sandbox.faults.next(fault);
    const refused = await create();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect(await refused.json()).toMatchObject({ success: false, error: { code } });
    expect(sandbox.invoices()).toHaveLength(invoices);
    expect((await api('GET', '/rates')).status).toBe(200);
  });

  it('html: the page of a proxy', async () => {
    const { api, sandbox } = await start();
    sandbox.faults.next('html');
    const { status, headers, text } = await api('GET', '/rates');
    expect([status, headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8']);
    expect(text).toContain('<h1>');
  });

  it.each([
    ['reset_before', 0],
    ['reset_after', 1],
  ] as const)('%s: no response, %i invoices', async (type, invoices) => {
    const { sandbox, create } = await start();
    sandbox.faults.next(type);
    await expect(create()).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'UND_ERR_SOCKET' } });
    expect(sandbox.invoices()).toHaveLength(invoices);
    expect(sandbox.requests().at(-1)).toMatchObject({ status: null, fault: type });
  });

  it.each([
    ['malformed', SyntaxError],
    ['truncated', TypeError],
  ] as const)('%s: a success status and no JSON, the work done', async (fault, problem) => {
    const { sandbox, create } = await start();
    sandbox.faults.next(fault);
    const response = await create();
    expect(response.status).toBe(201);
    await expect(response.json()).rejects.toBeInstanceOf(problem);
    expect(sandbox.invoices()).toHaveLength(1);
  });

  it('slow: the whole body, after one wait for each piece', async () => {
    const waits: number[] = [];
    const sleep = async (milliseconds: number): Promise<void> => void waits.push(milliseconds);
    const { sandbox, create } = await start({ sleep });
    sandbox.faults.next({ type: 'slow', delay: 250 });
    expect(await (await create()).json()).toMatchObject({ success: true });
    expect(waits.slice(0, 4)).toEqual([250, 250, 250, 250]);
  });

  it('hang: no response until the caller gives up', async () => {
    const { sandbox, create } = await start();
    sandbox.faults.next('hang');
    const giveUp = new AbortController();
    const asked = create(giveUp.signal);
    await vi.waitFor(() => expect(sandbox.requests()).toHaveLength(1), { timeout: 30_000 });
    giveUp.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    expect(sandbox.invoices()).toEqual([]);
  });
});

it('a fault applies to the operation that it waits for, as often as asked, in order', async () => {
  const { api, sandbox } = inProcess();
  sandbox.faults.next({ type: 'server_error', status: 500 }, { operation: 'rates.list', times: 2 });
  sandbox.faults.next({ type: 'server_error', status: 504 }, { operation: 'rates.list' });
  sandbox.faults.next('wrong_signature'); // waits for a delivery, not for a request
  expect((await api('GET', '/payment-methods')).status).toBe(200);
  const statuses = [];
  for (let at = 0; at < 4; at += 1) statuses.push((await api('GET', '/rates')).status);
  expect(statuses).toEqual([500, 500, 504, 200]);
  expect(sandbox.faults.queued()).toMatchObject([{ fault: { type: 'wrong_signature' }, times: 1 }]);
});

it('chance repeats with the seed, differs without, and ends with clear', async () => {
  const run = async (seed: number): Promise<number[]> => {
    const { api, sandbox } = inProcess();
    sandbox.faults.random(0.4, seed, ['server_error', { type: 'rate_limit' }]);
    const statuses: number[] = [];
    for (let at = 0; at < 40; at += 1) statuses.push((await api('GET', '/rates')).status);
    sandbox.faults.random(1, 1, ['html']);
    sandbox.faults.clear();
    expect((await api('GET', '/rates')).status).toBe(200);
    return statuses;
  };
  const first = await run(3);
  expect(new Set(first)).toEqual(new Set([200, 429, 503]));
  expect(await run(3)).toEqual(first);
  expect(await run(4)).not.toEqual(first);
});

it('faults from the start strike, by chance where they have a rate, and come back with reset', async () => {
  const rate_limit = { fault: 'rate_limit', rate: 0.5, times: 100, seed: 4 } as const;
  const { api, sandbox } = inProcess({ faults: [{ fault: 'html' }, rate_limit] });
  const statuses = async (): Promise<number[]> => {
    const found: number[] = [];
    for (let at = 0; at < 20; at += 1) found.push((await api('GET', '/rates')).status);
    return found;
  };
  const first = await statuses();
  expect([first[0], new Set(first.slice(1))]).toEqual([502, new Set([200, 429])]);
  sandbox.reset();
  expect(await statuses()).toEqual(first);
});

it.each([0, -1, 1.1, Number.NaN])('a fault cannot have the rate %d', (rate) => {
  expect(() => inProcess({ faults: [{ fault: 'html', rate }] })).toThrow(/rate must be above 0/);
});

describe('a delivery', () => {
  async function struck(fault: DeliveryFault) {
    const hook = await receiver();
    const wall = Date.parse('2027-05-05T05:05:05Z');
    const { api, sandbox } = inProcess({ wallClock: () => wall });
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    sandbox.faults.next(fault);
    await sandbox.pay('order-1042');
    const [delivery] = sandbox.deliveries();
    const sent = hook.received.map(({ headers, body }) => {
      const stamp = headers['x-webhook-timestamp'];
      const right = (text: string): boolean => {
        const expected = createHmac('sha256', 'whsec_of_the_tests').update(`${stamp}.${text}`).digest('hex');
        return headers['x-webhook-signature'] === expected;
      };
      const text = body.toString();
      return {
        age: wall / 1000 - Number(stamp),
        isSigned: right(text),
        wasSigned: right(delivery?.body ?? ''),
        isSame: text === delivery?.body,
        id: headers['x-webhook-id'],
        data: JSON.parse(text),
      };
    });
    return { sent, delivery };
  }

  it.each([
    [{ type: 'wrong_signature' }, { age: 0, isSigned: false, isSame: true }, 1],
    [{ type: 'late_timestamp' }, { age: 600, isSigned: true, isSame: true }, 1],
    [{ type: 'late_timestamp', age: -3_600_000 }, { age: -3600, isSigned: true, isSame: true }, 1],
    [{ type: 'duplicate' }, { age: 0, isSigned: true, isSame: true }, 2],
    [{ type: 'reserialized' }, { age: 0, isSigned: false, wasSigned: true, isSame: false }, 1],
  ] as const)('is spoilt by %j, as one attempt', async (fault, seen, times) => {
    const { sent, delivery } = await struck(fault);
    const data = JSON.parse(delivery?.body ?? '');
    expect(sent).toMatchObject(Array.from({ length: times }, () => ({ ...seen, id: delivery?.id, data })));
    expect(delivery?.attempts).toBe(1);
  });
});

it.each([
  ['a name that is none', 'next', ['flood']],
  ['nothing', 'next', [undefined]],
  ['a status below 400', 'next', [{ type: 'server_error', status: 200 }]],
  ['no times', 'next', ['hang', { times: 0 }]],
  ['a rate above 1', 'random', [2]],
] as const)('refuses %s', (_, name, values) => {
  const faults = inProcess().sandbox.faults as unknown as Record<string, (...given: unknown[]) => void>; // plain JavaScript
  expect(() => faults[name]?.(...values)).toThrow(ConfigurationError);
});
