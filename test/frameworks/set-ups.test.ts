import 'reflect-metadata';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Controller, type DynamicModule, Module, Post, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { type Context, Hono } from 'hono';
import Koa from 'koa';
import { expect, it, onTestFinished } from 'vitest';
import {
  createWebhookHandler,
  memoryStore,
  type NodeRequest,
  type NodeResponse,
  toFetchHandler,
  toNodeHandler,
  type WebhookHandler,
  type WebhookReport,
} from '../../src/webhooks/index.ts';
import { testSandbox } from '../support/test-sandbox.ts';

// The adapters in real frameworks, set up as their users do, right and wrong.

/** Starts a server on loopback with this handler at POST /webhook, and gives its port. Closes it after the test. */
type Start = (handler: WebhookHandler) => Promise<number>;

/**
 * The sandbox delivers the webhook of a paid invoice to a real server, then delivers it again. Gives the orders that were paid in
 * the eyes of the merchant's function, the reports, and the delivery in the eyes of the service.
 */
async function deliverTo(start: Start): Promise<object> {
  const sandbox = testSandbox({ seed: 7 });
  onTestFinished(() => sandbox.close());
  const paid: string[] = [];
  const reports: WebhookReport[] = [];
  const handler = createWebhookHandler({
    secret: sandbox.webhookSecret,
    store: memoryStore(),
    onPaid: (event) => void paid.push(`${event.external_id} ${event.credited_usdt.gt(0)}`),
    onAdjusted: () => {},
    onCanceled: () => {},
    onReport: (report) => void reports.push(report),
  });
  const port = await start(handler);
  const created = await sandbox.fetch('https://pay.example.com/api/v1/external/invoices', {
    method: 'POST',
    headers: { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      external_id: 'Bestellung-é-1',
      customer_id: 'c-7',
      amount: '25.00',
      currency: 'EUR',
      callback_url: `http://127.0.0.1:${port}/webhook`,
    }),
  });
  if (!created.ok) throw new Error(await created.text());
  await sandbox.pay('Bestellung-é-1');
  await sandbox.resend('Bestellung-é-1');
  const [delivery] = sandbox.deliveries('Bestellung-é-1');
  return { paid, reports, delivery: { status: delivery?.status, last: delivery?.last_http_status } };
}

/** Listens on a free loopback port until the test ends. */
async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port; // a server that listens on a port has such an address
}

function overExpress(add: (app: express.Express, handler: WebhookHandler) => unknown): Start {
  return (handler) => {
    const app = express();
    add(app, handler);
    return listen(app);
  };
}

function overFastify(
  add: (app: FastifyInstance, handler: WebhookHandler) => unknown,
  look?: typeof keepsItsParser,
): Start {
  return async (handler) => {
    const app = fastify();
    add(app, handler);
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => app.close());
    await look?.(app);
    return Number(new URL(address).port);
  };
}

/** The plugin of the webhook alone, so that the rest of the app keeps its JSON parser. */
function addPlugin(app: FastifyInstance, handler: WebhookHandler): void {
  app.register(async (plugin) => {
    plugin.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    plugin.post('/webhook', toNodeHandler(handler));
  });
  app.post('/other', async (request) => ({ parsed: request.body }));
}
async function keepsItsParser(app: FastifyInstance): Promise<void> {
  const other = await app.inject({ method: 'POST', url: '/other', payload: { a: 1 } });
  expect(other.json()).toEqual({ parsed: { a: 1 } });
}

function addWithoutParser(app: FastifyInstance, handler: WebhookHandler): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.post('/webhook', toNodeHandler(handler));
}

/** A module with `@Controller('webhook')` and `@Post() receive(@Req() request, @Res() response)`. */
function moduleWith(handler: WebhookHandler): DynamicModule {
  const webhook = toNodeHandler(handler);
  class WebhookController {
    receive(request: NodeRequest, response: NodeResponse): Promise<void> {
      return webhook(request, response);
    }
  }
  // Decorators called by hand: the tests run unbuilt, and decorators are not erasable syntax.
  const { prototype } = WebhookController;
  const method = Object.getOwnPropertyDescriptor(prototype, 'receive') ?? {};
  Controller('webhook')(WebhookController);
  Post()(prototype, 'receive', method);
  Req()(prototype, 'receive', 0);
  Res()(prototype, 'receive', 1);
  class AppModule {}
  Module({})(AppModule);
  return { module: AppModule, controllers: [WebhookController] };
}

function overNest(options: { rawBody?: boolean; bodyParser?: boolean }): Start {
  return async (handler) => {
    const app = await NestFactory.create(moduleWith(handler), new ExpressAdapter(), { logger: false, ...options });
    await app.listen(0, '127.0.0.1');
    onTestFinished(() => app.close());
    return app.getHttpServer().address().port;
  };
}

type Webhook = ReturnType<typeof toNodeHandler>;
function overKoa(...middleware: readonly ((webhook: Webhook) => Koa.Middleware)[]): Start {
  return (handler) => {
    const app = new Koa();
    for (const make of middleware) app.use(make(toNodeHandler(handler)));
    return listen(app.callback());
  };
}
const onItsPath =
  (webhook: Webhook): Koa.Middleware =>
  (ctx, next) =>
    ctx.path === '/webhook' ? webhook(ctx, next) : next();
/** What koa-body does, which keeps the result alone, or koa-bodyparser, which keeps the text as well. */
const koaParser = (keepsText: boolean) => (): Koa.Middleware => async (ctx, next) => {
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk);
  const rawBody = Buffer.concat(chunks).toString('utf8');
  Object.assign(ctx.request, { body: JSON.parse(rawBody), ...(keepsText && { rawBody }) });
  await next();
};

function overHono(read?: (c: Context) => Promise<unknown>): Start {
  return async (handler) => {
    const webhook = toFetchHandler(handler);
    const app = new Hono();
    app.use(async (c, next) => {
      await read?.(c);
      await next();
    });
    app.post('/webhook', (c) => webhook(c.req.raw));
    return await new Promise<number>((resolve) => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port));
      onTestFinished(() => void server.close());
    });
  };
}

/**
 * Next itself is not installed: a route module exports functions from Request to Response, and Next calls POST with a real
 * Request. This server does the same over a socket.
 */
function overNext(
  routeOf: (webhook: ReturnType<typeof toFetchHandler>) => (request: Request) => Promise<Response>,
): Start {
  return (handler) => {
    const POST = routeOf(toFetchHandler(handler));
    return listen(async (incoming, outgoing) => {
      const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          for await (const chunk of incoming) controller.enqueue(chunk);
          controller.close();
        },
      });
      const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
      const response = await POST(new Request(`http://shop.test${incoming.url}`, init));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
    });
  };
}

const keepBytes = (request: object, _response: unknown, rawBody: Buffer): void =>
  void Object.assign(request, { rawBody });
const JSON_TYPE = { type: 'application/json' };

it.each<[string, Start]>([
  ['node:http: as the listener itself', (handler) => listen(toNodeHandler(handler))],
  [
    'node:http: behind a router of your own',
    (handler) => {
      const webhook = toNodeHandler(handler);
      return listen((request, response) => {
        if (request.url === '/webhook') void webhook(request, response);
        else response.writeHead(404).end();
      });
    },
  ],
  ['Express: on its own', overExpress((app, handler) => app.post('/webhook', toNodeHandler(handler)))],
  [
    'Express: with express.raw() on the route, above express.json()',
    overExpress((app, handler) =>
      app.post('/webhook', express.raw(JSON_TYPE), toNodeHandler(handler)).use(express.json()),
    ),
  ],
  [
    'Express: above express.json(), without express.raw()',
    overExpress((app, handler) => app.post('/webhook', toNodeHandler(handler)).use(express.json())),
  ],
  [
    'Express: in a router',
    overExpress((app, handler) => app.use('/webhook', express.Router().post('/', toNodeHandler(handler)))),
  ],
  [
    'Express: below express.json() that keeps the bytes',
    overExpress((app, handler) =>
      app.use(express.json({ verify: keepBytes })).post('/webhook', toNodeHandler(handler)),
    ),
  ],
  ['Nest: with rawBody', overNest({ rawBody: true })],
  ['Nest: without its body parser', overNest({ bodyParser: false })],
  ['Fastify: with a parser that keeps the bytes', overFastify(addPlugin, keepsItsParser)],
  ['Fastify: without any parser', overFastify(addWithoutParser)],
  ['Koa: above the body parser', overKoa(onItsPath, koaParser(false))],
  ['Koa: as middleware of a route, given the context alone', overKoa((webhook) => (ctx, next) => webhook(ctx, next))],
  [
    'Koa: below a parser that keeps the text, as koa-bodyparser does',
    overKoa(koaParser(true), (webhook) => (ctx, next) => webhook(ctx, next)),
  ],
  ['Hono: the raw request', overHono()],
  ['Next: POST of a route module', overNext((webhook) => webhook)],
])('%s: a delivery is handled once, and its repeat is known', async (_setUp, start) => {
  expect(await deliverTo(start)).toMatchObject({
    paid: ['Bestellung-é-1 true'],
    reports: [{ reason: 'duplicate', status: 200 }],
    delivery: { status: 'delivered', last: 200 },
  });
});

const EXPRESS =
  "Express: change the line to app.post('/webhook', express.raw({ type: 'application/json' }), toNodeHandler(handler)), above app.use(express.json())";
const FASTIFY =
  "Fastify: add fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)) in the plugin of this route.";
const KOA =
  "Koa: put app.use((ctx, next) => (ctx.path === '/webhook' ? webhook(ctx, next) : next())) above app.use(bodyParser()).";
const HONO = "Hono: app.post('/webhook', (c) => webhook(c.req.raw)), above any middleware that reads the body.";

it.each<[string, 'parsed' | 'consumed', Start, string]>([
  [
    'node:http: a body that was read before',
    'consumed',
    (handler) =>
      listen(async (request, response) => {
        for await (const _ of request);
        await toNodeHandler(handler)(request, response);
      }),
    'can be read only once',
  ],
  [
    'Express: express.json() above',
    'parsed',
    overExpress((app, handler) => app.use(express.json()).post('/webhook', toNodeHandler(handler))),
    EXPRESS,
  ],
  [
    'Express: a body that was read above',
    'consumed',
    overExpress((app, handler) => {
      app.use((request, _response, next) => void request.on('end', next).resume());
      app.post('/webhook', toNodeHandler(handler));
    }),
    EXPRESS,
  ],
  [
    'Express: with toFetchHandler',
    'consumed',
    overExpress((app, handler) => app.post('/webhook', toFetchHandler(handler) as unknown as express.RequestHandler)), // the mistake
    "app.post('/webhook', toNodeHandler(handler))",
  ],
  [
    'Nest: as it comes',
    'parsed',
    overNest({}),
    'Nest: change the line to NestFactory.create(AppModule, { rawBody: true }).',
  ],
  [
    'Fastify: with its own JSON parser',
    'parsed',
    overFastify((app, handler) => app.post('/webhook', toNodeHandler(handler))),
    FASTIFY,
  ],
  [
    'Fastify: its parser, and the request and the reply of Node',
    'consumed',
    overFastify((app, handler) => {
      app.register(async (plugin) => {
        plugin.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
        plugin.post('/webhook', (request, reply) => toNodeHandler(handler)(request.raw, reply.raw));
      });
    }),
    'pass on request and reply, not request.raw and reply.raw',
  ],
  ['Koa: below the body parser', 'parsed', overKoa(koaParser(false), onItsPath), KOA],
  ['Hono: middleware that calls c.req.json()', 'consumed', overHono((c) => c.req.json()), HONO],
  ['Hono: middleware that calls c.req.text()', 'consumed', overHono((c) => c.req.text()), HONO],
  ['Hono: middleware that calls c.req.raw.json()', 'consumed', overHono((c) => c.req.raw.json()), HONO],
  [
    'Next: a route that reads the body first',
    'consumed',
    overNext((webhook) => async (request) => {
      await request.json();
      return await webhook(request);
    }),
    'Next: export const POST = webhook.',
  ],
])(
  '%s, wrong: nothing is handled, the line to change is reported, and the service repeats',
  async (_setUp, what, start, line) => {
    const [reason, status] = what === 'parsed' ? ['body_already_parsed', 400] : ['setup', 500];
    const report = { reason, status, message: expect.stringContaining(line) };
    expect(await deliverTo(start)).toMatchObject({
      paid: [],
      reports: [report, report],
      delivery: { status: 'pending', last: status },
    });
  },
);

/** A controller that gives the whole request to `handle`, and returns its result. */
function nestWithHandle(handler: WebhookHandler): DynamicModule {
  class WebhookController {
    receive(request: never): Promise<object> {
      return handler.handle(request);
    }
  }
  const { prototype } = WebhookController;
  Controller('webhook')(WebhookController);
  Post()(prototype, 'receive', Object.getOwnPropertyDescriptor(prototype, 'receive') ?? {});
  Req()(prototype, 'receive', 0);
  class AppModule {}
  Module({})(AppModule);
  return { module: AppModule, controllers: [WebhookController] };
}

/** What Express, Fastify, Koa and Hono do with a function that TypeScript would refuse. */
const asRoute = ({ handle }: WebhookHandler) => handle as never;
it.each<[string, Start]>([
  ['Express', overExpress((app, handler) => app.post('/webhook', asRoute(handler)))],
  [
    'Express, below express.json()',
    overExpress((app, handler) => app.use(express.json()).post('/webhook', asRoute(handler))),
  ],
  ['Fastify', overFastify((app, handler) => app.post('/webhook', asRoute(handler)))],
  [
    'Nest',
    async (handler) => {
      const app = await NestFactory.create(nestWithHandle(handler), new ExpressAdapter(), { logger: false });
      await app.listen(0, '127.0.0.1');
      onTestFinished(() => app.close());
      return app.getHttpServer().address().port;
    },
  ],
  [
    'Koa',
    (handler) => {
      const app = new Koa();
      app.silent = true;
      app.use(asRoute(handler));
      return listen(app.callback());
    },
  ],
  [
    'Hono',
    async (handler) => {
      const app = new Hono();
      app.onError((_error, c) => c.text('failed', 500));
      app.post('/webhook', asRoute(handler));
      return await new Promise<number>((resolve) => {
        const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port));
        onTestFinished(() => void server.close());
      });
    },
  ],
])(
  '%s with handler.handle as the route: 500, nothing is handled, and the line to change is reported',
  async (_name, start) => {
    const report = { reason: 'setup', status: 500, message: expect.stringContaining('toNodeHandler(handler)') };
    expect(await deliverTo(start)).toMatchObject({
      paid: [],
      reports: [report, report],
      delivery: { status: 'pending', last: 500 },
    });
  },
);

it('Fastify does not send a refusal with 200 that a route returns as an object', async () => {
  const start = overFastify((app, { handle }) =>
    app.post('/webhook', ({ method, headers }) => handle({ method, headers, body: 'another body' })),
  );
  expect(await deliverTo(start)).toMatchObject({
    paid: [],
    reports: [{ reason: 'signature_mismatch' }, { reason: 'signature_mismatch' }],
    delivery: { status: 'pending', last: 500 },
  });
});
