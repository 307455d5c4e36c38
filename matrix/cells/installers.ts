import type { Cell, Group } from '../engine/cell.ts';

const INSTALLERS: readonly (readonly [title: string, argument: string, uses: readonly string[]])[] = [
  ['npm', 'npm', ['npm']],
  ['pnpm without hoisting', 'pnpm', ['pnpm']],
  ['Yarn 1', 'yarn1', ['yarn1']],
  ['Yarn with PnP', 'yarn-pnp', ['@yarnpkg/cli-dist']],
  ['Bun', 'bun', ['bun']],
];

/** Installers in an empty project: they add this package and decimal.js, and nothing else. */
export const installers: Group = {
  name: 'installer',
  projects: [
    {
      name: 'installers',
      dependencies: { '@yarnpkg/cli-dist': '4.18.1', bun: '1.4.5', pnpm: '10.34.9', yarn1: 'npm:yarn@1.22.22' },
      scripts: ['bun'],
      isBare: true,
    },
  ],
  cells: INSTALLERS.map(
    ([name, argument, uses]): Cell => ({ name, project: 'installers', uses, run: ['node', 'install.mjs', argument] }),
  ),
};
