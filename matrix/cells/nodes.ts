import type { Cell, Group } from '../engine/cell.ts';
import { NODE_PACKAGE, ownNode } from '../engine/nodes.ts';

const VERSIONS = { node20: '20.20.2', node22: '22.23.3', node24: '24.21.0', node26: '26.10.0' };

const specOf = (version: string) => `npm:${NODE_PACKAGE}@${version}`;

const FORMS: readonly (readonly [name: string, words: readonly string[], isQuiet: boolean])[] = [
  ['ESM', ['esm.mjs'], true],
  ['CommonJS', ['cjs.cjs'], true],
  ['both forms in one process', ['both.mjs'], true],
  ['worker thread', ['worker.mjs'], true],
  ['no eval, ESM', ['--disallow-code-generation-from-strings', 'esm.mjs'], true],
  ['no eval, CommonJS', ['--disallow-code-generation-from-strings', 'cjs.cjs'], true],
  ['frozen intrinsics, ESM', ['--frozen-intrinsics', 'esm.mjs'], false], // Node warns that the flag is experimental
  ['frozen intrinsics, CommonJS', ['--frozen-intrinsics', 'cjs.cjs'], false],
  ['probe of a sandbox', ['probe.mjs'], true],
  ['declared exports exist', ['exports.mjs'], true],
];

/** Whether this machine has the Node in this version, so that nothing must be installed. */
const isHere = (program: string, version: string) => ownNode(program, specOf(version)) !== null;

/** Node in each supported version, and the one before them. */
export const nodes: Group = {
  name: 'node',
  projects: [
    {
      name: 'nodes',
      dependencies: {
        ...Object.fromEntries(Object.entries(VERSIONS).map(([name, version]) => [name, specOf(version)])),
        msw: '3.0.5',
        typescript: '6.0.3',
      },
    },
  ],
  cells: Object.entries(VERSIONS).flatMap(([program, version]) =>
    FORMS.map(
      ([name, words, isQuiet]): Cell => ({
        name: `${version.split('.')[0]}, ${name}`,
        project: 'nodes',
        uses: name.startsWith('declared') ? [program, 'typescript', 'msw'] : [program],
        run: [program, ...words],
        isQuiet,
        isShort: isHere(program, version) && (program === 'node24' || !name.startsWith('declared')),
      }),
    ),
  ),
};
