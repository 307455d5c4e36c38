import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** A statement of a module that uses a library, or the file of a program. */
export type BundleStart = { readonly statement: string } | { readonly file: string };

/**
 * The size of a bundle: minified, gzipped, with its dependencies. Files that are loaded when they are first used do not
 * count.
 *
 * @param folder The folder from which the imports are resolved.
 */
export async function gzippedBundle(start: BundleStart, folder: string): Promise<number> {
  const { outputFiles, metafile } = await build({
    ...('statement' in start
      ? { stdin: { contents: start.statement, resolveDir: folder } }
      : { entryPoints: [start.file] }),
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: join(folder, 'bundle'),
    external: ['msw', 'msw/*'], // a peer, which its user has
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const { outputs } = metafile;
  // Each file that is loaded later is an entry point of the bundler as well.
  const first = 'statement' in start ? '<stdin>' : basename(start.file);
  const isFirst = (path: string): boolean => basename(outputs[path]?.entryPoint ?? '') === first;
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const reached = new Set(Object.keys(outputs).filter(isFirst));
  for (const path of reached) {
    for (const edge of outputs[path]?.imports ?? []) {
      if (edge.kind === 'import-statement' && edge.external !== true) reached.add(edge.path);
    }
  }
  return gzipSync([...reached].map((path) => texts.get(basename(path))).join('\n'), { level: 9 }).length;
}
