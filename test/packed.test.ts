import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../src/version.ts';
import { type Consumer, installPacked } from './support/consumer.ts';
import { freePort } from './support/free-port.ts';

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');
const ROOT_TYPES = new URL('../node_modules/@types', import.meta.url).pathname;

const SAME_CLASS = `
import * as client from 'merchant-invoicing';
import * as webhooks from 'merchant-invoicing/webhooks';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const forms = [[client, webhooks], [require('merchant-invoicing'), require('merchant-invoicing/webhooks')]];
for (const [a, b] of forms) {
  const shared = Object.keys(a).filter((name) => name.endsWith('Error') && name in b);
  console.log(shared.length > 0 && shared.every((name) => a[name] === b[name]));
  const error = await b.verifyWebhook('{}', {}, 'whsec_x').catch((thrown) => thrown);
  console.log(error instanceof a.MerchantError, error instanceof a.WebhookVerificationError, error.code);
}
`;
/** A merchant's module, whose inferred types must all have a name that its declarations can write. */
const INFERRED = `
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import { fakeInvoice, fakePaidEvent } from 'merchant-invoicing/testing';
import {
  createWebhookHandler, memoryStore, postgresStore, redisStore, sqliteStore, toFetchHandler, toLambdaHandler, toNodeHandler,
} from 'merchant-invoicing/webhooks';
declare const pool: Parameters<typeof postgresStore>[0];
declare const redis: Parameters<typeof redisStore>[0];
declare const db: Parameters<typeof sqliteStore>[0];
export const merchant = new MerchantClient({ baseUrl: 'https://pay.example.com', apiKey: 'sk_x' });
export const { invoices, webhooks, rates } = merchant;
export const listed = merchant.invoices.list({ status: 'success' });
export const created = merchant.invoices.createOrGet({ external_id: 'o', customer_id: 'c', amount: '1', currency: 'EUR' }).result();
export const sandbox = createSandbox();
export const stores = [memoryStore(), postgresStore(pool), redisStore(redis), sqliteStore(db)] as const;
export const [memory, postgres, ofRedis, sqlite] = stores;
export const handler = createWebhookHandler({ secret: 'whsec_x', store: postgres, onPaid: () => {}, onCanceled: () => {} });
export const adapters = [toFetchHandler(handler), toLambdaHandler(handler), toNodeHandler(handler)] as const;
export const fakes = [fakeInvoice(), fakePaidEvent()] as const;
`;

describe('the packed tarball', () => {
  let consumer: Consumer;
  let installed: string;
  beforeAll(() => {
    consumer = installPacked();
    installed = join(consumer.folder, 'node_modules', 'merchant-invoicing');
  });
  afterAll(() => consumer?.remove());

  it('brings decimal.js and nothing else', () => {
    const modules = readdirSync(join(consumer.folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(modules.sort()).toEqual(['decimal.js', 'merchant-invoicing']);
  });

  it('carries its licence, those of what is inlined, its pages and its own version', () => {
    expect(readdirSync(installed)).toEqual(
      expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD-PARTY-LICENSES', 'dist', 'docs']),
    );
    const notices = readFileSync(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of ['ky', 'zod']) expect(notices).toMatch(new RegExp(`\\b${name}\\b`));
    expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).version).toBe(VERSION);
  });

  it('holds neither tests nor scripts, and no word of zod or ky in its declarations', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(files.filter((path) => /^(?:test|scripts|examples)\b|\.test\./.test(path))).toEqual([]);
    const declarations = files.filter((path) => /\.d\.[cm]?ts$/.test(path));
    expect(declarations.length).toBeGreaterThan(5);
    for (const path of declarations)
      expect(readFileSync(join(installed, path), 'utf8'), path).not.toMatch(/from ["'](?:zod|ky)/);
  });

  it.each(['smoke.mjs', 'smoke.cjs'])('runs %s', async (file) => {
    const ran = await consumer.run(file, read(`consumers/${file}`));
    expect(ran).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
  });

  it('has one class of each error, in each form', async () => {
    const ran = await consumer.run('classes.mjs', SAME_CLASS);
    const each = 'true\ntrue true SDK_WEBHOOK_MISSING_HEADER\n';
    expect(ran).toEqual({ code: 0, stdout: each + each, stderr: '' });
  });

  it("takes a payment with the README's first file", async () => {
    const [, first = ''] = /^```js\n([\s\S]*?)^```$/m.exec(read('../README.md')) ?? [];
    const ran = await consumer.run('first.mjs', first, { env: { PORT: String(await freePort()) } });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('fulfil order-1042 26.861298 USDT');
  });

  const compiled = (name: string, source: string, options: ts.CompilerOptions): string[] => {
    const file = join(consumer.folder, name);
    writeFileSync(file, source);
    const program = ts.createProgram([file], {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      target: ts.ScriptTarget.ES2022,
      typeRoots: [ROOT_TYPES],
      types: ['node'],
      ...options,
    });
    const emitted = options.declaration === true ? program.emit(undefined, () => {}).diagnostics : [];
    return [...ts.getPreEmitDiagnostics(program), ...emitted].map(
      ({ messageText, file: at }) => `${at?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  };

  it.each([
    ['nodenext', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext, 'types.ts'],
    ['nodenext, CommonJS', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext, 'types.cts'],
    ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler, 'types.ts'],
  ])('compiles strictly, libraries checked, with %s resolution', (_, module, moduleResolution, name) => {
    const source = read('consumers/types.ts');
    expect(compiled(name, source, { module, moduleResolution, noEmit: true })).toEqual([]);
  });

  it('names each type that a declaration of its user infers', () => {
    const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
    expect(compiled('inferred.ts', INFERRED, { ...options, declaration: true })).toEqual([]);
  });
});
