import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/tools/sandbox/index.ts';
import { fakePaidEvent } from '../../src/tools/testing/index.ts';
import { signWebhook } from '../../src/webhooks/index.ts';
import { freePort } from '../support/free-port.ts';
import { testSandbox } from '../support/test-sandbox.ts';

// The receivers of examples/receivers, each as a process of its own over the built package, as a reader would run it.

const FOLDER = fileURLToPath(new URL('../../examples/receivers', import.meta.url));

interface Shop {
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  order(id: string, callback?: string): Promise<void>;
}

async function shop(): Promise<Shop> {
  const sandbox = testSandbox({ seed: 7 });
  await sandbox.listen();
  const folder = mkdtempSync(join(tmpdir(), 'merchant-invoicing-receiver-'));
  onTestFinished(async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const port = await freePort();
  const env = {
    PATH: process.env['PATH'] ?? '',
    NO_COLOR: '1',
    PORT: String(port),
    SHOP_DB: join(folder, 'shop.db'),
    MERCHANT_BASE_URL: sandbox.url,
    MERCHANT_API_KEY: sandbox.apiKey,
    MERCHANT_WEBHOOK_SECRET: sandbox.webhookSecret,
  };
  const webhook = `http://127.0.0.1:${port}/webhook`;
  const order = async (external_id: string, callback_url = webhook): Promise<void> => {
    await fetch(`${sandbox.url}/api/v1/external/invoices`, {
      method: 'POST',
      headers: { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ external_id, customer_id: 'c-7', amount: '25.00', currency: 'EUR', callback_url }),
    });
  };
  return { sandbox, env, port, order };
}

/** Starts an example, and resolves once it is up. `saying` waits until it has said something. */
async function started(file: string, { env }: Shop): Promise<{ saying(text: string): Promise<void> }> {
  const child = spawn(process.execPath, [join(FOLDER, file)], { env });
  onTestFinished(() => void child.kill());
  let said = '';
  let look = (): void => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += String(chunk);
      look();
    });
  }
  const saying = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`${file} ended with ${code}: ${said}`)));
      look = () => {
        if (said.includes(text)) resolve();
      };
      look();
    });
  await saying('up');
  return { saying };
}

/** Runs an example to its end. */
async function ran(file: string, { env }: Shop): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [join(FOLDER, file)], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  }
  const [code] = await once(child, 'close');
  return { code, said };
}

describe('examples/receivers', () => {
  it.each(['plain-http.ts', 'express.ts', 'fastify.ts', 'koa.ts', 'hono.ts'])(
    '%s handles a payment once',
    async (file) => {
      const context = await shop();
      const receiver = await started(file, context);
      await context.order('order-1');
      await context.sandbox.pay('order-1');
      await context.sandbox.resend('order-1');
      await receiver.saying('order-1 26.86 exact');
      await receiver.saying('[duplicate]');
      expect(context.sandbox.deliveries('order-1')).toMatchObject([{ status: 'delivered' }]);
    },
  );

  it('fastify.ts takes a delivery without a content type', async () => {
    const context = await shop();
    await started('fastify.ts', context);
    const body = JSON.stringify(fakePaidEvent().raw);
    const headers = new Headers(await signWebhook(body, context.sandbox.webhookSecret));
    headers.delete('content-type');
    const url = `http://127.0.0.1:${context.port}/webhook`;
    const response = await fetch(url, { method: 'POST', headers, body: new Blob([body]) });
    expect([response.status, await response.text()]).toEqual([200, 'done']);
  });

  it('catch-up.ts plays what the receiver missed, in a process of its own', async () => {
    const context = await shop();
    await started('plain-http.ts', context);
    await context.order('seen');
    await context.sandbox.pay('seen');
    await context.order('missed', 'http://127.0.0.1:9/nobody');
    await context.sandbox.pay('missed');
    await ran('catch-up.ts', context); // makes the table
    const db = new DatabaseSync(String(context.env['SHOP_DB']));
    const insert = `INSERT INTO orders (id, customer_id, amount, currency, status)
      VALUES (?, 'c-7', '25.00', 'EUR', 'pending')`;
    for (const id of ['seen', 'missed']) db.prepare(insert).run(id);
    db.close();
    const said = expect.stringMatching(/missed 26\.86 exact\n\{\s+checked: 2,\s+played: 1,\s+alreadyDone: 1,/);
    expect(await ran('catch-up.ts', context)).toMatchObject({ code: 0, said });
    const again = expect.stringMatching(/checked: 2,\s+played: 0,\s+alreadyDone: 2,/);
    expect(await ran('catch-up.ts', context)).toMatchObject({ code: 0, said: again });
  });

  it('next-route.ts answers a Request, lambda.ts an event', async () => {
    const said = await scripted(
      await shop(),
      `import { POST } from './next-route.ts';
      import { handler } from './lambda.ts';
      console.log(await (await POST(new Request('https://shop.test/webhook', { method: 'POST', headers, body }))).text());
      console.log((await handler({ requestContext: { http: { method: 'POST' } }, headers, body })).body);`,
    );
    expect(said).toBe('order-1 26.86\ndone\norder-1 26.86 exact\ndone\n');
  });
});

/** Runs lines beside the examples, with the body and the headers of a genuine delivery at hand. */
async function scripted({ env }: Shop, lines: string): Promise<string> {
  const script = `
    import { signWebhook } from 'merchant-invoicing/webhooks';
    const body = JSON.stringify({ invoice_uuid: 'u-1', external_id: 'order-1', status: 'success', amount: '25.00', credited_usdt: '26.86', adjusted: false });
    const signed = await signWebhook(body, process.env.MERCHANT_WEBHOOK_SECRET);
    const headers = { ...signed, 'Content-Type': 'application/json' };
    ${lines.replaceAll("'./", `'${pathToFileURL(FOLDER).href}/`)}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env, cwd: FOLDER });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += String(chunk);
  });
  await once(child, 'close');
  return said;
}
