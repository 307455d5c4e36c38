import { NOT_LOADED } from '../checks.ts';
import { ConfigurationError } from '../errors/classes.ts';
import type { InvoiceEvent } from './event/events.ts';
import type { WebhookRequest } from './handle/handle-request.ts';
import { readHandlerOptions, type WebhookHandlerOptions } from './handle/handler-options.ts';
import { Reporter } from './handle/report.ts';
import { replyFor } from './handle/verdict.ts';
import type { WebhookHandler } from './handler.ts';
import type { HeadersInput } from './verify/headers.ts';
import type { RawBody } from './verify/raw-body.ts';
import type { WebhookSecret } from './verify/secrets.ts';
import type { VerifyWebhookOptions } from './verify/verify-options.ts';

// The receiver as the client has it: options are checked when a handler is created, and the rest is loaded when it is
// first needed. What a caller may change meanwhile is copied.

type Receiver = typeof import('./deferred-parts.ts');

let receiver: Receiver | null = null;

/** A failure to load is not remembered, so the next use tries again. */
function loadReceiver(operation: string): Promise<Receiver> {
  return import('./deferred-parts.ts').then(
    ({ catchUp, handleRequest, verifyWebhook }) => {
      receiver = { catchUp, handleRequest, verifyWebhook };
      return receiver;
    },
    (cause: unknown) => {
      throw new ConfigurationError(`${operation}: ${NOT_LOADED}`, { operation, cause });
    },
  );
}

/** Creates a handler. The load begins here, so that the first delivery rarely waits for it. */
export function createDeferredHandler<Extra extends object>(
  options: WebhookHandlerOptions<Extra>,
  operation: string,
): WebhookHandler {
  const settings = readHandlerOptions(options);
  if (receiver === null) loadReceiver(operation).catch(() => undefined); // the first delivery tries again, and reports the failure
  return {
    handle: async (request) => {
      if (receiver !== null) return receiver.handleRequest(request, settings);
      const kept = copyOf(request);
      try {
        return (await loadReceiver(operation)).handleRequest(kept, settings);
      } catch (error) {
        const reply = replyFor('setup');
        const { message, cause } = error as ConfigurationError; // loadReceiver throws nothing else
        new Reporter(settings.options.onReport).report('setup', message, reply.status, cause);
        return reply;
      }
    },
    catchUp: async (merchant, options) => {
      if (receiver !== null) return receiver.catchUp(merchant, options, settings);
      const kept = copyOfOptions(options);
      return (await loadReceiver(operation)).catchUp(merchant, kept, settings);
    },
  };
}

/** Verifies a delivery with what is copied at the call. */
export async function deferredVerify(
  rawBody: RawBody,
  headers: HeadersInput,
  secret: WebhookSecret,
  options: VerifyWebhookOptions | undefined,
): Promise<InvoiceEvent> {
  if (receiver !== null) return receiver.verifyWebhook(rawBody, headers, secret, options);
  const kept = copyOf({ method: 'POST', headers, body: rawBody });
  const keptOptions = copyOfOptions(options);
  return (await loadReceiver('webhooks.verify')).verifyWebhook(kept.body, kept.headers, secret, keptOptions);
}

/** Copies a request, because its caller may reuse it. What cannot be read is left to the receiver to report. */
function copyOf<Body extends WebhookRequest['body']>(
  request: Omit<WebhookRequest, 'body'> & { readonly body: Body },
): Omit<WebhookRequest, 'body'> & { readonly body: Body | Uint8Array } {
  try {
    const { method, headers, body } = request;
    return {
      method,
      headers: copyOfHeaders(headers),
      body: copyOfBody(body),
      wasReset: async () => (await request.wasReset?.()) === true,
    };
  } catch {
    return request;
  }
}

function copyOfOptions<Options>(options: Options): Options {
  try {
    const prototype: unknown = Object.getPrototypeOf(options);
    if (prototype !== Object.prototype && prototype !== null) return options;
    const members = Object.entries(options as object); // it has a prototype, or none
    const copies = members.map(([name, value]) => [name, value instanceof Date ? new Date(value) : copyOfPlain(value)]);
    return Object.fromEntries(copies) as Options; // the same members
  } catch {
    return options;
  }
}

/** Copies what consists of plain objects, lists and texts, such as the cursor of `catchUp`. */
function copyOfPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOfPlain);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOfPlain(member)]));
}

/** Distinguishes bytes from other bodies as the receiver does, by internal slot. */
function copyOfBody<Body>(body: Body): Body | Uint8Array {
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  try {
    return new Uint8Array(ArrayBuffer.prototype.slice.call(body as ArrayBuffer, 0)); // throws for anything else
  } catch {
    return body;
  }
}

/** One more than a receiver reads, so that too many are still too many. */
const MAX_HEADERS = 2_001;

function copyOfHeaders(headers: HeadersInput): HeadersInput {
  if (!(Symbol.iterator in headers)) {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, copyOfList(value)]));
  }
  const isList = Array.isArray(headers);
  const copy: unknown[] = [];
  for (const entry of headers) {
    // Outside of an array the receiver skips text, and a copy that begins with text would be a flat list.
    copy.push(Array.isArray(entry) ? entry.map(copyOfList) : isList ? entry : []);
    if (copy.length >= MAX_HEADERS && !isList) break;
  }
  return copy as HeadersInput; // the same entries
}

function copyOfList<Value>(value: Value): Value {
  return Array.isArray(value) ? ([...value] as Value) : value; // the same list
}
