import { transform } from 'esbuild';
import type { OutputAsset, OutputChunk } from 'rollup';

/**
 * Bytes of a file at most. gzip finds a repeated text at most 32 kB back. In the archive, the CommonJS form of a file stands
 * right before the file, so gzip stores a file of this size once.
 */
const FILE_MAX = 31_700;
/** The same without the imports and exports of the file. */
const PIECE_MAX = 30_000;

/** The built files that these files load, at once or later. */
export function loadedBy(starts: readonly string[], output: readonly (OutputChunk | OutputAsset)[]): OutputChunk[] {
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])));
  const reached = new Set(starts);
  for (const name of reached) {
    const { imports = [], dynamicImports = [] } = chunks.get(name) ?? {};
    for (const next of [...imports, ...dynamicImports]) if (chunks.has(next)) reached.add(next);
  }
  return [...chunks.values()].filter(({ fileName }) => reached.has(fileName));
}

/**
 * Names the pieces of files that are too large, by the modules in them. The bundler lists a module after those that it
 * imports, so no piece needs a later one.
 *
 * @param entries The modules of the entries by name. An entry is the last piece of its file, and no file more.
 */
export async function piecesOf(
  chunks: readonly OutputChunk[],
  entries: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const pieces = new Map<string, string>();
  for (const { name, modules } of chunks.filter(({ code }) => code.length > FILE_MAX)) {
    const lengths = Object.entries(modules).map(
      async ([id, { code }]) => [id, (await transform(code ?? '', { minify: true })).code.length] as const,
    );
    const measured = await Promise.all(lengths);
    const total = measured.reduce((sum, [, length]) => sum + length, 0);
    const count = Math.ceil(total / PIECE_MAX);
    let before = 0;
    for (const [id, length] of measured) {
      pieces.set(id, `${name}-${Math.floor(((before + length / 2) / total) * count) + 1}`);
      before += length;
    }
    const entry = entries[name.replace(/-parts$/, '')];
    if (entry !== undefined) pieces.set(entry, `${name}-${count}`);
  }
  return pieces;
}
