import type { Cell, Group } from '../engine/cell.ts';

const PROJECT = 'runtimes';
const BUN = './node_modules/.bin/bun';
const DENO = './node_modules/.bin/deno';

const cell = (name: string, uses: readonly string[], run: readonly string[]): Cell => ({
  name,
  project: PROJECT,
  uses,
  run,
});
const bun = (name: string, file: string): Cell => cell(`Bun, ${name}`, ['bun'], [BUN, 'run', file]);
const deno = (name: string, file: string, ...permissions: string[]): Cell =>
  cell(`Deno, ${name}`, ['deno'], [DENO, 'run', '--no-prompt', ...permissions, file]);
const workerd = (name: string, ...flags: string[]): Cell =>
  cell(`workerd, ${name}`, ['miniflare', 'workerd', 'esbuild'], ['node', 'workerd.mjs', ...flags]);

const LOOPBACK = '--allow-net=127.0.0.1';

/** Runtimes other than Node. */
export const runtimes: Group = {
  name: 'runtime',
  projects: [
    {
      name: PROJECT,
      dependencies: { bun: '1.4.5', deno: '2.9.6', esbuild: '0.28.2', miniflare: '4.20260730.0' },
      scripts: ['bun'], // puts the program for this machine in its place
    },
  ],
  cells: [
    bun('ESM', 'esm.mjs'),
    bun('CommonJS', 'cjs.cjs'),
    bun('refused connection', 'refused.mjs'),
    bun('traces at a collector', 'traces.mjs'),
    deno('all permissions, ESM', 'esm.mjs', '-A'),
    deno('all permissions, CommonJS', 'cjs.cjs', '-A'),
    deno('network of the loopback interface only', 'esm.mjs', LOOPBACK),
    deno('no permission', 'local.mjs'),
    deno('refused connection', 'refused.mjs', LOOPBACK),
    deno('traces at a collector', 'traces.mjs', LOOPBACK),
    workerd('without Node compatibility'),
    workerd('with Node compatibility', 'nodejs_compat'),
  ],
};
