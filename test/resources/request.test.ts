import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/contract/values/decimal.ts';
import type { RawRequest } from '../../src/index.ts';
import { serve } from '../support/fault-server.ts';
import { answer, ok, refuse } from '../support/fault-steps.ts';
import { API_KEY, clientOf, errorOf } from '../support/test-client.ts';

const PATH = '/api/v1/external/balances';
const get = { method: 'GET', path: PATH } as const;
const post = { method: 'POST', path: PATH } as const;

describe('a request to an endpoint that the client does not know', () => {
  it('has the key, the query and the headers, and resolves to the data of the envelope', async () => {
    const server = await serve(ok({ currency: 'USDT', amount: '1.50' }, { 'x-request-id': 'r1' }));
    const client = clientOf(`${server.url}/prefix`);
    const query = { page: '2', text: 'a&b=ü' };
    const call = client.request({ ...get, query }, { headers: { 'x-trace': 't' }, query: { page: '3' } });
    expect(await call).toEqual({ currency: 'USDT', amount: '1.50' });
    expect((await call.withResponse()).response).toMatchObject({ status: 200, requestId: 'r1', attempts: 1 });
    expect(server.requests).toMatchObject([
      {
        method: 'GET',
        url: `/prefix${PATH}?page=3&text=a%26b%3D%C3%BC`,
        headers: { 'x-api-key': API_KEY, 'x-trace': 't' },
        body: '',
      },
    ]);
  });

  it('sends plain data as JSON, with decimals as text', async () => {
    const server = await serve(ok({}));
    const shared = { a: 1 };
    const body = {
      amount: new Decimal('25.10'),
      at: new Date(0),
      list: [1, 'x', null, true, { deep: new Decimal(2) }],
      absent: undefined,
      twice: [shared, shared],
      ...JSON.parse('{"__proto__": {"polluted": true}}'),
    };
    const call = clientOf(server.url).request({ ...post, body });
    body.list.push('later');
    await call;
    expect(server.requests[0]?.headers['content-type']).toBe('application/json');
    expect(server.requests[0]?.body).toBe(
      '{"amount":"25.1","at":"1970-01-01T00:00:00.000Z","list":[1,"x",null,true,{"deep":"2"}],"twice":[{"a":1},{"a":1}],"__proto__":{"polluted":true}}',
    );
  });

  it('resolves to the body where there is no envelope', async () => {
    const server = await serve(answer(200, { amount: '1' }));
    expect(await clientOf(server.url).request(get)).toEqual({ amount: '1' });
  });

  it('with an empty response resolves to undefined, and other text is an error', async () => {
    const server = await serve(answer(204, ''), answer(200, '<html>Please log in</html>'));
    const client = clientOf(server.url, { retry: false });
    expect(await client.request({ method: 'DELETE', path: `${PATH}/7` })).toBeUndefined();
    expect(await errorOf(client.request(get))).toMatchObject({ code: 'SDK_UNREADABLE_BODY', operation: 'request' });
  });

  it('may have an object of many members, which the known endpoints never have', async () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`member-${at}`, 'x'.repeat(10)]));
    const server = await serve(ok(wide));
    expect(await clientOf(server.url).request(get)).toEqual(wide);
  });

  it('is refused as any other: by code, then by status', async () => {
    const server = await serve(refuse(409, 'BALANCE_LOCKED'), refuse(404, null), refuse(422, null));
    const client = clientOf(server.url);
    expect(await errorOf(client.request(post))).toMatchObject({
      kind: 'request',
      code: 'BALANCE_LOCKED',
      status: 409,
    });
    expect(await errorOf(client.request(get))).toMatchObject({ kind: 'request', status: 404, answeredBy: 'other' });
    expect(await errorOf(client.request(post))).toMatchObject({ kind: 'validation', origin: 'service' });
  });

  it('says of a page of another program that the path lacks its beginning', async () => {
    const server = await serve(refuse(404, null), refuse(404, null), refuse(404, 'NOT_FOUND'));
    const client = clientOf(server.url);
    const hint = 'The path does not begin with /api/v1/external, and request adds nothing to it.';
    const { message } = await errorOf(client.request({ ...get, path: '/rates' }));
    expect(message).toContain(`${hint} Otherwise check baseUrl.`);
    expect((await errorOf(client.request(get))).message).not.toContain(hint);
    expect((await errorOf(client.request({ ...get, path: '/rates' }))).message).toContain(hint);
  });

  it.each<[string, Partial<RawRequest>, number]>([
    ['GET', {}, 3],
    ['PUT', { method: 'PUT' }, 3],
    ['DELETE', { method: 'DELETE' }, 3],
    ['POST', { method: 'POST' }, 1],
    ['PATCH', { method: 'PATCH' }, 1],
    ['a POST that the service recognises', { method: 'POST', idempotent: true }, 3],
    ['a PUT that counts up', { method: 'PUT', idempotent: false }, 1],
  ])('is repeated after a server error as %s: %j', async (_name, request, attempts) => {
    const server = await serve(refuse(503, null));
    const error = await errorOf(clientOf(server.url).request({ ...get, ...request }));
    expect(server.requests).toHaveLength(attempts);
    expect(error.attempts).toHaveLength(attempts);
    const isWrite = (request.method ?? 'GET') !== 'GET';
    expect(error.outcome).toBe(isWrite ? 'unknown' : 'rejected');
    if (isWrite) expect(error.message).toContain('find out whether it was done');
  });

  it('keeps its deadline and its signal', async () => {
    const server = await serve({ play: () => {} });
    const client = clientOf(server.url, { retry: false });
    expect(await errorOf(client.request(get, { signal: AbortSignal.timeout(20) }))).toMatchObject({ kind: 'aborted' });
    expect(await errorOf(client.request(get, { timeout: 20 }))).toMatchObject({ code: 'SDK_ATTEMPT_TIMEOUT' });
  });

  it('is observed with its path, without the key', async () => {
    const urls: string[] = [];
    const server = await serve(ok(1));
    const hooks = { onRequest: ({ url }: { url: string }) => void urls.push(url) };
    await clientOf(server.url, { apiKey: 'key_in_a_path', hooks }).request({ ...get, path: `${PATH}/key_in_a_path` });
    expect(urls).toEqual([`${PATH}/[redacted]`]);
  });
});

describe('refused before any request', () => {
  const refused = async (request: unknown) => {
    const server = await serve(ok({}));
    const error = await errorOf(clientOf(server.url).request(request as RawRequest)); // wrong on purpose
    expect(server.requests).toHaveLength(0);
    expect(error).toMatchObject({ code: 'SDK_INVALID_ARGUMENT', operation: 'request', outcome: 'not_sent' });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(API_KEY);
    return error.message;
  };

  it.each([
    ...['https://evil.example/api', '//evil.example/api', '/\\evil.example', '\\\\evil.example'], // another host
    ...['@evil.example/', ':80/', 'api/v1/external/balances', ''],
    ...[`${PATH}?page=1`, `${PATH}#a`],
    ...[`${PATH}/..`, `${PATH}/../keys`, `${PATH}/./x`, `${PATH}/.`, `${PATH}/..\\keys`], // another endpoint
    ...[`${PATH}/%2e%2e/keys`, `${PATH}/%2E./keys`, `${PATH}/.%2e`],
    ...[`${PATH}/a b`, `${PATH}/a\tb`, `${PATH}/a\nb`, `${PATH}/ü`], // not encoded
  ])('the path %j', async (path) => {
    expect(await refused({ ...get, path })).toContain('path');
  });

  it.each([
    ...['/health', `${PATH}/`, `${PATH}/order%2F7`, `${PATH}/order%5C7`, `${PATH}/a:b@c;d=e,f`],
    ...[`${PATH}/...`, `${PATH}/a..b`, `${PATH}/100%25`, `${PATH}/%C3%BC`, `${PATH}//keys`],
  ])('but not the path %j, which is sent as it is', async (path) => {
    const server = await serve(ok({}));
    await clientOf(server.url).request({ ...get, path });
    expect(server.requests[0]?.url).toBe(path);
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = [cyclic];
  let deep: unknown = 1;
  for (let level = 0; level < 200_000; level += 1) deep = [deep];
  it.each<[string, unknown, string]>([
    ['a bigint', { list: [1n] }, 'body cannot be written as JSON'],
    ['a cycle', cyclic, 'body cannot be written as JSON'],
    ['NaN', { a: Number.NaN }, 'body.a is NaN'],
    ['Infinity', [Number.POSITIVE_INFINITY], 'body.0 is Infinity'],
    ['nothing but a function', () => 1, 'body must be data, not a function'],
    [
      'a getter that throws',
      Object.defineProperty({}, 'a', { get: () => fail(), enumerable: true }),
      'a member that throws',
    ],
    ['200,000 levels', deep, 'body cannot be written as JSON'],
    ['the key in a name', { [API_KEY]: Number.NaN }, 'body.[redacted] is'],
  ])('a body with %s', async (_name, body, expected) => {
    expect(await refused({ ...post, body })).toContain(expected);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'request must be an object'],
    ['no method', { path: PATH }, 'method is missing'],
    ['a method in lower case', { ...get, method: 'get' }, 'method must be "GET" or "POST"'],
    ['a method that fetch refuses', { ...get, method: 'TRACE' }, 'method must be'],
    ['a mistyped name', { ...get, params: {} }, 'request has no "params"'],
    ['a body of a GET', { ...get, body: {} }, 'a GET request has no body'],
    ['a word for true', { ...post, idempotent: 'yes' }, 'idempotent must be true or false'],
    ['a query of text', { ...get, query: 'page=1' }, 'query must be an object of strings'],
    ['a list in the query', { ...get, query: { status: ['a', 'b'] } }, 'query: the value of status must be a string'],
    ['a number in the query', { ...get, query: { page: 2 } }, 'query: the value of page must be a string'],
    ['a number for a path', { ...get, path: 7 }, 'path must be text, not 7'],
    ['an address for a path', { ...get, path: `https://pay.example${PATH}` }, 'path must begin with one slash'],
  ])('%s', async (_name, request, expected) => {
    expect(await refused(request)).toContain(expected);
  });
});

function fail(): never {
  throw new Error('mine');
}
