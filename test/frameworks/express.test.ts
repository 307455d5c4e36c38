import express from 'express';
import { expect, it } from 'vitest';
import { toFetchHandler, toNodeHandler } from '../../src/webhooks/index.ts';
import { deliverTo, listen, RIGHT, wrong } from './delivery.ts';

it('Express: on its own', async () => {
  const outcome = await deliverTo((handler) => listen(express().post('/webhook', toNodeHandler(handler))));
  expect(outcome).toMatchObject(RIGHT);
});

it('Express: with express.raw() on the route, above express.json()', async () => {
  const outcome = await deliverTo((handler) => {
    const app = express();
    app.post('/webhook', express.raw({ type: 'application/json' }), toNodeHandler(handler));
    app.use(express.json());
    return listen(app);
  });
  expect(outcome).toMatchObject(RIGHT);
});

it('Express: above express.json(), without express.raw()', async () => {
  const outcome = await deliverTo((handler) => {
    const app = express();
    app.post('/webhook', toNodeHandler(handler));
    app.use(express.json());
    return listen(app);
  });
  expect(outcome).toMatchObject(RIGHT);
});

it('Express: in a router', async () => {
  const outcome = await deliverTo((handler) => {
    const router = express.Router();
    router.post('/', toNodeHandler(handler));
    return listen(express().use('/webhook', router));
  });
  expect(outcome).toMatchObject(RIGHT);
});

it('Express: below express.json() that keeps the bytes', async () => {
  const outcome = await deliverTo((handler) => {
    const app = express();
    const verify = (request: object, _response: unknown, rawBody: Buffer): void =>
      void Object.assign(request, { rawBody });
    app.use(express.json({ verify }));
    app.post('/webhook', toNodeHandler(handler));
    return listen(app);
  });
  expect(outcome).toMatchObject(RIGHT);
});

it('Express: with toFetchHandler, the report names toNodeHandler, and the service gets a response', async () => {
  const outcome = await deliverTo((handler) =>
    listen(express().post('/webhook', toFetchHandler(handler) as unknown as express.RequestHandler)),
  );
  expect(outcome).toMatchObject(
    wrong(expect.stringContaining("app.post('/webhook', toNodeHandler(handler))"), 'consumed'),
  );
});

const LINE = expect.stringContaining(
  "Express: change the line to app.post('/webhook', express.raw({ type: 'application/json' }), toNodeHandler(handler)), above app.use(express.json())",
);

it.each([
  ['express.json() above', 'parsed', express.json()],
  [
    'a body that was read above',
    'consumed',
    (request: express.Request, _response: unknown, next: () => void) => void request.on('end', next).resume(),
  ],
] as const)('Express, wrong: %s', async (_name, what, above) => {
  const outcome = await deliverTo((handler) => {
    const app = express();
    app.use(above);
    app.post('/webhook', toNodeHandler(handler));
    return listen(app);
  });
  expect(outcome).toMatchObject(wrong(LINE, what));
});
