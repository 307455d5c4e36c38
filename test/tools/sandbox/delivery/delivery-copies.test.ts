import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../../../../src/tools/sandbox/index.ts';
import { verifyWebhook } from '../../../../src/webhooks/index.ts';
import { open, plain } from '../browser.ts';
import { listening, ORDER, receiver } from '../loopback.ts';

const run = promisify(execFile);

async function copies(url: string, sandbox: Sandbox, ident: string) {
  const [delivery] = sandbox.deliveries(ident);
  const page = await open(`${url}/webhooks/${delivery?.id}`);
  const text = (id: string): string =>
    plain(new RegExp(`<pre[^>]*id="${id}-text"[^>]*>([^<]*)</pre>`).exec(page.html)?.[1] ?? '');
  return { curl: text('curl'), test: text('test') };
}

it('the curl command sends the same body, signed anew, through a real shell', async () => {
  const { sandbox, url, api } = await listening();
  const hook = await receiver([500]);
  const external_id = `it's "$(touch x)" \`id\` \\ %s ü`;
  await api('POST', '/invoices', { ...ORDER, external_id, callback_url: `${hook.url}?a='b` });
  await sandbox.pay(external_id);
  const { curl } = await copies(url, sandbox, external_id);
  await run('sh', ['-c', curl]);
  const [sent, copied] = hook.received;
  expect(copied?.body).toEqual(sent?.body);
  expect(copied?.headers['x-webhook-id']).toBe(sent?.headers['x-webhook-id']);
  const event = await verifyWebhook(copied?.body ?? '', { ...copied?.headers }, 'whsec_of_the_tests');
  expect(event).toMatchObject({ type: 'invoice.paid', external_id });
});

/** Stands in for vitest, so that the file runs by itself. */
const SHIM = `import assert from 'node:assert/strict';
import nodeTest from 'node:test';
const test = nodeTest;
const expect = (value) => ({ toBe: (other) => assert.equal(value, other), toMatchObject: (part) => assert.partialDeepStrictEqual(value, part) });`;

it.each<[string, (sandbox: Sandbox, ident: string) => unknown]>([
  ['pay', (sandbox, ident) => sandbox.pay(ident, { method: 2 })],
  ['a payment of less', (sandbox, ident) => sandbox.pay(ident, { amount: '17.00' })],
  ['a payment of more', (sandbox, ident) => sandbox.pay(ident, { amount: '30.00' })],
  ['cancel', (sandbox, ident) => sandbox.cancel(ident)],
  ['expire', (sandbox, ident) => sandbox.expire(ident)],
  ['fail', (sandbox, ident) => sandbox.fail(ident)],
])('the test of an order that ended by %s passes as it is', async (_, move) => {
  const { sandbox, url, api } = await listening({ dialect: { signatureEncoding: 'base64' } });
  const external_id = `order-\u2028"');\n// ${'x'.repeat(20)}`;
  await api('POST', '/invoices', { ...ORDER, external_id, purpose: `\${1}`, callback_url: 'http://127.0.0.1:9/' });
  await move(sandbox, external_id);
  const { test } = await copies(url, sandbox, external_id);
  expect(test).toContain('sandbox.webhookRequest(');
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const src = (path: string): string => pathToFileURL(join(import.meta.dirname, '../../../../src', path)).href;
  const source = test
    .replace("'merchant-invoicing'", `'${src('index.ts')}'`)
    .replace("'merchant-invoicing/sandbox'", `'${src('tools/sandbox/index.ts')}'`)
    .replace("'merchant-invoicing/webhooks'", `'${src('webhooks/index.ts')}'`)
    .replace("import { expect, test } from 'vitest';", SHIM);
  expect(source).not.toContain("from 'merchant-invoicing");
  const file = join(folder, 'copied.test.mts');
  writeFileSync(file, source);
  const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', file]);
  expect(stdout).toContain('# pass 1');
});

it('the test of a sandbox with a secret of its own holds no secret', async () => {
  const { sandbox, url, api } = await listening({ apiKey: 'sk_given', webhookSecret: 'whsec_given' });
  await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:9/' });
  await sandbox.pay('order-1042');
  const { test } = await copies(url, sandbox, 'order-1042');
  expect(test).not.toMatch(/sk_given|whsec_given/);
  expect(test).toContain('process.env.MERCHANT_WEBHOOK_SECRET');
});
