import { ConfigurationError, type WebhookVerificationError } from '../errors/classes.ts';
import { utf8 } from './crypto.ts';
import { type Fact, refusal } from './reasons.ts';

// The raw body of a request: its bytes, the buffer that collects a stream, and the errors for a body that something
// else has read or parsed. The sender is not verified yet, so no work here may cost more than the size of the body.

/** The body as it arrived. Bytes are best. Text must be the exact text, including a byte-order mark. */
export type RawBody = string | Uint8Array | ArrayBuffer | ArrayBufferView;

/** For frameworks whose controllers get a parsed body, whatever their route says. */
const MIDDLEWARE =
  "Vendure, Medusa, Strapi, Nest: a middleware before the parser of the framework, such as app.use('/webhook', toNodeHandler(handler)); in a Vendure plugin { route: '/webhook', handler: toNodeHandler(() => handler), beforeListen: true }.";

/** How to get the raw body, by framework. A part of every message about a parsed body. */
export const RAW_BODY_ADVICE =
  'Give the handler the raw body. ' +
  "Express: express.raw({ type: 'application/json' }) on this route, before express.json(). " +
  "Fastify: addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)), and pass on request and reply, not request.raw and reply.raw. " +
  'Nest: NestFactory.create(AppModule, { rawBody: true }) and request.rawBody. ' +
  `${MIDDLEWARE} ` +
  'Koa: no body parser on this route. Next, Hono, workers: await request.arrayBuffer().';

/**
 * The bytes of a body.
 *
 * @throws WebhookVerificationError `body_already_parsed` for everything that is neither bytes nor text.
 * @throws WebhookVerificationError `body_too_large`
 */
export function bytesFrom(body: unknown, limit: number): Uint8Array {
  // Text has at least one byte for each UTF-16 unit, so text above the limit need not be encoded.
  if (typeof body === 'string' && body.length > limit) throw tooLarge(limit);
  const bytes = toBytes(body);
  if (bytes === null) throw refusal('body_already_parsed', notBytes(body));
  if (bytes.byteLength > limit) throw tooLarge(limit);
  return bytes;
}

function toBytes(body: unknown): Uint8Array | null {
  if (typeof body === 'string') return utf8(body);
  if (body instanceof Uint8Array) return body;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  // Not instanceof, because test runners and workers pass buffers of another realm.
  const isBuffer = Object.prototype.toString.call(body) === '[object ArrayBuffer]';
  return isBuffer ? new Uint8Array(body as ArrayBuffer) : null; // the line above has shown that it is one
}

function notBytes(body: unknown): Fact {
  if (body === undefined || body === null) {
    const cause = `The body is ${body}: nothing read it, or a framework did and kept it. The signature covers the raw bytes.`;
    return { cause, remedy: RAW_BODY_ADVICE };
  }
  if (typeof body !== 'object')
    return { cause: `The body is ${typeof body}.`, remedy: 'Give the raw bytes, or the exact text.' };
  const cause =
    'The body is an object: parsed already, or a request. The signature covers the raw bytes, which cannot be made again from it.';
  return { cause, remedy: RAW_BODY_ADVICE };
}

/** The error for a body beyond the limit. */
export function tooLarge(limit: number): WebhookVerificationError {
  const cause = `The body is larger than ${limit} bytes. Webhooks of the service have about a kilobyte.`;
  return refusal('body_too_large', { cause });
}

/** The first size of the buffer, which is enough for an ordinary delivery. */
const FIRST_SIZE = 1_024;

/**
 * Collects the bytes of a stream up to a limit. Chunks are copied into one buffer that doubles: a view of one byte
 * would keep the runtime's whole block alive, and a million such views take hundreds of megabytes.
 */
export class BodyChunks {
  readonly #limit: number;
  #bytes = new Uint8Array(FIRST_SIZE);
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Adds a chunk. The caller may reuse its memory afterwards.
   *
   * @throws WebhookVerificationError `body_too_large`
   */
  add(chunk: Uint8Array): void {
    const size = this.#size + chunk.byteLength;
    if (size > this.#limit) throw tooLarge(this.#limit);
    if (size > this.#bytes.byteLength) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.byteLength));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#size);
    this.#size = size;
  }

  /** The whole body, and holds nothing of it afterwards. */
  take(): Uint8Array {
    const body = this.#bytes.subarray(0, this.#size);
    this.#bytes = new Uint8Array();
    return body;
  }
}

/** The frameworks that the adapters recognise by the arguments that they get. Null for any other. */
export type Framework = 'express' | 'fastify' | 'koa' | 'fetch' | 'lambda' | null;

const LINES: Readonly<Record<Exclude<Framework, null>, string>> = {
  express: `Express: change the line to app.post('/webhook', express.raw({ type: 'application/json' }), toNodeHandler(handler)), above app.use(express.json()). Nest: change the line to NestFactory.create(AppModule, { rawBody: true }). ${MIDDLEWARE}`,
  fastify:
    "Fastify: add fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)) in the plugin of this route.",
  koa: "Koa: put app.use((ctx, next) => (ctx.path === '/webhook' ? webhook(ctx, next) : next())) above app.use(bodyParser()).",
  fetch:
    "Pass the request on before anything calls request.json() or request.text(). Hono: app.post('/webhook', (c) => webhook(c.req.raw)), above any middleware that reads the body. Next: export const POST = webhook.",
  lambda:
    'Lambda: use a proxy integration (AWS_PROXY) without a mapping template, and no body parser (middy: no httpJsonBodyParser) on this function.',
};

/**
 * The error for a body that something else has read first. It names the line to change. For a parsed body it is
 * the same error as in `verifyWebhook`. A consumed body is a mistake in the setup of the endpoint.
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
  return refusal('body_already_parsed', { remedy: advice });
}
