import { ConfigurationError, WebhookVerificationError } from '../../errors/classes.ts';
import { RAW_BODY_ADVICE } from '../verify/raw-body.ts';

/** The frameworks that can be distinguished by the arguments that they pass. */
export type Framework = 'express' | 'fastify' | 'koa' | 'fetch' | 'lambda' | null;

const LINES: Readonly<Record<Exclude<Framework, null>, string>> = {
  express:
    "Express: change the line to app.post('/webhook', express.raw({ type: 'application/json' }), toNodeHandler(handler)), above app.use(express.json()). Nest: change the line to NestFactory.create(AppModule, { rawBody: true }).",
  fastify:
    "Fastify: add fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)) in the plugin of this route.",
  koa: "Koa: put app.use((ctx, next) => (ctx.path === '/webhook' ? webhook(ctx, next) : next())) above app.use(bodyParser()).",
  fetch:
    "Pass the request on before anything calls request.json() or request.text(). Hono: app.post('/webhook', (c) => webhook(c.req.raw)), above any middleware that reads the body. Next: export const POST = webhook.",
  lambda:
    'Lambda: use a proxy integration (AWS_PROXY) without a mapping template, and no body parser (middy: no httpJsonBodyParser) on this function.',
};

/**
 * Returns the error for a body that something else has read first. It names the line to change. A parsed body is a refused
 * request, as in `verifyWebhook`. A consumed body is an error in the setup of the endpoint.
 */
export function bodyGone(
  what: 'parsed' | 'consumed',
  framework: Framework,
): WebhookVerificationError | ConfigurationError {
  const advice = framework === null ? RAW_BODY_ADVICE : LINES[framework];
  if (what === 'consumed') {
    return new ConfigurationError(
      `The body was read before it reached the webhook handler, and it can be read only once. ${advice}`,
    );
  }
  return new WebhookVerificationError(
    'body_already_parsed',
    `The body was parsed before it reached the webhook handler, and the signature covers the raw bytes. ${advice}`,
  );
}
