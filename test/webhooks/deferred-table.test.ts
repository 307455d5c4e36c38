import { describe, expect, it, vi } from 'vitest';
import type { WebhookHandler, WebhookHandlerOptions, WebhookReport, WebhookRequest } from '../../src/webhooks/index.ts';
import { memoryStore, signWebhook } from '../../src/webhooks/index.ts';
import { NOW, PAID } from './vectors.ts';

// The handler of the client, before and after it is loaded, beside createWebhookHandler: one answer and one report for each
// delivery, whatever it is made of.

const SECRET = 'whsec-of-the-dashboard-0123456789';
const MINUTE = 60_000;
const BYTES = new TextEncoder().encode(PAID);

const signed = async (body = PAID, timestamp = NOW): Promise<Record<string, string>> => ({
  ...(await signWebhook(body, SECRET, { id: 'dlv_1', timestamp })),
});
const genuine = await signed();
const old = await signed(PAID, NOW - 6 * MINUTE);
const ahead = await signed(PAID, NOW + 6 * MINUTE);
const notJson = await signed('{"invoice_uuid":');
const unknownEvent = await signed(PAID.replace('{', '{"event":"invoice.refunded",'));
const ofNothing = await signed('');

/** A request with one change. Made anew for each handler, because some can be read only once. */
const but = (change: object): object => ({ method: 'POST', headers: genuine, body: BYTES.slice(), ...change });
const withHeaders = (headers: unknown): object => but({ headers });
const { 'X-Webhook-Signature': signature = '', ...unsigned } = genuine;
const pairs = Object.entries(genuine);
const many: [string, string][] = Array.from({ length: 1_998 }, (_, at) => [`x-${at}`, 'y']);

function* yielding<T>(values: readonly T[], problem?: Error): Generator<T> {
  yield* values;
  if (problem !== undefined) throw problem;
}

function transferred(): Uint8Array<ArrayBuffer> {
  const view = BYTES.slice();
  structuredClone(view.buffer, { transfer: [view.buffer] });
  return view;
}

const REQUESTS: Record<string, () => unknown> = {
  genuine: () => but({}),
  'in lower case': () => but({ method: 'post' }),
  GET: () => but({ method: 'GET' }),
  'a method that is no text': () => but({ method: Symbol('POST') }),
  null: () => null,
  text: () => 'POST',
  'a getter that throws': () => ({
    ...but({}),
    get headers(): never {
      throw new Error('read before');
    },
  }),
  'a wrong signature': () => withHeaders({ ...genuine, 'X-Webhook-Signature': signature.replace(/./g, '0') }),
  'no signature': () => withHeaders(unsigned),
  'a malformed signature': () => withHeaders({ ...genuine, 'X-Webhook-Signature': 'abc' }),
  'a malformed timestamp': () => withHeaders({ ...genuine, 'X-Webhook-Timestamp': 'now' }),
  'too old': () => withHeaders(old),
  'too far ahead': () => withHeaders(ahead),
  compressed: () => withHeaders({ ...genuine, 'Content-Encoding': 'gzip' }),
  'a signature twice, joined': () =>
    withHeaders(new Headers([...pairs, ['x-webhook-signature', signature] as [string, string]])),
  'a signature twice, in a list': () => withHeaders({ ...genuine, 'X-Webhook-Signature': [signature, signature] }),
  'a signature twice, in pairs': () => withHeaders([...pairs, ['X-WEBHOOK-SIGNATURE', signature]]),
  'a signature twice, raw': () => withHeaders([...pairs.flat(), 'X-WEBHOOK-SIGNATURE', signature]),
  Headers: () => withHeaders(new Headers(genuine)),
  'a map': () => withHeaders(new Map(pairs)),
  pairs: () => withHeaders(pairs),
  'pairs, made while they are read': () => withHeaders(yielding(pairs)),
  'raw headers': () => withHeaders(pairs.flat()),
  'raw headers of odd length': () => withHeaders([...pairs.flat(), 'x-webhook-event']),
  'raw headers in no array': () => withHeaders(yielding(pairs.flat())),
  'lists with one value': () => withHeaders(Object.fromEntries(pairs.map(([name, value]) => [name, [value]]))),
  'no prototype': () => withHeaders(Object.assign(Object.create(null), genuine)),
  'headers of the prototype': () => withHeaders(Object.create(genuine)),
  'headers named like members of a prototype': () =>
    withHeaders([...pairs, ['__proto__', 'x'], ['constructor', 'x'], ['toString', 'x']]),
  'an iterator that is no function': () => withHeaders({ ...genuine, [Symbol.iterator]: undefined }),
  'an iterator that throws': () => withHeaders({ [Symbol.iterator]: () => yielding(pairs, new Error('read before')) }),
  'a header that throws': () =>
    withHeaders({
      ...genuine,
      get host(): never {
        throw new Error('read before');
      },
    }),
  'headers: undefined': () => withHeaders(undefined),
  'headers: text': () => withHeaders('X-Webhook-Id: 1'),
  '2,001 pairs': () => withHeaders([...many, ...pairs]),
  '2,001 pairs, made while they are read': () => withHeaders(yielding([...many, ...pairs])),
  '2,000 pairs, made while they are read': () => withHeaders(yielding([...many, ...pairs].slice(2))),
  '2,001 raw headers': () => withHeaders([...many, ...pairs].flat()),
  '2,001 headers': () => withHeaders(Object.fromEntries([...many, ...pairs])),
  'a body as text': () => but({ body: PAID }),
  'a body as Buffer': () => but({ body: Buffer.from(PAID) }),
  'a body as ArrayBuffer': () => but({ body: BYTES.slice().buffer }),
  'a body as DataView': () => but({ body: new DataView(BYTES.slice().buffer) }),
  'a view of shared memory': () => {
    const view = new Uint8Array(new SharedArrayBuffer(BYTES.length));
    view.set(BYTES);
    return but({ body: view });
  },
  'shared memory': () => but({ body: new SharedArrayBuffer(8) }),
  'a body that was transferred': () => but({ body: transferred().buffer }),
  'a view of a body that was transferred': () => but({ body: transferred() }),
  'a forged ArrayBuffer': () => but({ body: Object.create(ArrayBuffer.prototype) }),
  'a proxy of bytes': () => but({ body: new Proxy(BYTES, {}) }),
  'a parsed body': () => but({ body: JSON.parse(PAID) }),
  'no body': () => but({ body: undefined }),
  'a body of null': () => but({ body: null }),
  'a body that is a number': () => but({ body: 5 }),
  'a body that is a promise': () => but({ body: Promise.resolve(BYTES) }),
  'an empty body': () => but({ body: new Uint8Array(), headers: ofNothing }),
  'a body that is too large': () => but({ body: new Uint8Array(262_145) }),
  'a body that is read': () => but({ body: async () => BYTES }),
  'a body that cannot be read': () => but({ body: () => Promise.reject(new Error('read before')) }),
  'a body that was reset': () => but({ body: BYTES.slice(1), wasReset: async () => true }),
  'a body that was not reset': () => but({ body: BYTES.slice(1), wasReset: async () => false }),
  'a reset that cannot be known': () => but({ body: BYTES.slice(1), wasReset: () => Promise.reject(new Error('no')) }),
  'no JSON': () => but({ body: '{"invoice_uuid":', headers: notJson }),
  'an unknown event': () => but({ body: PAID.replace('{', '{"event":"invoice.refunded",'), headers: unknownEvent }),
};

function endpoint(create: (options: Omit<WebhookHandlerOptions, 'secret'>) => WebhookHandler) {
  const reports: WebhookReport[] = [];
  const paid: string[] = [];
  const handler = create({
    store: memoryStore(),
    onPaid: ({ external_id }) => void paid.push(external_id),
    onCanceled: () => undefined,
    onReport: (report) => void reports.push({ ...report, error: String(report.error) }),
    now: () => NOW,
  });
  return async (request: unknown) => {
    const reply = await handler.handle(request as WebhookRequest); // whatever a caller passes
    return { reply, reports, paid };
  };
}

describe('the handler of a client answers and reports as createWebhookHandler does', () => {
  it.each(Object.entries(REQUESTS))('%s', async (_, request) => {
    vi.resetModules(); // the receiver is loaded once for each set of modules
    const { MerchantClient } = await import('../../src/client.ts');
    const options = { baseUrl: 'https://pay.example.com', apiKey: 'key-of-the-business', webhookSecret: SECRET };
    const { webhooks } = new MerchantClient(options);
    const cold = await endpoint((given) => webhooks.handler(given))(request());
    const warm = await endpoint((given) => webhooks.handler(given))(request());
    const { createWebhookHandler } = await import('../../src/webhooks/handler.ts');
    const direct = await endpoint((given) => createWebhookHandler({ ...given, secret: SECRET }))(request());
    expect(cold).toEqual(direct);
    expect(warm).toEqual(direct);
  });
});
