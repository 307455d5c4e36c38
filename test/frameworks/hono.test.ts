import { serve } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';
import { toFetchHandler } from '../../src/webhooks/index.ts';
import { deliverTo, RIGHT, wrong } from './delivery.ts';

async function started(app: Hono): Promise<number> {
  let close = (): void => {};
  const port = await new Promise<number>((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (info) => resolve(info.port));
    close = () => void server.close();
  });
  onTestFinished(() => close());
  return port;
}

it('Hono: the raw request', async () => {
  const outcome = await deliverTo((handler) => {
    const webhook = toFetchHandler(handler);
    return started(new Hono().post('/webhook', (c) => webhook(c.req.raw)));
  });
  expect(outcome).toMatchObject(RIGHT);
});

const LINE = expect.stringContaining(
  "Hono: app.post('/webhook', (c) => webhook(c.req.raw)), above any middleware that reads the body.",
);

it.each<[string, (c: Context) => Promise<unknown>]>([
  ['c.req.json()', (c) => c.req.json()],
  ['c.req.text()', (c) => c.req.text()],
  ['c.req.raw.json()', (c) => c.req.raw.json()],
])('Hono, wrong: middleware that calls %s', async (_name, read) => {
  const outcome = await deliverTo((handler) => {
    const webhook = toFetchHandler(handler);
    const app = new Hono();
    app.use(async (c, next) => {
      await read(c);
      await next();
    });
    app.post('/webhook', (c) => webhook(c.req.raw));
    return started(app);
  });
  expect(outcome).toMatchObject(wrong(LINE, 'consumed'));
});
