import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readBuilt } from './layers/built-graph.ts';
import { loadedWith, violations } from './layers/rules.ts';
import { type Import, importsOf, readSources, type SourceFile } from './layers/source-graph.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url)).replace(/[\\/]$/, '');

describe('the sources', () => {
  const graph = readSources(at('../src'));

  it('keep the import rules', () => {
    expect(violations(graph)).toEqual([]);
  });

  it('are all seen', () => {
    expect(graph.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['index.ts', 'errors/classes.ts', 'contract/types.ts', 'transport/transport.ts']),
    );
    expect(loadedWith(graph, 'contract/invoices.ts')).toContain('zod/mini');
    expect(loadedWith(graph, 'contract/values/scalars.ts')).not.toContain('zod/mini');
  });
});

describe('a source text', () => {
  it.each<[string, Import[]]>([
    ["import { a } from './types.ts';", [{ to: 'contract/types.ts', kind: 'value' }]],
    ["import './types.ts';", [{ to: 'contract/types.ts', kind: 'value' }]],
    ["import { type A } from './types.ts';", [{ to: 'contract/types.ts', kind: 'value' }]],
    ["import type { A } from '../errors/classes.ts';", [{ to: 'errors/classes.ts', kind: 'type' }]],
    ["import type * as z from 'zod/mini';", [{ to: 'zod/mini', kind: 'type' }]],
    ["export { a } from '../errors/classes.ts';", [{ to: 'errors/classes.ts', kind: 'value' }]],
    ["export * from '../errors/classes.ts';", [{ to: 'errors/classes.ts', kind: 'value' }]],
    ["export type { A } from '../errors/classes.ts';", [{ to: 'errors/classes.ts', kind: 'type' }]],
    ["let a: import('../errors/classes.ts').A;", [{ to: 'errors/classes.ts', kind: 'type' }]],
    ["const a = await import('node:http');", [{ to: 'node:http', kind: 'lazy' }]],
    ["process.getBuiltinModule?.('node:crypto');", [{ to: 'node:crypto', kind: 'lazy' }]],
    ["const a = require('ky');", [{ to: 'ky', kind: 'value' }]],
    ["import a = require('ky');", [{ to: 'ky', kind: 'value' }]],
    ['await import(name);', [{ to: '(computed)', kind: 'lazy' }]],
    ["const text = \"import a from 'ky'\"; // import 'ky'", []],
  ])('is read: %s', (text, imports) => {
    expect(importsOf('contract/example.ts', text)).toEqual(imports);
  });
});

/** A house in order: each broken graph below differs from it in one import. */
const HOUSE: Readonly<Record<string, readonly Import[]>> = {
  'index.ts': [
    { to: 'client.ts', kind: 'value' },
    { to: 'webhooks/event.ts', kind: 'type' },
  ],
  'client.ts': [
    { to: 'resources/invoices.ts', kind: 'value' },
    { to: 'transport/transport.ts', kind: 'value' },
  ],
  'call/call.ts': [{ to: 'errors/classes.ts', kind: 'value' }],
  'errors/classes.ts': [
    { to: 'contract/types.ts', kind: 'type' },
    { to: 'errors/codes.ts', kind: 'type' },
  ],
  'errors/codes.ts': [],
  'contract/types.ts': [{ to: 'contract/values/decimal.ts', kind: 'type' }],
  'contract/values/decimal.ts': [{ to: 'decimal.js', kind: 'value' }],
  'contract/values/codecs.ts': [
    { to: 'zod/mini', kind: 'value' },
    { to: 'zod/v4/core', kind: 'value' },
  ],
  'contract/endpoint.ts': [{ to: 'contract/values/codecs.ts', kind: 'type' }],
  'resources/invoices.ts': [
    { to: 'call/call.ts', kind: 'value' },
    { to: 'transport/transport.ts', kind: 'type' },
    { to: 'contract/values/codecs.ts', kind: 'value' },
  ],
  'resources/webhooks.ts': [{ to: 'webhooks/event.ts', kind: 'value' }],
  'transport/transport.ts': [
    { to: 'ky', kind: 'value' },
    { to: 'errors/classes.ts', kind: 'value' },
  ],
  'transport/retry.ts': [],
  'webhooks/event.ts': [
    { to: 'contract/values/decimal.ts', kind: 'value' },
    { to: 'contract/endpoint.ts', kind: 'value' },
    { to: 'client.ts', kind: 'type' },
  ],
  'webhooks/verify/signature.ts': [{ to: 'node:crypto', kind: 'lazy' }],
  'sandbox/server.ts': [
    { to: 'node:http', kind: 'lazy' },
    { to: 'webhooks/verify/signature.ts', kind: 'value' },
    { to: 'contract/values/codecs.ts', kind: 'value' },
  ],
  'msw.ts': [
    { to: 'msw', kind: 'value' },
    { to: 'sandbox/server.ts', kind: 'value' },
  ],
  'cli/main.ts': [
    { to: 'node:process', kind: 'value' },
    { to: 'client.ts', kind: 'lazy' },
  ],
};

function house(path?: string, ...more: Import[]): SourceFile[] {
  const files = path === undefined || path in HOUSE ? HOUSE : { ...HOUSE, [path]: [] };
  return Object.entries(files).map(([name, imports]) => ({
    path: name,
    lines: 100,
    imports: name === path ? [...imports, ...more] : imports,
  }));
}

describe('the rules', () => {
  it('accept a house in order', () => {
    expect(violations(house())).toEqual([]);
  });

  it.each<[string, string, Import['kind']]>([
    ['contract/types.ts', 'errors/classes.ts', 'value'],
    ['contract/types.ts', 'errors/codes.ts', 'type'],
    ['contract/values/codecs.ts', 'transport/retry.ts', 'lazy'],
    ['contract/types.ts', 'ky', 'value'],
    ['errors/classes.ts', 'contract/types.ts', 'value'],
    ['errors/classes.ts', 'call/call.ts', 'type'],
    ['errors/codes.ts', 'contract/types.ts', 'type'],
    ['transport/retry.ts', 'ky', 'value'],
    ['transport/retry.ts', 'ky', 'type'],
    ['transport/transport.ts', 'zod/mini', 'value'],
    ['transport/transport.ts', 'call/call.ts', 'value'],
    ['transport/transport.ts', 'resources/invoices.ts', 'type'],
    ['resources/invoices.ts', 'ky', 'value'],
    ['resources/invoices.ts', 'zod', 'value'],
    ['resources/invoices.ts', 'client.ts', 'type'],
    ['resources/invoices.ts', 'webhooks/event.ts', 'value'],
    ['resources/webhooks.ts', 'sandbox/server.ts', 'value'],
    ['resources/invoices.ts', 'decimal.js', 'value'],
    ['webhooks/event.ts', 'client.ts', 'value'],
    ['webhooks/event.ts', 'transport/retry.ts', 'value'],
    ['webhooks/event.ts', 'resources/invoices.ts', 'lazy'],
    ['webhooks/event.ts', 'sandbox/server.ts', 'type'],
    ['webhooks/event.ts', 'zod', 'value'],
    ['webhooks/event.ts', 'ky', 'value'],
    ['webhooks/event.ts', 'pg', 'value'],
    ['sandbox/server.ts', 'client.ts', 'value'],
    ['sandbox/server.ts', 'transport/retry.ts', 'type'],
    ['sandbox/server.ts', 'webhooks/event.ts', 'value'],
    ['sandbox/server.ts', 'resources/invoices.ts', 'lazy'],
    ['sandbox/server.ts', 'ky', 'value'],
    ['client.ts', 'sandbox/server.ts', 'lazy'],
    ['client.ts', 'ky', 'value'],
    ['index.ts', 'sandbox/server.ts', 'type'],
    ['index.ts', 'webhooks/event.ts', 'value'],
    ['index.ts', 'msw.ts', 'value'],
    ['cli/main.ts', 'client.ts', 'value'],
    ['msw.ts', 'client.ts', 'value'],
    ['call/call.ts', 'client.ts', 'type'],
    ['call/call.ts', '(computed)', 'lazy'],
    ['call/call.ts', 'contract/gone.ts', 'value'],
    ['stray.ts', 'errors/classes.ts', 'value'],
    ['transport/transport.ts', 'node:http', 'lazy'],
    ['webhooks/verify/signature.ts', 'node:crypto', 'value'],
    ['webhooks/verify/signature.ts', 'node:http', 'lazy'],
    ['sandbox/server.ts', 'node:http', 'value'],
    ['sandbox/server.ts', 'node:crypto', 'lazy'],
    ['webhooks/event.ts', 'node:fs', 'lazy'],
    ['reconcile/reconcile.ts', 'client.ts', 'value'],
    ['reconcile/reconcile.ts', 'sandbox/server.ts', 'type'],
    ['reconcile/reconcile.ts', 'contract/values/codecs.ts', 'value'],
    ['reconcile/reconcile.ts', 'node:fs', 'value'],
    ['reconcile/reconcile.ts', 'ky', 'value'],
    ['contract/types.ts', 'node:util', 'lazy'],
  ])('refuse that %s imports %s (%s)', (path, to, kind) => {
    const found = violations(house(path, { to, kind }));
    expect(found.filter((line) => line.startsWith(`${path} `) && !line.endsWith('in a circle'))).not.toEqual([]);
  });

  it('refuse that webhooks loads zod through a file of contract', () => {
    expect(violations(house('webhooks/event.ts', { to: 'contract/values/codecs.ts', kind: 'value' }))).toEqual([
      'webhooks/event.ts imports contract/values/codecs.ts, which loads zod',
    ]);
    expect(violations(house('contract/endpoint.ts', { to: 'contract/values/codecs.ts', kind: 'value' }))).toEqual([
      'webhooks/event.ts imports contract/endpoint.ts, which loads zod',
    ]);
  });

  it('refuse a circle, also of types', () => {
    const types = (first: string, second: string) =>
      violations([
        ...house(first, { to: second, kind: 'type' }).filter(({ path }) => path !== second),
        { path: second, lines: 1, imports: [{ to: first, kind: 'type' }] },
      ]).filter((line) => line.endsWith('in a circle'));
    expect(types('sandbox/state/clock.ts', 'sandbox/state/records.ts')).toHaveLength(2);
    const both = house('contract/values/codecs.ts', { to: 'contract/endpoint.ts', kind: 'value' }).map((source) =>
      source.path === 'contract/endpoint.ts'
        ? { ...source, imports: [{ to: 'contract/values/codecs.ts', kind: 'value' as const }] }
        : source,
    );
    expect(violations(both)).toEqual(
      expect.arrayContaining([
        'contract/values/codecs.ts imports itself in a circle',
        'contract/endpoint.ts imports itself in a circle',
      ]),
    );
    expect(violations(house('call/call.ts', { to: 'call/call.ts', kind: 'value' }))).toEqual([
      'call/call.ts imports itself in a circle',
    ]);
  });

  it.each([
    'contract/utils.ts',
    'transport/http-helper.ts',
    'common/a.ts',
    'sandbox/base-store.ts',
    'webhooks/manager.ts',
  ])('refuse the name %s', (path) => {
    expect(violations([{ path, lines: 1, imports: [] }])).toEqual([`${path} has a name that says nothing`]);
  });

  it('refuse a folder of more than 16 files', () => {
    const files = (count: number): SourceFile[] =>
      Array.from({ length: count }, (_, index) => ({ path: `call/a${index}.ts`, lines: 1, imports: [] }));
    expect(violations(files(16))).toEqual([]);
    expect(violations(files(17))).toEqual(['call/ has 17 files, more than 16']);
  });

  it('refuse a file of more than 250 lines', () => {
    expect(violations([{ path: 'call/call.ts', lines: 250, imports: [] }])).toEqual([]);
    expect(violations([{ path: 'call/call.ts', lines: 251, imports: [] }])).toEqual([
      'call/call.ts has 251 lines, more than 250',
    ]);
  });
});

const dist = at('../dist');
const isBuilt = existsSync(dist);
if (!isBuilt) console.warn('The graphs of the built entries are not read: dist/ is missing. Run "npm run build".');

describe.runIf(isBuilt)('the built entries', () => {
  const isBuiltin = (name: string) => name.startsWith('node:') || builtinModules.includes(name);

  it('CommonJS has no import(), which Jest does not offer', () => {
    const files = readdirSync(`${dist}/cjs`).filter((name) => name.endsWith('.js'));
    expect(files).not.toEqual([]);
    for (const name of files) expect(readFileSync(`${dist}/cjs/${name}`, 'utf8'), name).not.toMatch(/\bimport\(/);
  });

  it.each(['index.js', 'cjs/index.js'])('%s loads no ky, no sandbox and no node built-in', (entry) => {
    const { externals, sources } = readBuilt(dist, entry);
    expect(externals).toEqual(['decimal.js']);
    expect(sources.filter((path) => path.includes('/sandbox/'))).toEqual([]);
    expect(sources).toContain('src/client.ts'); // the maps are read
    expect(sources.filter((path) => path.includes('node_modules/ky/'))).toEqual([]);
  });

  it.each(['index.js', 'cjs/index.js'])(
    '%s loads neither the receiver, the stores nor the compiler of zod',
    (entry) => {
      const { sources } = readBuilt(dist, entry);
      const late =
        /webhooks\/(?:stores|adapters|catch-up|conformance)\/|handle\/handle-request|verify\/(?:verify|mismatch)\.ts|core\/compile\./;
      expect(sources.filter((path) => late.test(path))).toEqual([]);
      expect(sources).toContain('src/webhooks/deferred-receiver.ts');
    },
  );

  it.each(['cjs/index.js', 'cjs/webhooks.js'])('%s loads its later chunks with require, which Jest can do', (entry) => {
    const { chunks } = readBuilt(dist, entry);
    const texts = chunks.map((chunk) => readFileSync(`${dist}/${chunk}`, 'utf8').replaceAll('\n', '')); // long lines are broken
    expect(texts.some((text) => text.includes('Promise.resolve().then(()=>require('))).toBe(true);
  });

  it.each(['webhooks.js', 'cjs/webhooks.js'])('%s holds neither ky nor zod, neither client nor sandbox', (entry) => {
    const { externals, sources } = readBuilt(dist, entry);
    expect(externals.filter((name) => isBuiltin(name) || name !== 'decimal.js')).toEqual([]);
    expect(sources.filter((path) => /node_modules|\/sandbox\/|src\/(?:client|transport|resources)/.test(path))).toEqual(
      [],
    );
    expect(sources).toContain('src/webhooks/verify/signature.ts');
  });

  it.each(['reconcile.js', 'cjs/reconcile.js'])('%s holds neither ky nor zod, neither client nor sandbox', (entry) => {
    const { externals, sources } = readBuilt(dist, entry);
    expect(externals).toEqual(['decimal.js']);
    expect(
      sources.filter((path) => /node_modules|\/sandbox\/|src\/(?:client|call\/|transport|resources)/.test(path)),
    ).toEqual([]);
    expect(sources).toContain('src/reconcile/reconcile.ts');
  });

  it.each(['testing.js', 'cjs/testing.js'])('%s holds neither ky nor zod, neither client nor sandbox', (entry) => {
    const { externals, sources } = readBuilt(dist, entry);
    expect(externals).toEqual(['decimal.js']);
    const heavy = /node_modules|src\/(?:client|resources)|transport\/transport|sandbox\/(?:sandbox|service|http|page)/;
    expect(sources.filter((path) => heavy.test(path))).toEqual([]);
    expect(sources).toContain('src/testing/fake-error.ts');
  });

  it.each(['sandbox.js', 'cjs/sandbox.js'])('%s holds neither ky nor the client', (entry) => {
    const { externals, sources } = readBuilt(dist, entry);
    expect(externals).toEqual(['decimal.js']);
    expect(
      sources.filter((path) => /node_modules\/ky\/|src\/(?:client|call\/|transport|resources)/.test(path)),
    ).toEqual([]);
    expect(sources.some((path) => path.startsWith('src/sandbox/'))).toBe(true);
  });
});
