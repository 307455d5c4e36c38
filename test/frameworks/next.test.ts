import { expect, it } from 'vitest';
import { toFetchHandler, type WebhookHandler } from '../../src/webhooks/index.ts';
import { deliverTo, listen, RIGHT, wrong } from './delivery.ts';

// Next itself is not installed: a route module exports functions from Request to Response, and Next calls POST with a
// real Request. This server does the same over a socket.

type RouteModule = Readonly<Record<string, (request: Request) => Promise<Response>>>;

function serveRoute(route: RouteModule): Promise<number> {
  return listen(async (incoming, outgoing) => {
    const { method = 'GET' } = incoming;
    const handle = route[method];
    if (handle === undefined) return void outgoing.writeHead(405).end();
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        for await (const chunk of incoming) controller.enqueue(chunk);
        controller.close();
      },
    });
    const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    const init: RequestInit & { duplex: 'half' } = { method, headers, body, duplex: 'half' };
    const response = await handle(new Request(`http://shop.test${incoming.url}`, init));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
}

/** app/webhook/route.ts */
const routeOf = (handler: WebhookHandler): RouteModule => ({ POST: toFetchHandler(handler) });

it('Next: POST of a route module', async () => {
  expect(await deliverTo((handler) => serveRoute(routeOf(handler)))).toMatchObject(RIGHT);
});

it('Next, wrong: a route that reads the body first', async () => {
  const outcome = await deliverTo((handler) => {
    const webhook = toFetchHandler(handler);
    return serveRoute({
      POST: async (request) => {
        await request.json();
        return webhook(request);
      },
    });
  });
  expect(outcome).toMatchObject(wrong(expect.stringContaining('Next: export const POST = webhook.'), 'consumed'));
});
