import { expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../src/errors/classes.ts';
import { testSandbox } from '../../support/test-sandbox.ts';
import { inProcess, listening, ORDER, rawRequest } from '../loopback.ts';

const KEY = { 'X-Api-Key': 'sk_sandbox' };

it.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example', 'pay.localhost'])(
  'refuses the Host %j',
  async (Host) => {
    const { url } = await listening();
    const { status } = await rawRequest(`${url}/api/v1/external/rates`, 'GET', { ...KEY, Host });
    expect(status).toBe(421);
  },
);

it.each(['localhost', 'localhost:4010', '127.0.0.1', '[::1]:4010'])('takes the Host %s', async (Host) => {
  const { url } = await listening();
  expect((await rawRequest(`${url}/api/v1/external/rates`, 'GET', { ...KEY, Host })).status).toBe(200);
});

it('takes a further Host when it is allowed', async () => {
  const sandbox = testSandbox();
  const server = await sandbox.listen({ allowedHosts: ['sandbox'] });
  const { status } = await rawRequest(`${server.url}/api/v1/external/rates`, 'GET', { ...KEY, Host: 'sandbox:80' });
  await sandbox.close();
  expect(status).toBe(200);
});

it.each(['https://evil.example', 'null', 'http://127.0.0.1:1'])(
  'refuses the Origin %s, for reading and writing',
  async (Origin) => {
    const { url, sandbox } = await listening();
    const headers = { ...KEY, Origin };
    expect((await rawRequest(`${url}/api/v1/external/rates`, 'GET', headers)).status).toBe(403);
    expect((await rawRequest(`${url}/api/v1/external/invoices`, 'POST', headers, JSON.stringify(ORDER))).status).toBe(
      403,
    );
    expect((await rawRequest(`${url}/_/reset`, 'POST', headers)).status).toBe(403);
    expect(sandbox.invoices()).toEqual([]);
  },
);

it.each([
  ['GET', 'cross-site', 'no-cors', 403],
  ['POST', 'cross-site', 'navigate', 403],
  ['GET', 'same-site', 'cors', 403],
  ['GET', 'cross-site', 'navigate', 200],
  ['GET', 'same-origin', 'cors', 200],
  ['GET', 'none', 'navigate', 200],
])('%s from a page that is %s, with the mode %s: %i', async (method, site, mode, expected) => {
  const { url, sandbox } = await listening();
  sandbox.create({ amount: '25.00', currency: 'EUR' });
  const path = method === 'GET' ? '/payments' : '/_/reset';
  const headers = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode };
  expect((await rawRequest(`${url}${path}`, method, headers)).status).toBe(expected);
  expect(sandbox.invoices()).toHaveLength(1);
});

it('says what to do in a runtime without node:http, and loads nothing of it before', async () => {
  const sandbox = testSandbox();
  const asked = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
  try {
    await expect(sandbox.listen()).rejects.toThrow(ConfigurationError);
    await expect(sandbox.listen()).rejects.toThrow(/node:http.*sandbox\.fetch/);
    expect(asked).toHaveBeenCalledWith('node:http');
  } finally {
    asked.mockRestore();
  }
});

it('answers no CORS', async () => {
  const { url } = await listening();
  const preflight = await rawRequest(`${url}/api/v1/external/rates`, 'OPTIONS', {
    Origin: 'https://evil.example',
    'Access-Control-Request-Method': 'GET',
  });
  const plain = await rawRequest(`${url}/api/v1/external/rates`, 'GET', KEY);
  for (const { headers } of [preflight, plain]) {
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
  expect(preflight.status).toBe(403);
});

it.each([
  ['over HTTP', listening],
  ['in process', async () => inProcess()],
])('refuses a body that is too large, %s', async (_, make) => {
  const { api } = await make();
  const { status, json } = await api('POST', '/invoices', { ...ORDER, purpose: 'x'.repeat(1_048_576) });
  expect([status, json.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
});

it('says so when the port is taken', async () => {
  const { server } = await listening();
  const other = testSandbox();
  await expect(other.listen({ port: server.port })).rejects.toThrow(ConfigurationError);
  await expect(other.listen({ port: server.port })).rejects.toThrow(`port ${server.port} is in use`);
  await other.close();
});

it('has the address of the server once it listens, in payment links too', async () => {
  const sandbox = testSandbox();
  expect(sandbox.url).toBe('https://sandbox.invalid');
  const { url, port } = await sandbox.listen();
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect(sandbox.url).toBe(url);
  await sandbox.close();
});

it('ends open requests and refuses new ones when closed', async () => {
  const { sandbox, url } = await listening();
  sandbox.faults.next('hang', { times: 2 });
  const hanging = [fetch, sandbox.fetch].map((send) => send(`${url}/api/v1/external/rates`, { headers: KEY }));
  const ended = Promise.allSettled(hanging);
  await vi.waitFor(() => expect(sandbox.requests()).toHaveLength(2), { timeout: 30_000 });
  await sandbox.close();
  expect(await ended).toMatchObject([
    { status: 'rejected', reason: { name: 'TypeError' } },
    { status: 'rejected', reason: { name: 'TypeError' } },
  ]);
  await expect(sandbox.fetch(`${url}/api/v1/external/rates`)).rejects.toMatchObject({
    cause: { code: 'ECONNREFUSED' },
  });
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
