import type { Cell, Group, Project } from '../engine/cell.ts';

const JEST = './node_modules/.bin/jest';
/** By file, because the short form links packages without their programs. */
const VITEST = ['node', 'node_modules/vitest/vitest.mjs'];
/** Milliseconds for one test: a limit against hanging. */
const LIMIT = '120000';
const VM_MODULES = { NODE_OPTIONS: '--experimental-vm-modules' };

const JEST_CELLS: readonly (readonly [name: string, config: string, uses: readonly string[]])[] = [
  ['CommonJS', 'cjs', []],
  ['ESM', 'esm', []],
  ['ts-jest', 'ts', ['ts-jest', 'typescript']],
  ['babel-jest', 'babel', ['babel-jest', '@babel/core']],
  ['jsdom as it is', 'jsdom-bare', ['jest-environment-jsdom']],
  ['jsdom with the fetch of Node', 'jsdom', ['jest-environment-jsdom']],
];

const jestCells = JEST_CELLS.map(
  ([name, config, uses]): Cell => ({
    name: `Jest, ${name}`,
    project: 'runners',
    uses: ['jest', ...uses],
    run: [JEST, '--config', `jest.${config}.json`, '--testTimeout', LIMIT],
    ...(config === 'esm' && { env: VM_MODULES }),
  }),
);

const vitestCells = ['node', 'jsdom', 'happy-dom'].map(
  (environment): Cell => ({
    name: `vitest, ${environment}${environment === 'happy-dom' ? ', without a socket' : ''}`,
    project: 'vitests',
    uses: ['vitest', ...(environment === 'node' ? [] : [environment])],
    run: [...VITEST, 'run', '--environment', environment],
    isShort: environment === 'node',
  }),
);

const mswProject = (name: string, msw: string): Project => ({
  name,
  dependencies: { jest: '30.5.2', msw, vite: '8.3.8', vitest: '5.1.1' },
});
const mswCells = (project: string, title: string): Cell[] => [
  {
    name: `vitest with ${title}`,
    project,
    uses: ['vitest', 'msw'],
    run: [...VITEST, 'run', '--globals', '--testTimeout', LIMIT, 'msw.test.mjs'],
    isShort: project === 'msw3',
  },
  {
    name: `Jest ESM with ${title}`,
    project,
    uses: ['jest', 'msw'],
    run: [JEST, '--testMatch', '**/msw.test.mjs', '--transform', '{}', '--testTimeout', LIMIT],
    env: VM_MODULES,
  },
];

const TSC = ['node', 'node_modules/typescript/bin/tsc', '-p', '.'];

/** The matchers of `merchant-invoicing/testing`, and their types, which differ between the runners. */
const moneyCells = [
  ...(['4', '5'] as const).flatMap((version): Cell[] => [
    {
      name: `money in vitest ${version}`,
      project: `money-vitest${version}`,
      uses: ['vitest'],
      run: [...VITEST, 'run'],
      isShort: version === '5',
    },
    {
      name: `types of money in vitest ${version}`,
      project: `money-vitest${version}`,
      uses: ['vitest', 'typescript'],
      run: TSC,
    },
  ]),
  ...(['cjs', 'esm'] as const).map(
    (form): Cell => ({
      name: `money in Jest, ${form === 'esm' ? 'ESM' : 'CommonJS'}`,
      project: 'money-jest',
      uses: ['jest'],
      run: [JEST, '--config', `jest.${form}.json`],
      ...(form === 'esm' && { env: VM_MODULES }),
    }),
  ),
  { name: 'types of money in Jest', project: 'money-jest', uses: ['@types/jest', 'typescript'], run: TSC },
];
const moneyVitest = (version: string, vitest: string, vite: string): Project => ({
  name: `money-vitest${version}`,
  dependencies: { '@types/node': '24.19.2', typescript: '6.0.3', vite, vitest },
});

/** Test runners, with the environments and mocks that hosts use in them. */
export const testRunners: Group = {
  name: 'tests',
  projects: [
    {
      name: 'runners',
      dependencies: {
        '@babel/core': '7.29.13',
        '@babel/preset-env': '7.29.14',
        '@types/jest': '30.0.0',
        '@types/node': '24.19.2',
        'babel-jest': '30.5.2',
        jest: '30.5.2',
        'jest-environment-jsdom': '30.5.2',
        mocha: '11.8.0',
        'ts-jest': '29.4.15',
        tsx: '4.23.15',
        typescript: '5.9.3',
      },
    },
    {
      name: 'vitests',
      dependencies: { 'happy-dom': '21.0.4', jsdom: '31.0.1', vite: '8.3.8', vitest: '5.1.1' },
    },
    mswProject('msw27', '2.7.0'),
    mswProject('msw3', '3.0.5'),
    moneyVitest('4', '4.0.0', '7.1.12'), // the lowest that package.json declares
    moneyVitest('5', '5.1.1', '8.3.8'),
    {
      name: 'money-jest',
      dependencies: { '@types/jest': '30.0.0', '@types/node': '24.19.2', jest: '30.5.2', typescript: '6.0.3' },
    },
  ],
  cells: [
    ...jestCells,
    { name: 'node:test', project: 'runners', uses: [], run: ['node', '--test', 'node-test.mjs'] },
    {
      name: 'Mocha with tsx',
      project: 'runners',
      uses: ['mocha', 'tsx'],
      run: ['./node_modules/.bin/mocha', '--import=tsx', '--timeout', LIMIT, 'mocha.ts'],
    },
    ...vitestCells,
    ...mswCells('msw27', 'msw 2.7'),
    ...mswCells('msw3', 'msw 3'),
    ...moneyCells,
  ],
};
