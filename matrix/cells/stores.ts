import type { Cell, Group } from '../engine/cell.ts';

const PROJECT = 'stores';

const DRIVERS: readonly (readonly [title: string, argument: string, uses: readonly string[]])[] = [
  ['node:sqlite', 'node:sqlite', []],
  ['better-sqlite3', 'better-sqlite3', ['better-sqlite3']],
  ['PGlite', 'pglite', ['@electric-sql/pglite']],
  ['pg', 'pg', ['pg']],
  ['ioredis 5', 'ioredis5', ['ioredis5']],
  ['ioredis 6', 'ioredis', ['ioredis']],
  ['redis 4', 'redis4', ['redis4']],
  ['redis 5', 'redis5', ['redis5']],
  ['redis 6', 'redis', ['redis']],
];

const drivers = DRIVERS.map(
  ([name, argument, uses]): Cell => ({
    name,
    project: PROJECT,
    uses,
    run: ['node', 'store.mjs', argument],
    isShort: argument === 'node:sqlite',
  }),
);

/** The declarations of some drivers have errors, so libraries are not checked here. */
const FLAGS = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--esModuleInterop'];
const RESOLUTION = ['--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext'];

const types = ['ts55', 'ts60', 'ts70'].flatMap((compiler): Cell[] => {
  const tsc = ['node', `node_modules/${compiler}/bin/tsc`, ...FLAGS, ...RESOLUTION];
  const title = compiler.replace(/ts(\d)(\d)/, '$1.$2');
  return [
    {
      name: `types of the drivers, TypeScript ${title}`,
      project: PROJECT,
      uses: [
        compiler,
        '@types/node',
        '@types/pg',
        '@types/better-sqlite3',
        'redis',
        'redis5',
        'redis4',
        'ioredis',
        'ioredis5',
      ],
      run: [...tsc, '--types', 'node', 'types.ts'],
    },
    {
      name: `types of bun:sqlite, TypeScript ${title}`,
      project: PROJECT,
      uses: [compiler, 'bun-types'],
      run: [...tsc, '--types', 'bun-types', 'bun-types.ts'],
    },
  ];
});

/** Stores over real engines with each driver, and the types that the drivers declare. */
export const stores: Group = {
  name: 'store',
  projects: [
    {
      name: PROJECT,
      dependencies: {
        '@electric-sql/pglite': '0.5.16',
        '@types/better-sqlite3': '9.6.0',
        '@types/node': '24.19.2',
        '@types/pg': '8.23.1',
        'better-sqlite3': '13.2.0',
        bun: '1.4.5',
        'bun-types': '1.4.5',
        ioredis: '6.0.0',
        ioredis5: 'npm:ioredis@5.11.1',
        pg: '8.23.1',
        redis: '6.3.1',
        redis4: 'npm:redis@4.7.1',
        redis5: 'npm:redis@5.12.1',
        ts55: 'npm:typescript@5.5.4',
        ts60: 'npm:typescript@6.0.3',
        ts70: 'npm:typescript@7.0.2',
      },
      scripts: ['bun'],
    },
  ],
  cells: [
    ...drivers,
    {
      name: 'bun:sqlite',
      project: PROJECT,
      uses: ['bun'],
      run: ['./node_modules/.bin/bun', 'run', 'store.mjs', 'bun:sqlite'],
    },
    ...types,
  ],
};
