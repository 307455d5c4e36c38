// The size of an entry as a merchant's bundler would ship it, and the modules that are in it. The benchmarks and the guard
// over the recorded sizes use it.
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';

/** The part of esbuild that is used. */
interface Bundler {
  build(options: Readonly<Record<string, unknown>>): Promise<{
    readonly outputFiles: readonly { readonly path: string; readonly contents: Uint8Array }[];
    readonly metafile: {
      readonly outputs: Readonly<
        Record<
          string,
          {
            readonly entryPoint?: string;
            readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
            readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
          }
        >
      >;
    };
  }>;
}

// tsup brings esbuild, so that the package needs no dependency for this.
const requireBuilder = createRequire(createRequire(import.meta.url).resolve('tsup'));
const { build }: Bundler = requireBuilder('esbuild');

/** The size and the modules of one bundle. */
export interface BundleSize {
  /** Bytes of all files that are loaded with the entry, each gzipped. */
  readonly gzipped: number;
  /** Bytes of the files that a dynamic import loads later, each gzipped. */
  readonly later: number;
  /** Modules that the entry loads: files of the bundle's sources, and modules of Node. */
  readonly modules: readonly string[];
}

/**
 * Bundles one statement, minified, with everything that it needs. Modules that are loaded when they are first used are
 * counted apart.
 *
 * @param statement For example `export { MerchantClient } from './dist/index.js'`.
 * @param folder The folder from which its imports are resolved.
 */
export async function bundleSize(statement: string, folder: string): Promise<BundleSize> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: statement, resolveDir: folder, sourcefile: 'entry.js' },
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    outdir: 'out',
    write: false,
    metafile: true,
    logLevel: 'error',
    legalComments: 'none',
  });
  const sizes = new Map(outputFiles.map(({ path, contents }) => [basename(path), gzipSync(contents).byteLength]));
  const first = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === 'entry.js')?.[0];
  if (first === undefined) throw new Error('the bundle has no entry');

  const loaded = new Set<string>();
  const modules = new Set<string>();
  const load = (path: string): void => {
    const output = metafile.outputs[path];
    if (output === undefined || loaded.has(path)) return;
    loaded.add(path);
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) if (bytesInOutput > 0) modules.add(input);
    for (const imported of output.imports) {
      if (imported.external === true) modules.add(imported.path);
      else if (imported.kind !== 'dynamic-import') load(imported.path);
    }
  };
  load(first);
  const total = (isLoaded: boolean): number =>
    Object.keys(metafile.outputs)
      .filter((path) => loaded.has(path) === isLoaded)
      .reduce((sum, path) => sum + (sizes.get(basename(path)) ?? 0), 0);
  return { gzipped: total(true), later: total(false), modules: [...modules].sort() };
}
