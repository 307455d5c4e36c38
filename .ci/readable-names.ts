// Gives the files of dist names that say what they hold, because a stack and a "go to definition" show them: esbuild writes
// `chunk-KHBTRG24.js`, and the declarations `invoices-BOQfwCYx.d.ts`.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const METAFILE = 'dist/metafile-esm.json';

/** What esbuild says of a build: the files that it read, and what each written file holds and imports. */
export interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Record<string, Output>;
}
interface Output {
  readonly entryPoint?: string;
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
  readonly imports: readonly { path: string; external?: boolean }[];
}

/**
 * A chunk is named after the part that it holds, or the folder of its sources. The entry of a part only exports again, and
 * nothing imports it: its chunk takes its place.
 * @returns the metafile, with the new names.
 */
export function nameChunks(
  entries: Readonly<Record<string, string>>,
  parts: Readonly<Record<string, string>>,
): Metafile {
  const metafile: Metafile = JSON.parse(readFileSync(METAFILE, 'utf8'));
  const names = new Map<string, string>();
  const taken = new Set([...Object.keys(entries), ...Object.keys(parts)]);
  for (const [output, { entryPoint, inputs }] of Object.entries(metafile.outputs)) {
    const [file] = /[^/]+-[A-Z0-9]{8}(?=\.js$)/.exec(output) ?? [];
    if (!file) continue;
    const part = Object.entries(parts).find(([, path]) => path in inputs)?.[0];
    const name = part ?? namesAfter(sourcesOf(inputs, entryPoint)).find((each) => !taken.has(each));
    if (!name) throw new Error(`No name is left for ${output}.`);
    taken.add(name);
    names.set(file, name);
  }
  for (const part of Object.keys(parts)) delete metafile.outputs[`dist/${part}.js`];
  writeFileSync(METAFILE, JSON.stringify(metafile));
  rename(names);
  return JSON.parse(readFileSync(METAFILE, 'utf8'));
}

/** Our own, the largest first. A file that is imported when it is needed has one, and may only lead to it. */
function sourcesOf(inputs: Output['inputs'], entryPoint: string | undefined): string[] {
  const bytes = (path: string): number => inputs[path]?.bytesInOutput ?? 0;
  const own = Object.keys(inputs).filter((path) => path.startsWith('src/'));
  if (entryPoint) return [own.length ? entryPoint : entryPoint.replace('.ts', '-import.ts')];
  return own.sort((a, b) => bytes(b) - bytes(a));
}

/** From the folder that all sources share, down to the first of them: `cli`, `cli-order`, `cli-order-command`. */
function namesAfter(sources: readonly string[]): string[] {
  const [first = [], ...others] = sources.map((path) => path.replace(/^src\/(?:tools\/)?|\.ts$/g, '').split('/'));
  const parting = first.findIndex((word, at) => others.some((words) => words[at] !== word));
  return first.map((_, at) => first.slice(0, at + 1).join('-')).slice(parting === -1 ? -1 : Math.max(0, parting - 1));
}

/** Declarations that entries share lose the hash in their names. */
export function nameDeclarations(entries: Readonly<Record<string, string>>): void {
  const names = new Map<string, string>();
  for (const file of readdirSync('dist')) {
    const [old, module] = /^(.+)-[\w-]{8}(?=\.d\.c?ts$)/.exec(file) ?? [];
    if (old && module) names.set(old, module in entries ? `${module}-types` : module);
  }
  rename(names);
}

/** Renames files of dist, given without their extensions, in their names and wherever they are named. */
function rename(names: ReadonlyMap<string, string>): void {
  const renamed = (text: string): string =>
    [...names].reduce((result, [old, name]) => result.replaceAll(`${old}.`, `${name}.`), text);
  for (const file of readdirSync('dist').filter((each) => /\.(?:js|json|ts|cts)$/.test(each))) {
    const text = readFileSync(`dist/${file}`, 'utf8');
    rmSync(`dist/${file}`);
    writeFileSync(`dist/${renamed(file)}`, renamed(text));
  }
}
