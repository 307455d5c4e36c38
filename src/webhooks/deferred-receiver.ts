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

type Receiver = typeof import('./receiver.ts');

let receiver: Receiver | null = null;

/** Returns the receiver at once if it is loaded. A failure to load it is not remembered, so the next use tries again. */
function loadReceiver(operation: string): Receiver | Promise<Receiver> {
  if (receiver !== null) return receiver;
  return import('./receiver.ts').then(
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
  const load = () => loadReceiver(operation);
  Promise.resolve(load()).catch(() => undefined); // the first delivery tries again, and reports the failure
  return {
    handle: async (request) => {
      const loading = load();
      if (!('then' in loading)) return loading.handleRequest(request, settings);
      const kept = copyOf(request);
      try {
        return (await loading).handleRequest(kept, settings);
      } catch (error) {
        const reply = replyFor('setup');
        const { message, cause } = error as ConfigurationError; // loadReceiver throws nothing else
        new Reporter(settings.options.onReport).report('setup', message, reply.status, cause);
        return reply;
      }
    },
    catchUp: async (merchant, options) => (await load()).catchUp(merchant, options, settings),
  };
}

/** Verifies a delivery with what is copied at the call. */
export async function deferredVerify(
  rawBody: RawBody,
  headers: HeadersInput,
  secret: WebhookSecret,
  options: VerifyWebhookOptions | undefined,
): Promise<InvoiceEvent> {
  const loading = loadReceiver('webhooks.verify');
  if (!('then' in loading)) return loading.verifyWebhook(rawBody, headers, secret, options);
  const kept = copyOf({ method: 'POST', headers, body: rawBody });
  const keptOptions = copyOfOptions(options);
  return (await loading).verifyWebhook(kept.body, kept.headers, secret, keptOptions);
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

function copyOfOptions(options: VerifyWebhookOptions | undefined): VerifyWebhookOptions | undefined {
  try {
    const isPlain = Object.getPrototypeOf(options) === Object.prototype;
    return isPlain ? { ...options } : options;
  } catch {
    return options;
  }
}

function copyOfBody<Body>(body: Body): Body | Uint8Array {
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  return body instanceof ArrayBuffer ? new Uint8Array(body).slice() : body;
}

/** One more than a receiver reads, so that too many are still too many. */
const MAX_HEADERS = 2_001;

function copyOfHeaders(headers: HeadersInput): HeadersInput {
  if (!(Symbol.iterator in headers)) return { ...headers };
  const copy: unknown[] = [];
  for (const entry of headers) {
    copy.push(Array.isArray(entry) ? [...entry] : entry);
    if (copy.length >= MAX_HEADERS && !Array.isArray(headers)) break;
  }
  return copy as HeadersInput; // the same entries
}
