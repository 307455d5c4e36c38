import Koa from 'koa';
import { expect, it } from 'vitest';
import { toNodeHandler } from '../../src/webhooks/index.ts';
import { deliverTo, listen, RIGHT, wrong } from './delivery.ts';

/** What koa-body does: reads and parses, and keeps the result alone. */
const bodyParser: Koa.Middleware = async (context, next) => {
  const chunks: Buffer[] = [];
  for await (const chunk of context.req) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  Object.assign(context.request, { body: text === '' ? {} : JSON.parse(text) });
  await next();
};

it('Koa: above the body parser', async () => {
  const outcome = await deliverTo((handler) => {
    const webhook = toNodeHandler(handler);
    const app = new Koa();
    app.use((ctx, next) => (ctx.path === '/webhook' ? webhook(ctx, next) : next()));
    app.use(bodyParser);
    return listen(app.callback());
  });
  expect(outcome).toMatchObject(RIGHT);
});

it('Koa: as middleware of a route, given the context alone', async () => {
  const outcome = await deliverTo((handler) => {
    const webhook = toNodeHandler(handler);
    const app = new Koa();
    app.use(async (ctx, next) => {
      await webhook(ctx, next);
    });
    return listen(app.callback());
  });
  expect(outcome).toMatchObject(RIGHT);
});

it('Koa: below a parser that keeps the text, as koa-bodyparser does', async () => {
  const outcome = await deliverTo((handler) => {
    const webhook = toNodeHandler(handler);
    const app = new Koa();
    app.use(async (ctx, next) => {
      const chunks: Buffer[] = [];
      for await (const chunk of ctx.req) chunks.push(chunk);
      const rawBody = Buffer.concat(chunks).toString('utf8');
      Object.assign(ctx.request, { rawBody, body: JSON.parse(rawBody) });
      await next();
    });
    app.use((ctx, next) => webhook(ctx, next));
    return listen(app.callback());
  });
  expect(outcome).toMatchObject(RIGHT);
});

it('Koa, wrong: below the body parser', async () => {
  const outcome = await deliverTo((handler) => {
    const webhook = toNodeHandler(handler);
    const app = new Koa();
    app.use(bodyParser);
    app.use((ctx, next) => (ctx.path === '/webhook' ? webhook(ctx, next) : next()));
    return listen(app.callback());
  });
  expect(outcome).toMatchObject(
    wrong(
      expect.stringContaining(
        "Koa: put app.use((ctx, next) => (ctx.path === '/webhook' ? webhook(ctx, next) : next())) above app.use(bodyParser()).",
      ),
      'parsed',
    ),
  );
});
