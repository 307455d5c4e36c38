/** How a framework receives webhooks. `serve` is the code of the receiver, and `next` tells where it belongs. */
export interface Framework {
  /** The package that tells that the framework is used. */
  readonly packages: readonly string[];
  readonly title: string;
  /** The path of the receiver in the project, without its ending. */
  readonly path: string;
  /** The names that the receiver imports from `merchant-invoicing/webhooks`. */
  readonly adapter: 'toNodeHandler' | 'toFetchHandler' | 'toLambdaHandler';
  /** The statements after the handler, without their semicolons. */
  readonly serve: readonly string[];
  readonly next: string;
}

const NODE = ['export const receive = toNodeHandler(handler)'];
const FETCH = ['export const receive = toFetchHandler(handler)'];
const PATH = 'merchant-webhook';

/** The first one whose package is installed is used. Frameworks that build on another one come before it. */
export const FRAMEWORKS = {
  next: {
    packages: ['next'],
    title: 'Next',
    path: 'app/webhook/route',
    adapter: 'toFetchHandler',
    serve: ["export const runtime = 'nodejs'", 'export const POST = toFetchHandler(handler)'],
    next: 'The route is /webhook.',
  },
  nest: {
    packages: ['@nestjs/core'],
    title: 'Nest',
    path: PATH,
    adapter: 'toNodeHandler',
    serve: NODE,
    next: `In main: NestFactory.create(AppModule, { rawBody: true }). In a controller for webhook:
  @Post() receive(@Req() request: Request, @Res() response: Response) { return receive(request, response) }`,
  },
  fastify: {
    packages: ['fastify'],
    title: 'Fastify',
    path: PATH,
    adapter: 'toNodeHandler',
    serve: [
      'const serve = toNodeHandler(handler)',
      `
/** A plugin, so that the rest of the app keeps its JSON parser: app.register(receive) */
export const receive = async (scope) => {
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  scope.post('/webhook', serve);
}`,
    ],
    next: 'In your app: app.register(receive).',
  },
  hono: {
    packages: ['hono'],
    title: 'Hono',
    path: PATH,
    adapter: 'toFetchHandler',
    serve: FETCH,
    next: "In your app: app.post('/webhook', (c) => receive(c.req.raw)).",
  },
  koa: {
    packages: ['koa'],
    title: 'Koa',
    path: PATH,
    adapter: 'toNodeHandler',
    serve: NODE,
    next: "In your app, above the body parser: app.use((ctx, next) => (ctx.path === '/webhook' ? receive(ctx, next) : next())).",
  },
  express: {
    packages: ['express'],
    title: 'Express',
    path: PATH,
    adapter: 'toNodeHandler',
    serve: NODE,
    next: "In your app, above express.json(): app.post('/webhook', express.raw({ type: 'application/json' }), receive).",
  },
  http: {
    packages: [],
    title: 'node:http',
    path: PATH,
    adapter: 'toNodeHandler',
    serve: NODE,
    next: 'In your server: give the requests to /webhook to receive(request, response).',
  },
} as const satisfies Readonly<Record<string, Framework>>;

export type FrameworkName = keyof typeof FRAMEWORKS;

/** The framework that a package.json names, or plain `node:http`. */
export function frameworkOf(dependencies: ReadonlySet<string>): FrameworkName {
  const names = Object.keys(FRAMEWORKS) as FrameworkName[]; // the keys of the table are its names
  return names.find((name) => FRAMEWORKS[name].packages.some((each) => dependencies.has(each))) ?? 'http';
}
