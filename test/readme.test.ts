import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../src/sandbox/index.ts';
import { type Consumer, installNode, installPacked } from './support/consumer.ts';
import { freePort } from './support/free-port.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = [...readme.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language = '', code = '']) => ({
  language,
  code,
}));
const scripts = blocks.filter(({ language }) => language === 'ts').map(({ code }) => code);
const shell = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code.trim());
const [first = '', payment = '', receiver = '', errors = ''] = scripts;

describe('the README', () => {
  let consumer: Consumer;
  let sandbox: Sandbox;
  let env: Record<string, string>;

  beforeAll(async () => {
    consumer = installPacked();
    sandbox = createSandbox({ seed: 1 });
    await sandbox.listen();
    env = {
      MERCHANT_BASE_URL: sandbox.url,
      MERCHANT_API_KEY: sandbox.apiKey,
      MERCHANT_WEBHOOK_SECRET: sandbox.webhookSecret,
    };
  });
  afterAll(async () => {
    await sandbox?.close();
    consumer?.remove();
  });

  it('has the blocks that these tests run, and no others', () => {
    expect(scripts).toHaveLength(4);
    expect(shell).toEqual(['npm install merchant-invoicing', 'npm ci && npm start', 'npm ci && npm test']);
    expect(readme.split(/\s+/).length).toBeLessThan(900);
  });

  it('tells the gate to run the test command to the letter', () => {
    const gate = readFileSync(new URL('../.ci/run', import.meta.url), 'utf8');
    expect(gate).toContain('\nnpm ci && npm test\n');
  });

  it('shows code that compiles strictly against the packed declarations', () => {
    const files = scripts.map((code, index) => {
      const file = join(consumer.folder, `block-${index}.ts`);
      writeFileSync(file, code);
      return file;
    });
    const program = ts.createProgram(files, {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      typeRoots: [new URL('../node_modules/@types', import.meta.url).pathname],
      types: ['node'],
    });
    const findings = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    expect(findings).toEqual([]);
  });

  it('plays the first 60 seconds as pasted after npm init -y, on Node 24 and 22', async () => {
    expect(readme).toContain('save this as `first.mjs`, and run `node first.mjs`');
    const newcomer = installPacked({ fresh: true });
    const node22 = installNode('22');
    try {
      for (const node of [process.execPath, ...(node22 === null ? [] : [node22.path])]) {
        const ran = await newcomer.run('first.mjs', first, { node });
        expect(ran).toMatchObject({ code: 0, stdout: 'success 26.861298\n', stderr: '' });
      }
    } finally {
      newcomer.remove();
      node22?.remove();
    }
  });

  it('takes a payment', async () => {
    const ran = await consumer.run('payment.ts', payment, { env });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^created http:\/\/127\.0\.0\.1:\d+\/pay\//);
    expect(ran.stdout).toContain('order-1043');
    expect((await consumer.run('payment.ts', payment, { env })).stdout).toMatch(/^found, pending http/);
  });

  it('handles errors', async () => {
    const ran = await consumer.run('errors.ts', errors, { env });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('exists, status pending');
    expect(ran.stdout).toMatch(/not_found \w+ rejected/);
  });

  it('receives a webhook', async () => {
    const port = await freePort();
    const file = join(consumer.folder, 'receiver.ts');
    writeFileSync(file, `${receiver.replace('3000', String(port))}\nconsole.log('up');`);
    const child = spawn(process.execPath, [file], {
      cwd: consumer.folder,
      env: { PATH: process.env['PATH'] ?? '', ...env },
    });
    const said: string[] = [];
    child.stdout.on('data', (text) => said.push(String(text)));
    child.stderr.on('data', (text) => said.push(String(text)));
    try {
      for (let tries = 0; tries < 200 && !said.join('').includes('up'); tries += 1) await once(child.stdout, 'data');
      await fetch(`${sandbox.url}/api/v1/external/invoices`, {
        method: 'POST',
        headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({
          external_id: 'order-9',
          customer_id: 'c',
          amount: '25.00',
          currency: 'EUR',
          callback_url: `http://127.0.0.1:${port}/webhook`,
        }),
      });
      await sandbox.pay('order-9');
      await sandbox.settle();
      expect(said.join('')).toContain('order-9 26.861298 exact');
      expect(sandbox.deliveries('order-9')[0]).toMatchObject({ status: 'delivered' });
    } finally {
      child.kill();
    }
  });
});
