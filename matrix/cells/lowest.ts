import { readFileSync } from 'node:fs';
import type { Group } from '../engine/cell.ts';

const { dependencies, peerDependencies } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as Readonly<Record<'dependencies' | 'peerDependencies', Readonly<Record<string, string>>>>;

/** The first version in a range such as `^2.7.0 || ^3.0.0`, which names the lowest first. */
function lowestOf(name: string, range: string): string {
  const [version] = /\d+\.\d+\.\d+/.exec(range) ?? [];
  if (version === undefined) throw new Error(`${name} has the range ${range}, which names no version`);
  return version;
}

// The runner of the suite stays that of the repository. Cells of the group `tests` use its lowest version.
const { vitest: _runner, ...peers } = peerDependencies;
const LOWEST = Object.fromEntries(
  Object.entries({ ...dependencies, ...peers }).map(([name, range]) => [name, lowestOf(name, range)]),
);

/** The quick tests of the repository, on the lowest versions that package.json declares. */
export const lowest: Group = {
  name: 'lowest',
  projects: [{ name: 'lowest', dependencies: LOWEST }],
  cells: [
    {
      name: 'the quick tests, lowest declared versions',
      project: 'lowest',
      uses: Object.keys(LOWEST),
      run: ['node', 'suite.mjs', ...Object.keys(LOWEST)],
      limit: 1_200,
    },
  ],
};
