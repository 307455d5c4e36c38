import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Consumer, installPacked, type Ran } from '../support/consumer.ts';
import { firstLine } from './command-line.ts';

// As a new user would: an empty folder, the tarball, and what the docs say.

const RECEIVER = `import { createServer } from 'node:http';
import { createWebhookHandler, memoryStore, toNodeHandler } from 'merchant-invoicing/webhooks';
const handler = createWebhookHandler({
  secret: 'whsec_sandbox',
  store: memoryStore(),
  onPaid: (event) => console.log('paid', event.external_id, event.credited_usdt.toFixed()),
  onCanceled: (event) => console.log('canceled', event.external_id),
});
const server = createServer(toNodeHandler(handler)).listen(0, '127.0.0.1', () => console.log(server.address().port));
`;
const CARELESS = `import { createServer } from 'node:http';
const server = createServer((request, response) => request.resume().on('end', () => response.end('thanks')));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;
const FIRST = `import { MerchantClient } from 'merchant-invoicing';
const client = new MerchantClient({ apiKey: 'sk_sandbox', baseUrl: process.env.SANDBOX });
const invoice = await client.invoices.create({
  external_id: 'order-1042', customer_id: 'c-7', amount: '25.00', currency: 'EUR', callback_url: process.env.RECEIVER,
});
console.log(invoice.payment_url);
`;

const NPX: readonly string[] = ['--no-install', 'merchant-invoicing', '--help'];

interface Up {
  readonly child: ChildProcess;
  readonly said: () => string;
  until(pattern: RegExp): Promise<string>;
}

describe('a new user with the packed tarball', () => {
  let consumer: Consumer;
  const children: ChildProcess[] = [];

  const up = (command: string, args: readonly string[]): Up => {
    const child = spawn(command, args, { cwd: consumer.folder, env: { PATH: process.env['PATH'] ?? '' } });
    children.push(child);
    let text = '';
    const waiting = new Set<() => void>();
    const hear = (data: unknown): void => {
      text += String(data);
      for (const wake of waiting) wake();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const until = (pattern: RegExp): Promise<string> =>
      new Promise((resolve, reject) => {
        const wake = (): void => {
          const found = pattern.exec(text);
          if (found !== null) resolve(found[0]);
        };
        waiting.add(wake);
        child.once('exit', () => reject(new Error(`ended without ${pattern}: ${text}`)));
        wake();
      });
    return { child, said: () => text, until };
  };
  const bin = (): string => join(consumer.folder, 'node_modules', '.bin', 'merchant-invoicing');
  const command = (...args: readonly string[]): Promise<Ran> => commandWith({}, ...args);
  const commandWith = (more: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ran> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'] ?? '', ...more };
      execFile(bin(), args, { cwd: consumer.folder, env }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
      });
    });
  const serve = async (name: string, source: string): Promise<{ url: string; up: Up }> => {
    writeFileSync(join(consumer.folder, name), source);
    const receiver = up(process.execPath, [name]);
    const port = await receiver.until(/^\d+/);
    return { url: `http://127.0.0.1:${port}/webhook`, up: receiver };
  };

  beforeAll(() => {
    consumer = installPacked();
  });
  afterAll(() => {
    for (const child of children) child.kill();
    consumer?.remove();
  });

  it('finds the command with npx, and its help', async () => {
    const said = await new Promise<string>((resolve) => {
      execFile('npx', NPX, { cwd: consumer.folder }, (_, out) => resolve(out));
    });
    expect(said).toMatch(/^Example\n {2}npx merchant-invoicing sandbox/);
  });

  it('has a sandbox up, a first invoice, a webhook and a grade', async () => {
    const sandbox = up(bin(), ['sandbox', '--json', '--port', '0']);
    await sandbox.until(/\n/);
    const { baseUrl } = firstLine(sandbox.said());
    const receiver = await serve('receiver.mjs', RECEIVER);

    const created = await consumer.run('first.ts', FIRST, { env: { SANDBOX: baseUrl, RECEIVER: receiver.url } });
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect((await fetch(created.stdout.trim())).status).toBe(200); // the payment page

    const paid = await command('sandbox', 'pay', 'order-1042', '--url', baseUrl);
    expect(paid).toMatchObject({ code: 0, stdout: expect.stringContaining('webhook delivered') });
    await receiver.up.until(/paid order-1042 26\.861298/);

    const check = await command('webhooks', 'check', receiver.url);
    expect(check.code, check.stdout).toBe(0);
    expect(check.stdout).toContain('32 passed');

    sandbox.child.kill('SIGINT');
    const code = await new Promise((resolve) => sandbox.child.once('exit', (status) => resolve(status)));
    expect(code).toBe(0);
  });

  it('learns what is wrong with a receiver that accepts everything', async () => {
    const { url } = await serve('careless.mjs', CARELESS);
    const { code, stdout, stderr } = await command('webhooks', 'check', url, '--json');
    expect([code, stderr]).toEqual([1, '']);
    const { failed, checks } = JSON.parse(stdout) as {
      failed: number;
      checks: { id: string; verdict: string; fix: string }[];
    };
    const findings = checks.filter(({ verdict }) => verdict === 'fail');
    expect(failed).toBe(12);
    expect(findings.map(({ id }) => id)).toEqual(expect.arrayContaining(['refuses-unsigned', 'refuses-old-timestamp']));
    for (const { fix } of findings) expect(fix).not.toBe('');
  });

  it('is told in one line what to do where nothing listens', async () => {
    const { code, stderr } = await command('sandbox', 'pay', 'order-1042', '--url', 'http://127.0.0.1:1');
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^error: .*\n {2}try: npx merchant-invoicing sandbox\n$/),
    ]);
  });
});
