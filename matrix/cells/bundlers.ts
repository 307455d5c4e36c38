import type { Cell, Group } from '../engine/cell.ts';

const PROJECT = 'bundlers';

const BUNDLERS: readonly (readonly [title: string, argument: string, uses: readonly string[]])[] = [
  ['esbuild', 'esbuild', ['esbuild']],
  ['Rollup', 'rollup', ['rollup', '@rollup/plugin-node-resolve', '@rollup/plugin-commonjs', '@rollup/plugin-terser']],
  ['Rolldown', 'rolldown', ['rolldown']],
  ['Vite SSR', 'vite', ['vite']],
  ['webpack', 'webpack', ['webpack']],
  ['Rspack', 'rspack', ['@rspack/core']],
];

/** Bundlers: no warning, unused parts left out, and a minified bundle that plays the scenario. */
export const bundlers: Group = {
  name: 'bundler',
  projects: [
    {
      name: PROJECT,
      dependencies: {
        '@rollup/plugin-commonjs': '29.0.3',
        '@rollup/plugin-node-resolve': '16.0.3',
        '@rollup/plugin-terser': '1.0.2',
        '@rspack/core': '2.3.2',
        esbuild: '0.28.2',
        rolldown: '1.3.2',
        rollup: '4.68.7',
        vite: '8.3.8',
        webpack: '5.112.2',
      },
    },
  ],
  cells: BUNDLERS.map(
    ([name, argument, uses]): Cell => ({
      name,
      project: PROJECT,
      uses,
      run: ['node', 'bundle.mjs', argument],
      isShort: argument === 'esbuild',
    }),
  ),
};
