import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** An entry of the package, as `exports` of package.json names it. */
export interface Entry {
  /** `webhooks`, built as `dist/webhooks.js`. */
  readonly name: string;
  /** `webhooks/index`, of `src/webhooks/index.ts`. */
  readonly source: string;
  /** Whether it can be required as well. */
  readonly isDual: boolean;
}

interface Target {
  readonly types: string;
  readonly default: string;
}

function pathIn(text: string, pattern: RegExp): string {
  const [, path] = pattern.exec(text) ?? [];
  if (path === undefined) throw new Error(`package.json exports ${text}, which the build does not write`);
  return path;
}

/** The packages that a user installs next to this one: dependency and peers. */
export const EXTERNAL: readonly string[] = (() => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Readonly<
    Record<'dependencies' | 'peerDependencies', Readonly<Record<string, string>>>
  >;
  return [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
})();

/** Reads the entries from package.json, so that `exports` is their only list. */
export function readEntries(): readonly Entry[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | Target | { readonly import: Target; readonly require: Target }>>;
  };
  return Object.values(exports).flatMap((entry) => {
    if (typeof entry === 'string') return [];
    const target = 'import' in entry ? entry.import : entry;
    const source = pathIn(target.types, /^\.\/dist\/types\/(.+)\.d\.mts$/);
    if ('require' in entry) pathIn(entry.require.types, /^\.\/dist\/types\/(.+)\.d\.ts$/);
    return [{ name: pathIn(target.default, /^\.\/dist\/(.+)\.js$/), source, isDual: 'require' in entry }];
  });
}
