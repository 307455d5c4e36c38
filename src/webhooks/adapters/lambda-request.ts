import { ConfigurationError } from '../../errors/classes.ts';
import { isPayload, own, type Payload } from '../event/payload-names.ts';
import type { WebhookRequest } from '../handle/handler-options.ts';
import { bodyGone } from '../handle/setup-advice.ts';
import { type RawBody, tooLarge } from '../verify/raw-body.ts';

/** Who sent a Lambda event decides how the answer must look. */
export interface LambdaCall {
  readonly request: WebhookRequest;
  /** A load balancer, and whether its target group has multi-value headers on. */
  readonly balancer: 'single' | 'multi' | null;
}

/** Reads an event of Lambda. What is no HTTP event becomes a request whose body says so, which is a setup report. */
export function lambdaCall(event: unknown): LambdaCall {
  try {
    return callOf(event);
  } catch {
    return notHttp('The event cannot be read'); // a getter or a proxy that throws
  }
}

function callOf(event: unknown): LambdaCall {
  if (!isPayload(event)) return notHttp('The event is not an object');
  const context = own(event, 'requestContext');
  const method = methodOf(event, context);
  if (method === null) return notHttp('The event has no HTTP method');
  const multi = own(event, 'multiValueHeaders');
  const balancer =
    isPayload(context) && isPayload(own(context, 'elb')) ? (isPayload(multi) ? 'multi' : 'single') : null;
  return {
    request: {
      method,
      headers: headersOf(own(event, 'headers'), multi),
      body: async (limit) => bodyOf(own(event, 'body') ?? null, own(event, 'isBase64Encoded') ?? false, limit),
    },
    balancer,
  };
}

function methodOf(event: Payload, context: unknown): string | null {
  const http = isPayload(context) ? own(context, 'http') : undefined;
  const method = isPayload(http) ? own(http, 'method') : own(event, 'httpMethod');
  return typeof method === 'string' && method !== '' ? method : null;
}

/**
 * v1 states each header twice. The list shows a repeated header, which the single value hides, so the list counts; a
 * name that only the single form has (events made by hand, local emulators) is kept.
 */
function headersOf(single: unknown, multi: unknown): WebhookRequest['headers'] {
  const lists = isPayload(multi) ? Object.entries(multi) : [];
  const listed = new Set(lists.map(([name]) => name.toLowerCase()));
  const alone = isPayload(single) ? Object.entries(single).filter(([name]) => !listed.has(name.toLowerCase())) : [];
  // Values of any kind: what is not text is refused by name where the headers are judged.
  return Object.fromEntries([...alone, ...lists]) as WebhookRequest['headers'];
}

function bodyOf(body: unknown, isBase64: unknown, limit: number): RawBody {
  if (typeof isBase64 !== 'boolean') throw wrongEvent('isBase64Encoded is neither true nor false');
  if (body === null) return new Uint8Array();
  if (typeof body !== 'string') throw bodyGone('parsed', 'lambda');
  if (isBase64) {
    if (body.length > base64Length(limit)) throw tooLarge(limit);
    const bytes = fromBase64(body);
    if (bytes !== null) return bytes;
    throw wrongEvent('isBase64Encoded is true, but the body is not base64');
  }
  // JSON never looks like this, so something on the way encoded the body and did not say so.
  if (BASE64_OF_OBJECT.test(body) && body.length <= base64Length(limit) && BASE64.test(body)) {
    throw wrongEvent('isBase64Encoded is false, but the body is base64');
  }
  return body;
}

/** The first two characters of base64 fix the first byte and half of the second: these are `{`. */
const BASE64_OF_OBJECT = /^e[w-z0-9+/]/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Null for what is not whole base64: lenient decoders would skip what they do not know. */
function fromBase64(text: string): Uint8Array | null {
  if (!BASE64.test(text)) return null;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

function notHttp(why: string): LambdaCall {
  const error = wrongEvent(why);
  return {
    request: { method: 'POST', headers: {}, body: () => Promise.reject(error) },
    balancer: null,
  };
}

function wrongEvent(why: string): ConfigurationError {
  return new ConfigurationError(
    `${why}. Lambda: connect this function by a proxy integration (AWS_PROXY), a function URL or a load balancer, and hand its event on unchanged.`,
  );
}
