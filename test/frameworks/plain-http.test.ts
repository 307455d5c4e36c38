import { expect, it } from 'vitest';
import { toNodeHandler } from '../../src/webhooks/index.ts';
import { deliverTo, listen, RIGHT, wrong } from './delivery.ts';

it('node:http: as the listener itself', async () => {
  expect(await deliverTo((handler) => listen(toNodeHandler(handler)))).toMatchObject(RIGHT);
});

it('node:http: behind a router of your own', async () => {
  const outcome = await deliverTo((handler) => {
    const webhook = toNodeHandler(handler);
    return listen((request, response) => {
      if (request.url === '/webhook') void webhook(request, response);
      else response.writeHead(404).end();
    });
  });
  expect(outcome).toMatchObject(RIGHT);
});

it('node:http, wrong: a body that was read before', async () => {
  const outcome = await deliverTo((handler) => {
    const webhook = toNodeHandler(handler);
    return listen(async (request, response) => {
      for await (const _ of request);
      await webhook(request, response);
    });
  });
  expect(outcome).toMatchObject(
    wrong(expect.stringMatching(/read before it reached.*can be read only once/), 'consumed'),
  );
});
