import type { Cell, Group } from '../engine/cell.ts';

const RECEIVERS: readonly (readonly [title: string, argument: string, uses: readonly string[], isShort: boolean])[] = [
  ['Express 4', 'express4', ['express4'], false],
  ['Express 5', 'express', ['express'], true],
  ['Fastify 4', 'fastify4', ['fastify4'], false],
  ['Fastify 5', 'fastify', ['fastify'], true],
  ['Koa 2', 'koa2', ['koa2'], false],
  ['Koa 3', 'koa', ['koa'], true],
  ['Hono', 'hono', ['hono', '@hono/node-server'], true],
  ['Lambda v1', 'lambda-v1', [], true],
  ['Lambda v2', 'lambda-v2', [], true],
  ['Lambda behind a load balancer', 'lambda-alb', [], true],
];

const receivers = RECEIVERS.map(
  ([name, argument, uses, isShort]): Cell => ({
    name,
    project: 'frameworks',
    uses,
    run: ['node', 'framework.mjs', argument],
    isShort,
  }),
);

const nest = ['express', 'fastify'].flatMap((platform) =>
  ['commonjs', 'esm'].map(
    (form): Cell => ({
      name: `Nest, ${platform === 'express' ? 'Express' : 'Fastify'}, ${form === 'esm' ? 'ESM' : 'CommonJS'}`,
      project: 'nest',
      uses: ['@nestjs/core', `@nestjs/platform-${platform}`, 'typescript'],
      run: ['node', 'nest.mjs', form, platform],
    }),
  ),
);

const next: readonly Cell[] = [
  {
    name: 'Next, build',
    project: 'next',
    uses: ['next', 'react'],
    run: ['node', 'node_modules/next/dist/bin/next', 'build'],
    limit: 1_200,
  },
  ...['node', 'edge'].map(
    (route): Cell => ({
      name: `Next, start, ${route} route`,
      project: 'next',
      uses: ['next', 'react'],
      run: ['node', 'next.mjs', route],
    }),
  ),
];

/** Web frameworks and gateways around the receiver. */
export const frameworks: Group = {
  name: 'framework',
  projects: [
    {
      name: 'frameworks',
      dependencies: {
        '@hono/node-server': '2.1.8',
        express: '5.3.0',
        express4: 'npm:express@4.22.3',
        fastify: '5.12.8',
        fastify4: 'npm:fastify@4.29.1',
        hono: '4.13.19',
        koa: '3.3.0',
        koa2: 'npm:koa@2.16.4',
      },
    },
    {
      name: 'nest',
      dependencies: {
        '@nestjs/common': '12.5.1',
        '@nestjs/core': '12.5.1',
        '@nestjs/platform-express': '12.5.1',
        '@nestjs/platform-fastify': '12.5.0',
        'reflect-metadata': '0.2.2',
        rxjs: '7.8.2',
        typescript: '6.0.3',
      },
    },
    { name: 'next', dependencies: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' } },
  ],
  cells: [...receivers, ...nest, ...next],
};
