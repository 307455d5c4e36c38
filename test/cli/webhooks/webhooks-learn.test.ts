import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readDialectFile, valuesOf } from '../../../src/dialect-file/dialect-file.ts';
import { createSandbox, DIALECTS, type Dialect, type DialectEntry } from '../../../src/sandbox/index.ts';
import { cli, start } from '../command-line.ts';

const fail = (problem: string): never => {
  throw new Error(problem);
};
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'merchant-learn-'));
  file = join(folder, 'dialect.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const ORDER = { external_id: 'order-1042', customer_id: 'c-7', amount: '25.00', currency: 'EUR' };

/** The webhook of a paid order as a raw HTTP request. */
async function captured(dialect: Partial<Dialect>, now = '2026-01-31T12:00:00.120Z'): Promise<string> {
  // At a fixed time, because one signature of four has no character that shows which base64 it is.
  const sandbox = createSandbox({
    seed: 7,
    now,
    deliveryTimestamp: 'sandbox',
    dialect,
    webhookSecret: 'whsec_sandbox',
  });
  const init = { method: 'POST', headers: { 'X-Api-Key': sandbox.apiKey }, body: JSON.stringify(ORDER) };
  await sandbox.fetch(`${sandbox.url}/api/v1/external/invoices`, init);
  await sandbox.pay('order-1042');
  const request = await sandbox.webhookRequest('order-1042');
  const headers = [...request.headers].map(([name, value]) => `${name}: ${value}`);
  const text = `POST /webhook HTTP/1.1\n${headers.join('\n')}\n\n${await request.text()}`;
  await sandbox.close();
  return text;
}

const learn = (input: string, ...flags: string[]) => cli(['webhooks', 'learn', '--file', file, ...flags], { input });
const known = () => valuesOf(readDialectFile(file, fail));

const SEEN = [
  'signatureEncoding',
  'signaturePrefix',
  'timestampFormat',
  'webhookHeaders',
  'webhookBody',
  'orderIdMember',
  'eventName',
  'eventSpelling',
  'eventNulls',
  'adjustedFlag',
] as const;
const TABLE: Readonly<Record<string, DialectEntry>> = DIALECTS;

describe('webhooks learn', () => {
  it.each(SEEN.flatMap((name) => (TABLE[name]?.values ?? []).map((value) => [name, value] as const)))(
    'sees %s: %j in one captured webhook',
    async (name, value) => {
      const { code } = await learn(await captured({ [name]: value }), '--external-id', 'order-1042');
      expect(code).toBe(0);
      expect(known()[name]).toBe(value);
    },
  );

  it('does not guess that a weak name is the order id', async () => {
    const request = await captured({ orderIdMember: 'order_id' });
    const { code, out } = await learn(request);
    expect([code, known()['orderIdMember']]).toEqual([0, undefined]);
    expect(out).toContain('run it again with --external-id');
    await learn(request, '--external-id', 'another-order');
    expect(known()['orderIdMember']).toBeUndefined();
    await learn(request, '--external-id', 'order-1042');
    expect(known()['orderIdMember']).toBe('order_id');
  });

  it('says what a handler pins, and shows no secret', async () => {
    const { out } = await learn(await captured({ signatureEncoding: 'base64', orderIdMember: 'merchant_order_id' }));
    expect(out).toContain('"encoding":"base64"');
    expect(out).toContain('"orderIdMember":"merchant_order_id"');
    expect(out).not.toContain('whsec_sandbox');
  });

  it('names the event names that the file cannot hold', async () => {
    const secret = 'whsec_sandbox';
    const { signWebhook } = await import('../../../src/webhooks/index.ts');
    const body = JSON.stringify({
      event: 'charge.finished',
      invoice_uuid: 'i-1',
      external_id: 'o-1',
      status: 'success',
      amount: '1.00',
      credited_usdt: '1.1',
    });
    const headers = Object.entries(await signWebhook(body, secret)).map(([name, value]) => `${name}: ${value}`);
    const { out } = await learn(`${headers.join('\n')}\n\n${body}`);
    expect(out).toContain('handle the event "charge.finished" in onUnknown');
    expect(readFileSync(file, 'utf8')).not.toContain('charge');
  });

  it('learns nothing from a forged delivery, and writes no file', async () => {
    const forged = (await captured({})).replace('25.00', '99.00');
    const { code, out } = await learn(forged);
    expect(code).toBe(1);
    expect(out).toContain('refused  signature_mismatch');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('learns from a request that is years old, because its signature counts', async () => {
    const { signWebhook } = await import('../../../src/webhooks/index.ts');
    const body = JSON.stringify({
      event: 'invoice.paid',
      invoice_uuid: 'i-1',
      external_id: 'o-1',
      status: 'success',
      amount: '1.00',
      credited_usdt: '1.1',
    });
    const signed = await signWebhook(body, 'whsec_sandbox', { timestamp: new Date('2020-01-01T00:00:00Z') });
    const headers = Object.entries(signed).map(([name, value]) => `${name}: ${value}`);
    expect((await learn(`${headers.join('\n')}\n\n${body}`)).code).toBe(0);
    expect(known()).toMatchObject({ timestampFormat: 'seconds', orderIdMember: 'external_id' });
  });

  it('reads several files, and compares two attempts of one delivery', async () => {
    const paths = [join(folder, '1.txt'), join(folder, '2.txt')];
    const seen: string[] = [];
    const receiver = createSandbox({
      seed: 7,
      deliveryTimestamp: 'sandbox',
      async fetch(_, init) {
        const headers = Object.entries(init.headers as Record<string, string>).map(
          ([name, value]) => `${name}: ${value}`,
        );
        seen.push(`${headers.join('\n')}\n\n${String(init.body)}`);
        return new Response(null, { status: 503 });
      },
    });
    const init = {
      method: 'POST',
      headers: { 'X-Api-Key': receiver.apiKey },
      body: JSON.stringify({ ...ORDER, callback_url: 'http://127.0.0.1/w' }),
    };
    await receiver.fetch(`${receiver.url}/api/v1/external/invoices`, init);
    await receiver.pay('order-1042');
    await receiver.advance('2m');
    for (const [index, path] of paths.entries()) writeFileSync(path, seen[index] ?? '');
    await cli(['webhooks', 'learn', '--file', file, ...paths]);
    expect(known()['timestampPer']).toBe('attempt');
    await receiver.close();
  });
});

describe('webhooks learn on a port', () => {
  it('answers 503, so that the service repeats the event, and ends after --count deliveries', async () => {
    const run = start(['webhooks', 'learn', '--port', '0', '--count', '2', '--file', file]);
    await run.until('listening on ');
    const [, address = ''] = /listening on (\S+)/.exec(run.out()) ?? [];
    const statuses: number[] = [];
    const sandbox = createSandbox({
      async fetch(_, init) {
        const response = await fetch(address, init);
        statuses.push(response.status);
        return response;
      },
    });
    const init = {
      method: 'POST',
      headers: { 'X-Api-Key': sandbox.apiKey },
      body: JSON.stringify({ ...ORDER, callback_url: 'http://127.0.0.1/w' }),
    };
    await sandbox.fetch(`${sandbox.url}/api/v1/external/invoices`, init);
    expect((await fetch(address)).status).toBe(405);
    await sandbox.pay('order-1042');
    await sandbox.advance('1m');
    expect(await run.ended).toBe(0);
    expect(statuses).toEqual([503, 503]);
    expect(known()).toMatchObject({ signatureEncoding: 'hex', eventName: 'event' });
    await sandbox.close();
  });

  it('keeps what was learned when it is interrupted', async () => {
    const run = start(['webhooks', 'learn', '--port', '0', '--accept', '--file', file]);
    await run.until('listening on ');
    const [, address = ''] = /listening on (\S+)/.exec(run.out()) ?? [];
    const sandbox = createSandbox({ fetch: (_, init) => fetch(address, init) });
    const init = {
      method: 'POST',
      headers: { 'X-Api-Key': sandbox.apiKey },
      body: JSON.stringify({ ...ORDER, callback_url: 'http://127.0.0.1/w' }),
    };
    await sandbox.fetch(`${sandbox.url}/api/v1/external/invoices`, init);
    await sandbox.pay('order-1042');
    run.interrupt();
    expect(await run.ended).toBe(0);
    expect(known()).toMatchObject({ adjustedFlag: 'always' });
    await sandbox.close();
  });
});

describe('sandbox --dialect-file', () => {
  const points = { createStatus: { value: 202, seen: 1, at: [] } };
  it('plays the service of the file, under single points that are given', async () => {
    writeFileSync(file, JSON.stringify({ merchantInvoicingDialect: 1, package: '0.1.0', points }));
    const run = start(['sandbox', '--port', '0', '--json', '--dialect-file', file, '--dialect', 'listOrder=oldest']);
    await run.until('baseUrl');
    const { baseUrl, apiKey } = JSON.parse(run.out());
    const created = await fetch(`${baseUrl}/api/v1/external/invoices`, {
      method: 'POST',
      headers: { 'X-Api-Key': apiKey },
      body: JSON.stringify(ORDER),
    });
    expect(created.status).toBe(202);
    run.interrupt();
    await run.ended;
  });

  it('refuses a file of another program with code 2', async () => {
    writeFileSync(file, '{"name":"another"}');
    const { code, err } = await cli(['sandbox', '--port', '0', '--dialect-file', file]);
    expect(code).toBe(2);
    expect(err).toContain('is not a dialect file');
  });
});
