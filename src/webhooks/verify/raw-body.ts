import { WebhookVerificationError } from '../../errors/classes.ts';
import { utf8 } from './hmac.ts';

/** The body as it arrived. Bytes are best. Text must be the exact text, including a byte-order mark. */
export type RawBody = string | Uint8Array | ArrayBuffer | ArrayBufferView;

/** How to get at the raw body, by framework. Part of every message about a body that came parsed. */
export const RAW_BODY_ADVICE =
  "Express: express.raw({ type: 'application/json' }) on this route, before express.json(). " +
  "Fastify: addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)). " +
  'Nest: NestFactory.create(AppModule, { rawBody: true }) and request.rawBody. ' +
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
  if (bytes === null) throw new WebhookVerificationError('body_already_parsed', diagnosis(body));
  if (bytes.byteLength > limit) throw tooLarge(limit);
  return bytes;
}

// By internal slot, not instanceof. Test runners and workers pass buffers of another realm, and a forged prototype or a
// proxy would pass instanceof and then throw.
function toBytes(body: unknown): Uint8Array | null {
  if (typeof body === 'string') return utf8(body);
  try {
    if (ArrayBuffer.isView(body)) {
      return body instanceof Uint8Array ? body : new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    }
    // The getter throws for anything but a buffer.
    Reflect.get(ArrayBuffer.prototype, 'byteLength', body);
    return new Uint8Array(body as ArrayBuffer); // the line above has shown that it is one
  } catch {
    return null;
  }
}

/** The refusal of a body beyond the limit. */
export function tooLarge(limit: number): WebhookVerificationError {
  return new WebhookVerificationError(
    'body_too_large',
    `The body is larger than ${limit} bytes. Webhooks of the service are far smaller. maxBodySize sets the limit.`,
  );
}

function diagnosis(body: unknown): string {
  if (body === undefined || body === null) {
    return `The body is ${body}: nothing read it, or a framework did and kept it. The signature covers the raw bytes. ${RAW_BODY_ADVICE}`;
  }
  if (typeof body !== 'object') return `The body is ${typeof body}. Give the raw bytes, or the exact text.`;
  return `The body is an object: parsed already, or a request. The signature covers the raw bytes, which cannot be made again from it. ${RAW_BODY_ADVICE}`;
}
