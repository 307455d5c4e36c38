import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BundleStart, gzippedBundle } from './bundle.ts';

/** The cost of importing one entry. */
export interface Entry {
  /** Bytes after minifying and gzip, dependencies included, without the files that load at their first use. */
  readonly gzip: number;
  /** The modules loaded at import: built-ins of Node, `fetch` for the platform's, folders of `src`, and packages. */
  readonly loads: readonly string[];
}

export type Sizes = Readonly<Record<string, Entry>>;

interface Target {
  /** The built file. */
  readonly file: string;
  /** The one export that is measured. */
  readonly only?: string;
  /** The arguments of a program, which is run and not imported. */
  readonly run?: readonly string[];
}

const TARGETS: Readonly<Record<string, Target>> = {
  client: { file: 'index.js' },
  webhooks: { file: 'webhooks.js' },
  verifyWebhook: { file: 'webhooks.js', only: 'verifyWebhook' },
  sandbox: { file: 'sandbox.js' },
  reconcile: { file: 'reconcile.js' },
  msw: { file: 'msw.js' },
  testing: { file: 'testing.js' },
  cli: { file: 'cli/main.js', run: ['--version'] },
};

/** Measures the built entries of a package folder. */
export async function measure(root: string): Promise<Sizes> {
  const rows = Object.entries(TARGETS).map(async ([name, target]) => {
    const file = join(root, 'dist', target.file);
    if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build first`);
    return [
      name,
      { gzip: await gzippedBundle(startOf(file, target), root), loads: loadsOf(root, file, target.run) },
    ] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

// A program is bundled unchanged. Of a library the bundler would keep nothing that is not exported.
function startOf(file: string, { only, run }: Target): BundleStart {
  if (run !== undefined) return { file };
  return { statement: `export ${only === undefined ? '*' : `{ ${only} }`} from ${JSON.stringify(file)}` };
}

// Run in a fresh process. A built-in counts wherever it was loaded from, also from inside Node.
const WATCH = `
import { builtinModules, registerHooks } from 'node:module';
import { writeSync } from 'node:fs';
const files = [];
registerHooks({ load: (url, context, next) => { files.push(url); return next(url, context); } });
const names = () => process.moduleLoadList.flatMap((line) => {
  const name = line.replace('NativeModule ', '');
  return name === 'internal/deps/undici/undici' ? ['fetch'] : builtinModules.includes(name) && !name.startsWith('_') ? ['node:' + name] : [];
});
const before = new Set(names());
process.on('exit', () => {
  writeSync(3, JSON.stringify({ files, builtins: names().filter((name) => !before.has(name)) }));
});
`;

function loadsOf(root: string, file: string, run: readonly string[] | undefined): string[] {
  const watch = `data:text/javascript,${encodeURIComponent(WATCH)}`;
  const what =
    run === undefined ? ['--input-type=module', '--eval', `await import(${JSON.stringify(file)})`] : [file, ...run];
  const { status, output } = spawnSync(process.execPath, ['--import', watch, ...what], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(`${file} cannot be loaded`);
  const { files, builtins } = JSON.parse(output[3] ?? '') as Record<'files' | 'builtins', readonly string[]>;
  // The program is published without maps, so that only what it loads from outside is known.
  const mapped = run === undefined ? files : files.filter((url) => url.includes('/node_modules/'));
  const sources = mapped.filter((url) => url.startsWith('file:')).flatMap((url) => sourcesOf(root, fileURLToPath(url)));
  return [...new Set([...builtins, ...sources])].sort();
}

/** Folders of `src` and files of packages whose code a built file holds, as its map says. */
function sourcesOf(root: string, file: string): string[] {
  if (file.includes('node_modules')) return [nameOf(file)];
  if (!existsSync(`${file}.map`)) throw new Error(`${file} has no source map, so its contents are unknown`);
  const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { readonly sources: readonly string[] };
  return sources.map((source) => {
    const path = relative(root, join(dirname(file), source)).replaceAll('\\', '/');
    return path.includes('node_modules') ? nameOf(path) : `${dirname(path)}/`;
  });
}

/** The package of a file. Of zod the file counts, because only some of its parts may load at import. */
function nameOf(path: string): string {
  const inside = path.replaceAll('\\', '/').split('node_modules/').at(-1) ?? '';
  if (inside.startsWith('zod/')) return inside.replace(/\.[cm]?[jt]s$/, '');
  return inside
    .split('/')
    .slice(0, inside.startsWith('@') ? 2 : 1)
    .join('/');
}
