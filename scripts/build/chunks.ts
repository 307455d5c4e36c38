import type { GetManualChunk, ManualChunkMeta } from 'rollup';

/** The rooms that every entry and the command line load at their start. They import no other room. */
const COMMON = /\/src\/(?:errors\/\w|(?:checks|printable|version)\.ts$)/;

/** The entries that each module is assigned to exactly. */
const MAIN: ReadonlySet<string> = new Set(['index', 'webhooks', 'sandbox']);

/** The module, its static imports, and theirs at any depth. */
function reachedFrom(start: string, { getModuleInfo }: ManualChunkMeta): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const id of reached) for (const next of getModuleInfo(id)?.importedIds ?? []) reached.add(next);
  return reached;
}

/** The package of an inlined file, or the name of a source. */
const nameOf = (id: string): string =>
  /node_modules\/([^/]+)/.exec(id)?.[1] ?? id.replace(/\.ts$/, '').replace(/^.*\//, '');

/**
 * Puts the modules that the same entries load into one file, named by these entries. A file more costs about a
 * millisecond at import. A module that no entry loads is left to the bundler. So the command line shares the files of the
 * library, and does not split them.
 *
 * @param entries The modules of the entries by name.
 */
export function chunksOf(entries: Readonly<Record<string, string>>): GetManualChunk {
  let names: ReadonlyMap<string, string> | undefined;
  return (id, meta) => {
    names ??= namesOf(entries, meta);
    return names.get(id);
  };
}

function namesOf(entries: Readonly<Record<string, string>>, meta: ManualChunkMeta): ReadonlyMap<string, string> {
  const starts = new Map(Object.entries(entries).map(([name, id]) => [id, name]));
  const users = new Map<string, Set<string>>();
  /** The entries that can lead to a module which is loaded later. */
  const loaders = new Map<string, Set<string>>();
  for (const [start, name] of starts) {
    for (const id of reachedFrom(start, meta)) {
      users.set(id, (users.get(id) ?? new Set()).add(name));
      for (const lazy of meta.getModuleInfo(id)?.dynamicallyImportedIds ?? []) {
        const before = loaders.get(lazy) ?? new Set();
        loaders.set(lazy, new Set([...before, ...(loaders.get(start) ?? [name])]));
        starts.set(lazy, nameOf(lazy));
      }
    }
  }
  for (const [start, by] of loaders) {
    for (const id of reachedFrom(start, meta)) {
      const own = users.get(id);
      if (own !== undefined && [...by].every((entry) => own.has(entry))) own.delete(nameOf(start)); // loaded long before
    }
  }
  const name = (by: ReadonlySet<string>): string => {
    const main = [...by].filter((each) => MAIN.has(each));
    const isPartOfSandbox = (each: string): boolean => each === 'msw' && by.has('sandbox');
    const rest = [...by].filter((each) => !MAIN.has(each) && !isPartOfSandbox(each));
    // Modules that only the sandbox and late modules load: other entries load another part of the sandbox.
    if (main.join() === 'sandbox' && rest.length > 0 && rest.every((each) => !(each in entries))) return 'late-sandbox';
    // The rest counts as one, and not next to two main entries. So it adds few files to those that a shop loads at its start.
    const users = main.length === 0 ? rest : rest.length === 0 || main.length > 1 ? main : [...main, 'others'];
    // The file of an entry may export only what the entry does.
    if (users.length === 1 && users.every((each) => each in entries)) return `${users}-parts`;
    // Client and receiver share little. The sandbox loads it as well, so the client loads one file less.
    if (users.includes('index') && users.includes('webhooks')) return 'index-sandbox-webhooks';
    return users.sort().join('-');
  };
  return new Map([...users].map(([id, by]) => [id, COMMON.test(id) ? 'common' : name(by)]));
}
