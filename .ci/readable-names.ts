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
  readonly bytes: number;
  readonly entryPoint?: string;
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
  readonly imports: readonly { path: string; external?: boolean }[];
}

/**
 * A chunk is named after the part that it holds, or after the place of most of its sources. The entry of a part only
 * exports again, and nothing imports it: its chunk takes its place.
 * @returns the metafile, with the new names.
 */
export function nameChunks(
  entries: Readonly<Record<string, string>>,
  parts: Readonly<Record<string, string>>,
): Metafile {
  const metafile: Metafile = JSON.parse(readFileSync(METAFILE, 'utf8'));
  const names = new Map<string, string>();
  const taken = new Set([...Object.keys(entries), ...Object.keys(parts)]);
  // The largest first: it has the shortest name, in each build.
  for (const [output, { entryPoint, inputs }] of Object.entries(metafile.outputs).sort(
    ([, a], [, b]) => b.bytes - a.bytes,
  )) {
    const [file] = /[^/]+-[A-Z0-9]{8}(?=\.js$)/.exec(output) ?? [];
    if (!file) continue;
    const part = Object.entries(parts).find(([, path]) => path in inputs)?.[0];
    const name = part ?? freeName(entryPoint ? nameOfEntry(inputs, entryPoint) : placeOfMost(inputs), taken);
    taken.add(name);
    names.set(file, name);
  }
  for (const part of Object.keys(parts)) delete metafile.outputs[`dist/${part}.js`];
  writeFileSync(METAFILE, JSON.stringify(metafile));
  rename(names);
  return JSON.parse(readFileSync(METAFILE, 'utf8'));
}

function wordsOf(path: string): string[] {
  return path.replace(/^src\/(?:tools\/)?|\.ts$/g, '').split('/');
}

/** A file that is imported when it is needed may only lead to what it names. */
function nameOfEntry(inputs: Output['inputs'], entryPoint: string): string {
  const isOwn = Object.keys(inputs).some((path) => path.startsWith('src/'));
  return `${wordsOf(entryPoint).join('-')}${isOwn ? '' : '-import'}`;
}

/** The deepest folder, or the one file, with two thirds of the bytes of our own sources. Empty for all of src. */
function placeOfMost(inputs: Output['inputs']): string {
  const sizes = new Map<string, number>();
  let total = 0;
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    if (!path.startsWith('src/')) continue;
    total += bytesInOutput;
    for (const [at] of wordsOf(path).entries()) {
      const place = wordsOf(path)
        .slice(0, at + 1)
        .join('-');
      sizes.set(place, (sizes.get(place) ?? 0) + bytesInOutput);
    }
  }
  const places = [...sizes].flatMap(([place, size]) => (size >= (total * 2) / 3 ? [place] : []));
  return places.reduce((deepest, place) => (place.length > deepest.length ? place : deepest), '');
}

/** `sandbox-core` beside the entry `sandbox`, then `sandbox-core-2`. */
function freeName(place: string, taken: ReadonlySet<string>): string {
  if (place !== '' && !taken.has(place)) return place;
  const core = place === '' ? 'core' : `${place}-core`;
  let name = core;
  for (let count = 2; taken.has(name); count += 1) name = `${core}-${count}`;
  return name;
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
