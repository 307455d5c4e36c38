import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../src/version.ts';
import { type Consumer, installPacked, ownNode } from './support/consumer.ts';

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');
const ROOT_TYPES = new URL('../node_modules/@types', import.meta.url).pathname;

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

  it('carries the licences of what is inlined', () => {
    const notices = readFileSync(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8');
    expect(notices).toContain('ky');
    expect(notices).toContain('zod');
    expect(readdirSync(installed)).toContain('LICENSE');
  });

  it('has a list of what it holds of others, inlined or as a dependency', () => {
    const list = JSON.parse(readFileSync(join(installed, 'dist/sbom.cdx.json'), 'utf8'));
    expect([list.bomFormat, list.specVersion, list.metadata.component.version]).toEqual(['CycloneDX', '1.6', VERSION]);
    const of = (name: string): string => JSON.parse(read(`../node_modules/${name}/package.json`)).version;
    expect(list.components.map(({ name, version, purl }: Record<string, unknown>) => [name, version, purl])).toEqual(
      ['ky', 'zod', 'decimal.js'].map((name) => [name, of(name), `pkg:npm/${name}@${of(name)}`]),
    );
  });

  it('holds these folders and files, and no others', () => {
    const [top, docs] = ['.', 'docs'].map((folder) => readdirSync(join(installed, folder)).sort());
    expect(top).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'THIRD-PARTY-LICENSES',
      'dist',
      'docs',
      'package.json',
      'src',
    ]);
    expect(docs).toEqual(
      readdirSync(new URL('../docs', import.meta.url))
        .filter((name) => name.endsWith('.md'))
        .sort(),
    );
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    const kinds = new Set(files.map(({ name }) => name.replace(/^[^.]+/, '')));
    expect([...kinds].sort()).toEqual([
      '',
      '.cdx.json',
      '.cjs',
      '.cjs.map',
      '.d.cts',
      '.d.cts.map',
      '.d.ts',
      '.d.ts.map',
      '.js',
      '.js.map',
      '.json',
      '.md',
      '.ts',
    ]);
  });

  /** Its declarations, by path inside the package. */
  const declarations = (): string[] => {
    const paths = readdirSync(join(installed, 'dist/types'), { recursive: true, encoding: 'utf8' });
    return paths.filter((path) => /\.d\.c?ts$/.test(path)).map((path) => join('dist/types', path));
  };

  it('has declarations without a trace of zod or ky', () => {
    expect(declarations().length).toBeGreaterThan(5);
    for (const path of declarations())
      expect(readFileSync(join(installed, path), 'utf8'), path).not.toMatch(/\bzod\b|from 'ky'/);
  });

  it('has declarations that TypeScript 5.4 can read, in which Uint8Array is not generic', () => {
    for (const path of declarations())
      expect(readFileSync(join(installed, path), 'utf8'), path).not.toContain('Uint8Array<');
  });

  it('has a map from each declaration to a source that it ships', () => {
    for (const path of declarations()) {
      const { sources } = JSON.parse(readFileSync(join(installed, `${path}.map`), 'utf8')) as { sources: string[] };
      const found = sources.map((source) => join(path, '..', source));
      expect(found).toEqual([path.replace('dist/types', 'src').replace(/\.d\.c?ts$/, '.ts')]);
      for (const source of found) expect(existsSync(join(installed, source)), source).toBe(true);
    }
  });

  it.each(['.d.ts', '.d.cts'])('leads from a name in a %s to its line in the source', (end) => {
    const lines = (path: string): string[] => readFileSync(join(installed, path), 'utf8').split('\n');
    const declaration = lines(`dist/types/client${end}`);
    const line = declaration.findIndex((text) => text.includes('readonly invoices'));
    const map = new SourceMap(JSON.parse(lines(`dist/types/client${end}.map`).join('\n')));
    const entry = map.findEntry(line, declaration[line]?.indexOf('invoices') ?? -1);
    if (!('originalLine' in entry)) throw new Error('the map knows nothing of the place');
    const source = lines(join('dist/types', entry.originalSource))[entry.originalLine];
    expect(source?.slice(entry.originalColumn)).toBe('invoices: Invoices;');
  });

  it('says its version', () => {
    expect(JSON.parse(read('../package.json')).version).toBe(VERSION);
  });

  it.each(['smoke.mjs', 'smoke.cjs'])('runs %s', async (file) => {
    const ran = await consumer.run(file, read(`consumers/${file}`));
    expect(ran).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
  });

  it("runs in the machine's own Node, from 20.20 on", async ({ skip }) => {
    const node = ownNode();
    if (node === null || node.major < 20) return skip('no own Node from 20 on outside of node_modules on this machine');
    for (const file of ['smoke.mjs', 'smoke.cjs']) {
      const ran = await consumer.run(file, read(`consumers/${file}`), { node: node.path });
      expect(ran).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
    }
  });

  it.each([
    ['nodenext', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext, 'types.ts'],
    ['nodenext, CommonJS', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext, 'types.cts'],
    ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler, 'types.ts'],
  ])('compiles strictly, libraries checked, with %s resolution', (_, module, moduleResolution, name) => {
    const file = join(consumer.folder, name);
    writeFileSync(file, read('consumers/types.ts'));
    const program = ts.createProgram([file], {
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      target: ts.ScriptTarget.ES2022,
      module,
      moduleResolution,
      typeRoots: [ROOT_TYPES],
      types: ['node'],
    });
    const findings = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText, file: at }) => `${at?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
    expect(findings).toEqual([]);
  });
});
