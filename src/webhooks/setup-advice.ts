import { ConfigurationError } from '../errors.ts';
import { RAW_BODY_ADVICE } from './raw-body.ts';

/** The frameworks that can be told apart by what they pass. */
export type Framework = 'express' | 'nest' | 'fastify' | 'koa' | 'fetch' | null;

const LINES: Readonly<Record<Exclude<Framework, null>, string>> = {
  express:
    "Express: change the line to app.post('/webhook', express.raw({ type: 'application/json' }), toNodeHandler(handler)), above app.use(express.json()). Nest: NestFactory.create(AppModule, { rawBody: true }).",
  nest: 'Nest: change the line to NestFactory.create(AppModule, { rawBody: true }).',
  fastify:
    "Fastify: add fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)) in the plugin of this route.",
  koa: 'Koa: mount the body parser after this route, or exclude this path from it.',
  fetch: 'Pass the request on before anything calls request.json() or request.text(), or pass request.clone().',
};

/** The error for a body that is gone: read or parsed before it got here. Names the line to change. */
export function bodyGone(what: 'parsed' | 'consumed', framework: Framework): ConfigurationError {
  const happened =
    what === 'parsed'
      ? 'The body was parsed before it reached the webhook handler, and the signature covers the raw bytes.'
      : 'The body was read before it reached the webhook handler, and it can be read only once.';
  return new ConfigurationError(`${happened} ${framework === null ? RAW_BODY_ADVICE : LINES[framework]}`);
}
