import { expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../../src/errors/classes.ts';
import { testSandbox } from '../../../support/test-sandbox.ts';
import { listening, ORDER, rawRequest } from '../loopback.ts';

const KEY = { 'X-Api-Key': 'sk_sandbox' };
const fetched = (site: string, mode: string) => ({ 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode });

it.each<['GET' | 'POST', Record<string, string>, number]>([
  ['GET', { Host: 'evil.example' }, 421],
  ['GET', { Host: 'evil.example:80' }, 421],
  ['GET', { Host: '127.0.0.1.evil.example' }, 421],
  ['GET', { Host: 'localhost.evil.example' }, 421],
  ['GET', { Host: 'pay.localhost' }, 421],
  ['POST', { Host: 'evil.example' }, 421],
  ['GET', { Host: 'localhost' }, 200],
  ['GET', { Host: 'localhost:4010' }, 200],
  ['GET', { Host: '127.0.0.1' }, 200],
  ['GET', { Host: '[::1]:4010' }, 200],
  ['GET', { Host: 'Sandbox:80' }, 200], // allowed below
  ['GET', { Origin: 'https://evil.example' }, 403],
  ['POST', { Origin: 'https://evil.example' }, 403],
  ['GET', { Origin: 'null' }, 403],
  ['POST', { Origin: 'null' }, 403],
  ['GET', { Origin: 'http://127.0.0.1:1' }, 403],
  ['POST', { Origin: 'http://127.0.0.1:1' }, 403],
  ['GET', fetched('cross-site', 'no-cors'), 403],
  ['POST', fetched('cross-site', 'navigate'), 403],
  ['GET', fetched('same-site', 'cors'), 403],
  ['GET', fetched('cross-site', 'navigate'), 200], // a link from the shop
  ['GET', fetched('same-origin', 'cors'), 200],
  ['GET', fetched('none', 'navigate'), 200],
])('a %s with %o is answered with %i', async (method, headers, expected) => {
  const sandbox = testSandbox({ seedData: { invoices: [ORDER] } });
  const { url } = await sandbox.listen({ allowedHosts: ['sandbox'] });
  const paths = method === 'GET' ? ['/api/v1/external/rates', '/payments'] : ['/api/v1/external/invoices', '/_/reset'];
  const body = method === 'GET' ? '' : JSON.stringify({ ...ORDER, external_id: 'other' });
  for (const path of paths) {
    expect((await rawRequest(`${url}${path}`, method, { ...KEY, ...headers }, body)).status).toBe(expected);
  }
  expect(sandbox.invoices()).toMatchObject([{ external_id: 'order-1042' }]);
  await sandbox.close();
});

it('answers no CORS', async () => {
  const { url } = await listening();
  const asking = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' };
  const preflight = await rawRequest(`${url}/api/v1/external/rates`, 'OPTIONS', asking);
  const plain = await rawRequest(`${url}/api/v1/external/rates`, 'GET', KEY);
  const names = [preflight, plain].flatMap(({ headers }) => Object.keys(headers));
  expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
  expect(preflight.status).toBe(403);
});

it('refuses a body that is too large', async () => {
  const { api } = await listening();
  const { status, json } = await api('POST', '/invoices', { ...ORDER, purpose: 'x'.repeat(1_048_576) });
  expect([status, json.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
});

it('says what to do in a runtime without node:http, and loads nothing of it before', async () => {
  const sandbox = testSandbox();
  const asked = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
  try {
    const error: unknown = await sandbox.listen().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toMatch(/node:http.*sandbox\.fetch/);
    expect(asked).toHaveBeenCalledWith('node:http');
  } finally {
    asked.mockRestore();
  }
});

it('says so when the port is taken', async () => {
  const { server } = await listening();
  const error: unknown = await testSandbox()
    .listen({ port: server.port })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toContain(`port ${server.port} is in use`);
});

it('gives the sandbox its address once it listens', async () => {
  const sandbox = testSandbox();
  expect(sandbox.url).toBe('https://sandbox.invalid');
  const { url, port } = await sandbox.listen();
  expect([url, sandbox.url]).toEqual([`http://127.0.0.1:${port}`, url]);
  await sandbox.close();
});

it('ends open requests and refuses new ones when closed', async () => {
  const { sandbox, url } = await listening();
  sandbox.faults.next('hang', { times: 2 });
  const hanging = [fetch, sandbox.fetch].map((send) => send(`${url}/api/v1/external/rates`, { headers: KEY }));
  const ended = Promise.allSettled(hanging);
  await vi.waitFor(() => expect(sandbox.requests()).toHaveLength(2), { timeout: 30_000 });
  await sandbox.close();
  const rejected = { status: 'rejected', reason: { name: 'TypeError' } };
  expect(await ended).toMatchObject([rejected, rejected]);
  const refused = { cause: { code: 'ECONNREFUSED' } };
  await expect(sandbox.fetch(`${url}/api/v1/external/rates`)).rejects.toMatchObject(refused);
});

it('streams the events, and cuts off a reader that does not keep up', async () => {
  const { sandbox, url } = await listening();
  const [remote, idle] = [await fetch(`${url}/_/events`), await sandbox.fetch(`${url}/_/events`)];
  expect(remote.headers.get('content-type')).toBe('text/event-stream');
  const reader = remote.body?.getReader();
  await reader?.read(); // the greeting
  sandbox.create({ amount: '25.00', currency: 'EUR' });
  const event = new TextDecoder().decode((await reader?.read())?.value);
  expect(JSON.parse(event.replace('data: ', ''))).toEqual(sandbox.events()[0]);
  await reader?.cancel();
  const init = { method: 'POST', headers: KEY, body: 'x'.repeat(5_000) };
  for (let at = 0; at < 1_100; at += 1) await sandbox.fetch(`${url}/api/v1/external/invoices`, init);
  await expect(idle.text()).rejects.toThrow('too slow');
});

it('streams the events to 32 readers at most, and each that goes makes room', async () => {
  const { url } = await listening();
  const end = new AbortController();
  const statuses: number[] = [];
  for (let at = 0; at < 33; at += 1) statuses.push((await fetch(`${url}/_/events`, { signal: end.signal })).status);
  expect(statuses).toEqual([...Array.from({ length: 32 }, () => 200), 503]);
  end.abort();
  await expect.poll(async () => (await fetch(`${url}/_/events`)).status, { timeout: 30_000 }).toBe(200);
});
