import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../../src/errors/classes.ts';
import type { DeliveryFault, RequestFault } from '../../../../src/tools/sandbox/index.ts';
import { inProcess, listening, ORDER, receiver } from '../loopback.ts';

/** A fault, what the caller of a creation sees, and how many invoices there are afterwards. */
const STRUCK: readonly (readonly [fault: RequestFault, seen: object, invoices: number])[] = [
  [{ type: 'rate_limit' }, { status: 429, retryAfter: null, code: 'RATE_LIMIT_EXCEEDED' }, 0],
  [{ type: 'rate_limit', retryAfter: 3 }, { status: 429, retryAfter: '3', code: 'RATE_LIMIT_EXCEEDED' }, 0],
  [{ type: 'server_error' }, { status: 503, retryAfter: null, code: 'SERVICE_UNAVAILABLE' }, 0],
  [{ type: 'server_error', status: 500 }, { status: 500, retryAfter: null, code: 'SERVICE_UNAVAILABLE' }, 0],
  [{ type: 'server_error', afterWork: true }, { status: 503, retryAfter: null, code: 'SERVICE_UNAVAILABLE' }, 1],
  [{ type: 'html' }, { status: 502, type: 'text/html; charset=utf-8', unreadable: 'SyntaxError' }, 0],
  [{ type: 'html', afterWork: true }, { status: 502, unreadable: 'SyntaxError' }, 1],
  [{ type: 'malformed' }, { status: 201, type: 'application/json', unreadable: 'SyntaxError' }, 1],
  [{ type: 'truncated' }, { status: 201, type: 'application/json', unreadable: 'TypeError' }, 1],
  [{ type: 'reset_before' }, { name: 'TypeError', cause: { code: 'UND_ERR_SOCKET' } }, 0],
  [{ type: 'reset_after' }, { name: 'TypeError', cause: { code: 'UND_ERR_SOCKET' } }, 1],
];

async function seenOf(response: Response): Promise<object> {
  const { status, headers } = response;
  const seen = { status, type: headers.get('content-type'), retryAfter: headers.get('retry-after') };
  return await response.json().then(
    ({ error }) => ({ ...seen, code: error?.code }),
    ({ name }) => ({ ...seen, unreadable: name }),
  );
}

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

  it.each(STRUCK)('the fault %j lets the caller see %j, with %i invoices', async (fault, seen, invoices) => {
    const { api, sandbox, create } = await start();
    sandbox.faults.next(fault);
    expect(await create().then(seenOf, (error: unknown) => error)).toMatchObject(seen);
    expect(sandbox.invoices()).toHaveLength(invoices);
    expect(sandbox.requests().at(-1)?.fault).toBe(fault.type);
    expect((await api('GET', '/rates')).status).toBe(200);
  });

  it('the fault slow sends the whole body, after one wait for each piece', async () => {
    const waits: number[] = [];
    const sleep = async (milliseconds: number): Promise<void> => void waits.push(milliseconds);
    const { sandbox, create } = await start({ sleep });
    sandbox.faults.next({ type: 'slow', delay: 250 });
    expect(await (await create()).json()).toMatchObject({ success: true });
    expect(waits.slice(0, 4)).toEqual([250, 250, 250, 250]);
  });

  it('the fault hang sends no response until the caller gives up', async () => {
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

async function statuses({ api }: ReturnType<typeof inProcess>, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let at = 0; at < count; at += 1) found.push((await api('GET', '/rates')).status);
  return found;
}

it('a fault applies to the operation that it waits for, as often as asked, in order', async () => {
  const context = inProcess();
  const { faults } = context.sandbox;
  faults.next({ type: 'server_error', status: 500 }, { operation: 'rates.list', times: 2 });
  faults.next({ type: 'server_error', status: 504 }, { operation: 'rates.list' });
  faults.next('wrong_signature'); // waits for a delivery, not for a request
  expect((await context.api('GET', '/payment-methods')).status).toBe(200);
  expect(await statuses(context, 4)).toEqual([500, 500, 504, 200]);
  expect(faults.queued()).toMatchObject([{ fault: { type: 'wrong_signature' }, times: 1 }]);
});

it('chance repeats with the seed, differs without, and ends with clear', async () => {
  const run = async (seed: number): Promise<number[]> => {
    const context = inProcess();
    const { faults } = context.sandbox;
    for (const type of ['server_error', 'rate_limit'] as const)
      faults.next(type, { rate: 0.2, times: Number.POSITIVE_INFINITY, seed: `${seed} ${type}` });
    const found = await statuses(context, 40);
    faults.next('html', { rate: 1, times: Number.POSITIVE_INFINITY });
    faults.clear();
    expect(await statuses(context, 1)).toEqual([200]);
    return found;
  };
  const first = await run(3);
  expect(new Set(first)).toEqual(new Set([200, 429, 503]));
  expect(await run(3)).toEqual(first);
  expect(await run(4)).not.toEqual(first);
});

it('a fault at random is another one for each request, and never a hang', async () => {
  const { sandbox, api } = inProcess();
  const { faults } = sandbox;
  faults.next({ rate: 0.9, times: Number.POSITIVE_INFINITY, seed: 3 });
  expect(faults.queued()).toMatchObject([{ fault: { type: 'random' }, rate: 0.9 }]);
  const ask = (): Promise<unknown> => api('GET', '/rates').catch(() => undefined);
  for (let at = 0; at < 60; at += 1) await ask();
  const seen = new Set(sandbox.requests().map(({ fault }) => fault));
  expect(seen.size).toBeGreaterThan(6);
  expect([seen.has('hang'), seen.has('random'), seen.has(null)]).toEqual([false, false, true]);
});

it('faults from the start strike, by chance where they have a rate, and come back with reset', async () => {
  const rate_limit = { fault: 'rate_limit', rate: 0.5, times: 100, seed: 4 } as const;
  const context = inProcess({ faults: [{ fault: 'html' }, rate_limit] });
  const first = await statuses(context, 20);
  expect([first[0], new Set(first.slice(1))]).toEqual([502, new Set([200, 429])]);
  context.sandbox.reset();
  expect(await statuses(context, 20)).toEqual(first);
});

it.each([
  ['nothing', 'next', [undefined]],
  ['a status below 400', 'next', [{ type: 'server_error', status: 200 }]],
  ['no times', 'next', ['hang', { times: 0 }]],
  ['a mistyped option', 'next', ['hang', { methd: 1 }]],
  ['no rate', 'next', ['hang', { rate: 0 }]],
  ['a negative rate', 'next', ['hang', { rate: -1 }]],
  ['a rate above 1', 'next', ['hang', { rate: 1.1 }]],
  ['a rate that is no number', 'next', ['hang', { rate: Number.NaN }]],
  ['a random rate above 1', 'next', [{ rate: 2 }]],
  ['a mistyped option of a random one', 'next', [{ rat: 0.2 }]],
] as const)('faults refuse %s', (_, name, values) => {
  const faults = inProcess().sandbox.faults as unknown as Record<string, (...given: unknown[]) => void>; // plain JavaScript
  expect(() => faults[name]?.(...values)).toThrow(ConfigurationError);
});

it.each([
  [
    ['rate_limit', { retryAfter: 60 }],
    "retryAfter stands in the fault, as in faults.next({ type: 'rate_limit', retryAfter })",
  ],
  [[{ type: 'hang', times: 2 }], "times stands beside the fault, as in faults.next({ type: 'hang' }, { times })"],
  [[{ type: 'outage' }, { for: '2h' }], "for stands in the fault, as in faults.next({ type: 'outage', for })"],
] as const)('a setting in the other place is shown in its own: %j', (values, message) => {
  const faults = inProcess().sandbox.faults as unknown as { next(...given: unknown[]): void }; // plain JavaScript
  expect(() => faults.next(...values)).toThrow(message);
});

it.each<[DeliveryFault, object, number]>([
  [{ type: 'wrong_signature' }, { age: 0, isSigned: false, isSame: true }, 1],
  [{ type: 'late_timestamp' }, { age: 600, isSigned: true, isSame: true }, 1],
  [{ type: 'late_timestamp', age: -3_600_000 }, { age: -3600, isSigned: true, isSame: true }, 1],
  [{ type: 'duplicate' }, { age: 0, isSigned: true, isSame: true }, 2],
  [{ type: 'reserialized' }, { age: 0, isSigned: false, wasSigned: true, isSame: false }, 1],
])('the fault %j spoils a webhook as %j, as one attempt', async (fault, seen, times) => {
  const hook = await receiver();
  const wall = Date.parse('2027-05-05T05:05:05Z');
  const { api, sandbox } = inProcess({ wallClock: () => wall });
  await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
  sandbox.faults.next(fault);
  await sandbox.pay('order-1042');
  const { id, attempts, body: original = '' } = sandbox.deliveries()[0] ?? {};
  const sent = hook.received.map(({ headers, body }) => {
    const stamp = headers['x-webhook-timestamp'];
    const signs = (text: string): boolean =>
      headers['x-webhook-signature'] ===
      createHmac('sha256', 'whsec_of_the_tests').update(`${stamp}.${text}`).digest('hex');
    const text = body.toString();
    return {
      ...{
        age: wall / 1000 - Number(stamp),
        isSigned: signs(text),
        wasSigned: signs(original),
        isSame: text === original,
      },
      ...{ id: headers['x-webhook-id'], data: JSON.parse(text) },
    };
  });
  const expected = { ...seen, id, data: JSON.parse(original) };
  expect(sent).toMatchObject(Array.from({ length: times }, () => expected));
  expect(attempts).toBe(1);
});

describe('of two orders', () => {
  async function two() {
    const hook = await receiver();
    const { sandbox, api } = inProcess();
    for (const external_id of ['a', 'b']) sandbox.create({ ...ORDER, external_id, callback_url: hook.url });
    const bodies = (): string[] => hook.received.map(({ body }) => JSON.parse(body.toString()).external_id);
    return { sandbox, api, bodies };
  }

  it('a fault strikes the requests and webhooks of its order alone', async () => {
    const { sandbox, api, bodies } = await two();
    sandbox.faults.next('rate_limit', { order: 'b', times: 2 });
    sandbox.faults.next('outage', { order: 'b' });
    expect((await api('GET', '/invoices/a')).status).toBe(200);
    expect((await api('GET', `/invoices/${sandbox.invoice('b').uuid}`)).status).toBe(429);
    expect((await api('POST', '/invoices', { ...ORDER, external_id: 'b' })).status).toBe(429);
    await sandbox.pay('a');
    expect((await sandbox.pay('b')).delivery).toMatchObject({ state: 'retrying', status: null });
    expect(bodies()).toEqual(['a']);
  });

  it('the one under ack_lost reaches the receiver, and reaches it again', async () => {
    const { sandbox, bodies } = await two();
    sandbox.faults.next('ack_lost');
    expect((await sandbox.pay('a')).delivery).toMatchObject({ state: 'retrying', status: null });
    await sandbox.advance('1m');
    expect([bodies(), sandbox.deliveries('a')[0]?.status]).toEqual([['a', 'a'], 'delivered']);
  });

  it('the one under hold has its webhook after a later one', async () => {
    const { sandbox, bodies } = await two();
    sandbox.faults.next({ type: 'hold', for: '2h' }, { order: 'a' });
    expect((await sandbox.pay('a')).delivery).toEqual({ state: 'waiting', status: null, why: null });
    await sandbox.pay('b');
    await sandbox.advance('119m');
    expect(bodies()).toEqual(['b']);
    await sandbox.advance('1m');
    expect([bodies(), sandbox.deliveries('a')[0]?.attempts]).toEqual([['b', 'a'], 1]);
  });

  it('one that is sent again waits for no hold', async () => {
    const { sandbox, bodies } = await two();
    await sandbox.pay('a');
    sandbox.faults.next('hold');
    await sandbox.resend('a');
    expect(bodies()).toEqual(['a', 'a']);
    expect(sandbox.faults.queued()).toHaveLength(1);
  });

  it('none has a webhook in an outage until the clock has passed it', async () => {
    const { sandbox, bodies } = await two();
    sandbox.faults.next({ type: 'outage', for: '6m' });
    await sandbox.pay('a');
    await sandbox.pay('b');
    await sandbox.advance('5m');
    expect([bodies(), sandbox.faults.queued().length]).toEqual([[], 1]);
    await sandbox.advance('1m'); // the attempts of the sixth minute are the first after it
    expect([bodies().sort(), sandbox.faults.queued()]).toEqual([['a', 'b'], []]);
  });
});
