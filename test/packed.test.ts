import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, dirname, join } from 'node:path';
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
    expect(readdirSync(installed).sort()).toEqual([
      'AGENTS.md',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'THIRD-PARTY-LICENSES',
      'dist',
      'docs',
      'package.json',
    ]);
    const pages = (folder: string): string[] =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    const forContributors = ['architecture.md', 'architecture-decisions.md', 'testing.md'];
    expect(pages(join(installed, 'docs')).sort()).toEqual(
      pages(new URL('../docs', import.meta.url).pathname)
        .filter((name) => !forContributors.includes(name))
        .sort(),
    );
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    const kinds = new Set(files.map(({ name }) => name.replace(/^[^.]+/, '')));
    expect([...kinds].sort()).toEqual([
      '',
      '.cdx.json',
      '.d.mts',
      '.d.mts.map',
      '.d.ts',
      '.d.ts.map',
      '.js',
      '.json',
      '.md',
      '.ts',
    ]);
  });

  it('has an AGENTS.md whose links lead to files of the package', () => {
    const text = readFileSync(join(installed, 'AGENTS.md'), 'utf8');
    const targets = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
    expect(targets.length).toBeGreaterThan(10);
    expect(targets.filter((target) => !existsSync(join(installed, target)))).toEqual([]);
    for (const [, path = ''] of text.matchAll(/`(dist\/[\w/]+)`/g))
      expect(existsSync(join(installed, path)), path).toBe(true);
  });

  it('has at most 600,000 bytes', () => {
    const [tarball = ''] = readdirSync(consumer.folder).filter((name) => name.endsWith('.tgz'));
    expect(statSync(join(consumer.folder, tarball)).size).toBeLessThanOrEqual(600_000);
  });

  it('names no map that it does not hold', () => {
    const built = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    for (const path of built.filter((name) => /\.c?js$/.test(name)))
      expect(readFileSync(join(installed, 'dist', path), 'utf8'), path).not.toContain('sourceMappingURL');
  });

  /** Its declarations, by path inside the package. */
  const declarations = (): string[] => {
    const paths = readdirSync(join(installed, 'dist/types'), { recursive: true, encoding: 'utf8' });
    return paths.filter((path) => /\.d\.m?ts$/.test(path)).map((path) => join('dist/types', path));
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

  it('ships the sources to which its declarations are mapped, and no others', () => {
    const mapped = declarations().flatMap((path) => {
      const text = readFileSync(join(installed, path), 'utf8');
      const map = `${basename(path)}.map`;
      // Without a map, it declares only what other declarations refer to, or hands on the declarations of the other form.
      if (!text.includes(`//# sourceMappingURL=${map}`)) return [];
      const { sources } = JSON.parse(readFileSync(join(installed, `${path}.map`), 'utf8')) as { sources: string[] };
      return sources.map((source) => join(path, '..', source));
    });
    const shipped = readdirSync(join(installed, 'dist/src'), { recursive: true, encoding: 'utf8' });
    const sources = shipped.filter((path) => path.endsWith('.ts')).map((path) => join('dist/src', path));
    expect(mapped.sort()).toEqual(sources.sort());
  });

  const { exports } = JSON.parse(read('../package.json')) as {
    readonly exports: Readonly<
      Record<string, { types?: string; import?: { types: string }; require?: { types: string } }>
    >;
  };
  // The setup files of test runners export nothing.
  const typed = Object.entries(exports)
    .filter(([entry]) => !entry.startsWith('./testing/'))
    .flatMap(([entry, { types, import: esm, require: cjs }]) =>
      [types, esm?.types, cjs?.types].flatMap((path) => (path === undefined ? [] : [[entry, path] as const])),
    );

  it.each(typed)('leads from each export of %s, declared in %s, to its name in a source', (_, path) => {
    const program = ts.createProgram([join(installed, path)], {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      types: [],
    });
    const checker = program.getTypeChecker();
    const entry = program.getSourceFile(join(installed, path));
    const module = entry && checker.getSymbolAtLocation(entry);
    if (module === undefined) throw new Error(`${path} declares nothing`);
    const places = checker.getExportsOfModule(module).flatMap((symbol) => {
      const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return (own.declarations ?? []).map((node) => [own.name, ts.getNameOfDeclaration(node) ?? node] as const);
    });
    expect(places).not.toEqual([]);
    for (const [name, node] of places) {
      const declaration = node.getSourceFile();
      if (!declaration.fileName.startsWith(installed)) continue; // Decimal, of decimal.js
      const { line, character } = declaration.getLineAndCharacterOfPosition(node.getStart());
      const map = new SourceMap(JSON.parse(readFileSync(`${declaration.fileName}.map`, 'utf8')));
      const found = map.findEntry(line, character);
      if (!('originalLine' in found)) throw new Error(`the map does not know ${name}`);
      const source = readFileSync(join(dirname(declaration.fileName), found.originalSource), 'utf8').split('\n');
      expect(source[found.originalLine]?.slice(found.originalColumn), name).toMatch(new RegExp(`^${name}\\b`));
    }
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
