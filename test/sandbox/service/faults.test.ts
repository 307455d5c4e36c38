import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../src/errors/classes.ts';
import type { Fault } from '../../../src/sandbox/index.ts';
import { inProcess, listening, ORDER, receiver } from '../loopback.ts';

const noSleep = {
  sleep: (milliseconds: number, signal?: AbortSignal) =>
    milliseconds > 10_000
      ? new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
      : Promise.resolve(),
};

describe.each([
  ['over HTTP', listening],
  ['in process', async (options: Parameters<typeof inProcess>[0]) => inProcess(options)],
] as const)('%s', (_, make) => {
  it.each([
    ['rate limit, before the work', { type: 'rate_limit', retryAfter: 3 }, 429, '3', 'RATE_LIMIT_EXCEEDED', 0],
    ['server error, before the work', { type: 'server_error' }, 503, null, 'SERVICE_UNAVAILABLE', 0],
    ['server error of a status', { type: 'server_error', status: 500 }, 500, null, 'SERVICE_UNAVAILABLE', 0],
    ['server error after the work', { type: 'server_error', afterWork: true }, 503, null, 'SERVICE_UNAVAILABLE', 1],
  ] as const)('%s', async (_, fault, status, retryAfter, code, invoices) => {
    const { api, sandbox } = await make({});
    sandbox.faults.next(fault);
    const refused = await api('POST', '/invoices', ORDER);
    expect([refused.status, refused.headers.get('retry-after'), refused.json.error.code]).toEqual([
      status,
      retryAfter,
      code,
    ]);
    expect(sandbox.invoices()).toHaveLength(invoices);
    expect((await api('GET', '/rates')).status).toBe(200);
  });

  it('html: the page of a proxy', async () => {
    const { api, sandbox } = await make({});
    sandbox.faults.next('html');
    const { status, headers, text } = await api('GET', '/rates');
    expect([status, headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8']);
    expect(text).toContain('<h1>');
  });

  it.each([
    ['reset_before', 0],
    ['reset_after', 1],
  ] as const)('%s: no answer, %i invoices', async (type, invoices) => {
    const { api, sandbox } = await make({});
    sandbox.faults.next(type);
    await expect(api('POST', '/invoices', ORDER)).rejects.toMatchObject({
      name: 'TypeError',
      cause: { code: 'UND_ERR_SOCKET' },
    });
    expect(sandbox.invoices()).toHaveLength(invoices);
    expect(sandbox.requests().at(-1)).toMatchObject({ status: null, fault: type });
  });

  it.each([
    ['malformed', SyntaxError],
    ['truncated', TypeError],
  ] as const)('%s: a success status and no JSON, the work done', async (fault, problem) => {
    const { sandbox, url } = await withAddress(make);
    sandbox.faults.next(fault);
    const response = await sendOrder(sandbox, url);
    expect(response.status).toBe(201);
    await expect(response.json()).rejects.toBeInstanceOf(problem);
    expect(sandbox.invoices()).toHaveLength(1);
  });

  it('slow: the whole body, after one wait for each piece', async () => {
    const waits: number[] = [];
    const { sandbox, url } = await withAddress(make, async (milliseconds) => {
      waits.push(milliseconds);
    });
    sandbox.faults.next({ type: 'slow', delay: 250 });
    const response = await sendOrder(sandbox, url);
    expect(((await response.json()) as { success: boolean }).success).toBe(true);
    expect(waits.slice(0, 4)).toEqual([250, 250, 250, 250]);
  });

  it('hang: no answer until the caller gives up', async () => {
    const { sandbox, url } = await withAddress(make);
    sandbox.faults.next('hang');
    const giveUp = new AbortController();
    const asked = sendOrder(sandbox, url, giveUp.signal);
    await vi.waitFor(() => expect(sandbox.requests()).toHaveLength(1), { timeout: 30_000 });
    giveUp.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    expect(sandbox.invoices()).toEqual([]);
  });

  it('strikes the operation it waits for, as often as asked, in order', async () => {
    const { api, sandbox } = await make({});
    sandbox.faults.next({ type: 'server_error', status: 500 }, { operation: 'rates.list', times: 2 });
    sandbox.faults.next({ type: 'server_error', status: 504 }, { operation: 'rates.list' });
    expect((await api('GET', '/payment-methods')).status).toBe(200);
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await api('GET', '/rates')).status);
    expect(statuses).toEqual([500, 500, 504, 200]);
    expect(sandbox.faults.queued()).toEqual([]);
  });
});

type Make = typeof listening | ((options: Parameters<typeof inProcess>[0]) => Promise<ReturnType<typeof inProcess>>);

async function withAddress(make: Make, sleep: (milliseconds: number) => Promise<void> = noSleep.sleep) {
  const context = await make({ sleep });
  return { ...context, url: 'url' in context ? String(context.url) : null };
}

function sendOrder(
  sandbox: ReturnType<typeof inProcess>['sandbox'],
  url: string | null,
  signal?: AbortSignal,
): Promise<Response> {
  const send = url === null ? sandbox.fetch : fetch;
  return send(`${url ?? 'https://pay.example.com'}/api/v1/external/invoices`, {
    method: 'POST',
    headers: { 'X-Api-Key': sandbox.apiKey },
    body: JSON.stringify(ORDER),
    ...(signal === undefined ? {} : { signal }),
  });
}

describe('chance', () => {
  async function run(seed: number) {
    const { api, sandbox } = inProcess();
    sandbox.faults.random(0.4, seed, ['server_error', { type: 'rate_limit' }]);
    const statuses: number[] = [];
    for (let i = 0; i < 40; i += 1) statuses.push((await api('GET', '/rates')).status);
    return statuses;
  }

  it('repeats with the seed and differs without', async () => {
    const first = await run(3);
    expect(new Set(first)).toEqual(new Set([200, 429, 503]));
    expect(await run(3)).toEqual(first);
    expect(await run(4)).not.toEqual(first);
  });

  it('ends with clear', async () => {
    const { api, sandbox } = inProcess();
    sandbox.faults.random(1, 1, ['html']);
    expect((await api('GET', '/rates')).status).toBe(502);
    sandbox.faults.clear();
    expect((await api('GET', '/rates')).status).toBe(200);
  });
});

describe('deliveries', () => {
  async function struck(
    fault: Fault['type'] | Parameters<ReturnType<typeof inProcess>['sandbox']['faults']['next']>[0],
  ) {
    const hook = await receiver();
    const wall = Date.parse('2027-05-05T05:05:05Z');
    const { api, sandbox } = inProcess({ wallClock: () => wall });
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    sandbox.faults.next(fault);
    await sandbox.pay('order-1042');
    const [first] = hook.received;
    if (first === undefined) throw new Error('nothing was delivered');
    const stamp = Number(first.headers['x-webhook-timestamp']);
    const right = (body: Buffer | string) =>
      createHmac('sha256', 'whsec_sandbox').update(`${stamp}.`).update(body).digest('hex');
    return { hook, first, age: wall / 1000 - stamp, right, signature: first.headers['x-webhook-signature'], sandbox };
  }

  it('wrong signature', async () => {
    const { first, right, signature, age } = await struck('wrong_signature');
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    expect(signature).not.toBe(right(first.body));
    expect(age).toBe(0);
  });

  it.each([
    ['late_timestamp', 600],
    [{ type: 'late_timestamp', age: -3_600_000 }, -3600],
  ] as const)('late timestamp %j, rightly signed', async (fault, seconds) => {
    const { first, right, signature, age } = await struck(fault);
    expect([age, signature]).toEqual([seconds, right(first.body)]);
  });

  it('duplicate: the same request twice, one attempt', async () => {
    const { hook, sandbox } = await struck('duplicate');
    expect(hook.received).toHaveLength(2);
    expect(hook.received[1]?.headers['x-webhook-id']).toBe(hook.received[0]?.headers['x-webhook-id']);
    expect(hook.received[1]?.body).toEqual(hook.received[0]?.body);
    expect(sandbox.deliveries()[0]?.attempts).toBe(1);
  });

  it('re-serialised: the same data, other bytes than were signed', async () => {
    const { first, right, signature, sandbox } = await struck('reserialized');
    const signed = sandbox.deliveries()[0]?.body ?? '';
    expect(signature).toBe(right(signed));
    expect(first.body.toString()).not.toBe(signed);
    expect(JSON.parse(first.body.toString())).toEqual(JSON.parse(signed));
  });

  it('waits for a delivery, not for a request', async () => {
    const { api, sandbox } = inProcess();
    sandbox.faults.next('wrong_signature');
    expect((await api('GET', '/rates')).status).toBe(200);
    expect(sandbox.faults.queued()).toHaveLength(1);
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
