import fastify, { type FastifyInstance } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { toNodeHandler, type WebhookHandler } from '../../src/webhooks/index.ts';
import { deliverTo, RIGHT, wrong } from './delivery.ts';

async function started(app: FastifyInstance): Promise<number> {
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  return Number(new URL(address).port);
}

/** The plugin of the webhook alone, so that the rest of the app keeps its JSON parser. */
const webhookPlugin = (handler: WebhookHandler) => async (app: FastifyInstance) => {
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/webhook', toNodeHandler(handler));
};

it('Fastify: with a parser that keeps the bytes', async () => {
  const outcome = await deliverTo(async (handler) => {
    const app = fastify();
    app.register(webhookPlugin(handler));
    app.post('/other', async (request) => ({ parsed: request.body }));
    const port = await started(app);
    const other = await app.inject({ method: 'POST', url: '/other', payload: { a: 1 } });
    expect(other.json()).toEqual({ parsed: { a: 1 } });
    return port;
  });
  expect(outcome).toMatchObject(RIGHT);
});

it('Fastify: without any parser', async () => {
  const outcome = await deliverTo(async (handler) => {
    const app = fastify();
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    app.post('/webhook', toNodeHandler(handler));
    return started(app);
  });
  expect(outcome).toMatchObject(RIGHT);
});

it('Fastify, wrong: with its own JSON parser', async () => {
  const outcome = await deliverTo(async (handler) => {
    const app = fastify();
    app.post('/webhook', toNodeHandler(handler));
    return started(app);
  });
  expect(outcome).toMatchObject(
    wrong(
      expect.stringContaining(
        "Fastify: add fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)) in the plugin of this route.",
      ),
      'parsed',
    ),
  );
});
