import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import * as webhooks from '../../src/webhooks/index.ts';

const require = createRequire(import.meta.url);

/** The JavaScript of a file. Compiled once for all worlds. */
const compiled = new Map<string, string>();
function codeOf(file: string): string {
  const known = compiled.get(file);
  if (known !== undefined) return known;
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  const text = readFileSync(file, 'utf8');
  const code = file.endsWith('.ts') ? ts.transpileModule(text, { compilerOptions }).outputText : text;
  compiled.set(file, code);
  return code;
}

/** Loads the webhooks entry from its sources into a world that has the language and the given globals, and nothing else. */
function load(globals: Record<string, unknown>): Record<string, unknown> {
  const world = createContext(globals);
  const loaded = new Map<string, Record<string, unknown>>();
  const from = (file: string): Record<string, unknown> => {
    const known = loaded.get(file);
    if (known !== undefined) return known;
    const exports: Record<string, unknown> = {};
    loaded.set(file, exports);
    const module = { exports };
    const nearby = (name: string): unknown =>
      from(name.startsWith('.') ? fileURLToPath(new URL(name, `file://${file}`)) : require.resolve(name));
    runInContext(`(function (exports, require, module) {${codeOf(file)}\n})`, world, { filename: file })(
      exports,
      nearby,
      module,
    );
    loaded.set(file, module.exports);
    return module.exports;
  };
  return from(fileURLToPath(new URL('../../src/webhooks/index.ts', import.meta.url)));
}

describe('the webhooks entry', () => {
  it('exports what it promises, and nothing by accident', () => {
    expect(Object.keys(webhooks).sort()).toEqual([
      ...['ConfigurationError', 'Decimal', 'MerchantError', 'WebhookVerificationError', 'createWebhookHandler'],
      ...['hasCode', 'hasKind', 'isMerchantError', 'memoryStore', 'parseInvoiceEvent', 'postgresStore', 'redisStore'],
      ...['signWebhook', 'sqliteStore', 'toFetchHandler', 'toLambdaHandler', 'toNodeHandler', 'verifyWebhook'],
    ]);
  });

  it('touches no global beside the language: jsdom, for one, lacks most of the platform', () => {
    const entry = load({});
    expect(Object.keys(entry)).toContain('createWebhookHandler');
  });

  it('makes a handler and a store there, and asks for the platform when a delivery is verified', async () => {
    const entry = load({
      setTimeout,
      clearTimeout,
      DOMException,
      AbortController,
    }) as unknown as typeof webhooks; // the same sources
    const handler = entry.createWebhookHandler({
      secret: 'whsec_jsdom_0123456789',
      store: entry.memoryStore(),
      onPaid: () => {},
      onAdjusted: () => {},
      onCanceled: () => {},
    });
    expect(await handler.handle({ method: 'GET', headers: {}, body: '' })).toMatchObject({ status: 405 });
    await expect(entry.signWebhook('{}', 'whsec_jsdom_0123456789')).rejects.toThrow('TextEncoder is not defined');
  });
});
