import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import type { ExistingRawSourceMap, Plugin } from 'rollup';
import { edited, linksOf, parse } from './links.ts';

/** The language of Node 20. */
const TARGET = 'es2022';
/** Characters of a line. Node prints the line of an uncaught error, and a stack trace names it. */
const LINE = 300;

/** Inlined: nothing else gets installed, and Jest can require the package, although ky is ESM only. */
const INLINED = /^(?:ky|zod)(?:\/|$)/;

/** Reads the inlined packages, and shortens the names inside their functions. Ours stay as they are written. */
export const inlined: Plugin = {
  name: 'inlined',
  resolveId: (name) => (INLINED.test(name) ? fileURLToPath(import.meta.resolve(name)) : null),
  async transform(code, id) {
    if (!id.includes('node_modules')) return null;
    return transform(code, {
      minifyIdentifiers: true,
      target: TARGET,
      charset: 'utf8',
      sourcemap: true,
      sourcefile: id,
    });
  },
};

const ZOD_CORE = dirname(fileURLToPath(import.meta.resolve('zod/v4/core')));

/** Names of the compiler that zod's index exports as well. No file uses them from there. */
const UNUSED_COMPILER = 'export let INVALID, compile, withParser, ZodCompileAsyncError, ZodCompileUnsupportedError';

/**
 * Cuts zod's compiler out of its index, so that it becomes a separate file, which loads when it is first used.
 * `npm run sizes` fails if it is loaded at import.
 */
export const lazyCompiler: Plugin = {
  name: 'lazy-compiler',
  resolveId: (name) => (name === 'zod/v4/core' ? join(ZOD_CORE, 'compile.js') : null),
  async load(id) {
    if (id !== join(ZOD_CORE, 'index.js')) return null;
    const text = await readFile(id, 'utf8');
    return text.replace('export * from "./compile.js"', UNUSED_COMPILER);
  },
};

export const typescript: Plugin = {
  name: 'typescript',
  async transform(code, id) {
    if (!id.endsWith('.ts')) return null;
    const compilerOptions = { target: 'ES2022', verbatimModuleSyntax: true };
    return transform(code, {
      loader: 'ts',
      target: TARGET,
      charset: 'utf8',
      sourcemap: true,
      sourcefile: id,
      tsconfigRaw: { compilerOptions },
    });
  },
};

/**
 * Removes white space and comments, and shortens the names inside functions. The compiler keeps the names at the top of a
 * script, such as those of classes, but not of a module. So it reads the file without its imports and exports.
 */
export const compact: Plugin = {
  name: 'compact',
  async renderChunk(code) {
    const file = parse(code);
    const links = linksOf(file);
    // The places of the other statements stay, for the map.
    const script = edited(
      file,
      links.map((node) => ({ node, text: node.getText().replace(/./g, ' ') })),
    ).replace(/^#!.*/, '');
    const { code: text, map } = await transform(script, {
      minify: true,
      lineLimit: LINE,
      legalComments: 'none', // THIRD-PARTY-LICENSES has the licences
      charset: 'utf8',
      target: TARGET,
      sourcemap: true,
    });
    const written = links.map((node) => node.getText().replace(/\s*([{},'])\s*/g, '$1'));
    const isAtEnd = (link: string): boolean => /^export\{[^}]*\};$/.test(link);
    const head = [...(/^#!.*/.exec(code) ?? []), ...written.filter((link) => !isAtEnd(link))].map(
      (line) => `${line}\n`,
    );
    const { mappings, ...rest } = JSON.parse(map) as ExistingRawSourceMap;
    return {
      code: [...head, text, ...written.filter(isAtEnd)].join(''),
      map: { ...rest, mappings: ';'.repeat(head.length) + mappings }, // a semicolon ends a line
    };
  },
};
