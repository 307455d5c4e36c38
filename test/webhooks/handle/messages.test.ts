import { describe, expect, it } from 'vitest';
import { ConfigurationError, WebhookVerificationError } from '../../../src/errors/classes.ts';
import { createWebhookHandler, memoryStore, parseInvoiceEvent, signWebhook } from '../../../src/webhooks/index.ts';
import { RAW_BODY_ADVICE } from '../../../src/webhooks/verify/raw-body.ts';
import { deferred, endpoint, paidBody } from '../endpoint.ts';
import { ManualClock } from '../manual-clock.ts';
import { NOW, PAID, SECRET, VECTORS } from '../vectors.ts';

// What a merchant reads in a report, an error or a log line: the whole sentence, and the way out.

const verify = async (headers: unknown, [body]: readonly [unknown] = [PAID]): Promise<string> => {
  const shop = endpoint({ now: () => NOW });
  await shop.handler.handle({ method: 'POST', headers: headers as never, body: body as never });
  return shop.reports[0]?.message ?? 'nothing was reported';
};
const { signature, timestamp } = VECTORS[0];
const headers = { 'X-Webhook-Id': 'dlv_1', 'X-Webhook-Signature': signature, 'X-Webhook-Timestamp': timestamp };

describe('headers', () => {
  const UNREADABLE =
    'The headers cannot be read. Give the request headers as they are: a Headers object, request.headers of Node, or a list of pairs.';
  const twice = (name: string) =>
    `${name} is there more than once, or holds a comma: which one counts cannot be known. Something on the way added a header.`;
  const none = (name: string, what: string) =>
    `${name} ${what}. Every delivery has it: a proxy may strip it, or the request is not from the service.`;

  it.each<[string, unknown, string]>([
    ['null', null, UNREADABLE],
    ['undefined', undefined, UNREADABLE],
    ['text', 'X-Webhook-Id: 1', UNREADABLE],
    ['a function', () => headers, UNREADABLE],
    ['a getter that throws', Object.defineProperty({}, 'x-webhook-id', { enumerable: true, get: fail }), UNREADABLE],
    ['an iterator that throws', { [Symbol.iterator]: fail }, UNREADABLE],
    ['2,001 pairs', Array.from({ length: 2_001 }, () => ['x', 'y']), UNREADABLE],
    ['no signature', { ...headers, 'X-Webhook-Signature': undefined }, none('X-Webhook-Signature', 'is missing')],
    ['a signature of null', { ...headers, 'X-Webhook-Signature': null }, none('X-Webhook-Signature', 'is missing')],
    ['an empty timestamp', { ...headers, 'X-Webhook-Timestamp': '' }, none('X-Webhook-Timestamp', 'is empty')],
    ['no id', { ...headers, 'X-Webhook-Id': undefined }, none('X-Webhook-Id', 'is missing')],
    ['an empty list of ids', { ...headers, 'X-Webhook-Id': [] }, none('X-Webhook-Id', 'is missing')],
    ['two signatures', { ...headers, 'X-Webhook-Signature': [signature, signature] }, twice('X-Webhook-Signature')],
    ['a comma in the timestamp', { ...headers, 'X-Webhook-Timestamp': `${timestamp},` }, twice('X-Webhook-Timestamp')],
    ['two ids in two cases', { ...headers, 'x-webhook-id': 'dlv_2' }, twice('X-Webhook-Id')],
    ['a list with a comma', { ...headers, 'X-Webhook-Id': ['a,b'] }, twice('X-Webhook-Id')],
    [
      'a signature of a number',
      { ...headers, 'X-Webhook-Signature': 7 },
      'X-Webhook-Signature is number, not text. Give the headers as received.',
    ],
    [
      'a timestamp of a Date',
      { ...headers, 'X-Webhook-Timestamp': new Date(0) },
      'X-Webhook-Timestamp is object, not text. Give the headers as received.',
    ],
    [
      'an id of a number',
      { ...headers, 'X-Webhook-Id': 7 },
      'X-Webhook-Id is number, not text. Give the headers as received.',
    ],
  ])('%s', async (_name, given, message) => {
    expect(await verify(given)).toBe(message);
  });

  it.each<[string, unknown]>([
    ['2,000 pairs', [...Object.entries(headers), ...Array.from({ length: 1_997 }, () => ['x', 'y'])]],
    ['pairs that are none among them', [...Object.entries(headers), null, 'x', 7, []]],
    ['a flat list with a name at its end', [...Object.entries(headers).flat(), 'x-webhook-id']],
    ['lists of one', Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
    ['names that are none among them', { ...headers, [`x${'y'.repeat(5_000)}`]: 'z', cookie: 'a', [Symbol('x')]: 1 }],
    ['a Map', new Map(Object.entries(headers))],
    ['Headers', new Headers(headers)],
  ])('can be %s', async (_name, given) => {
    expect(await verify(given)).toBe('nothing was reported');
  });

  it('a length that is none says nothing about the body', async () => {
    const wrong = { ...headers, 'X-Webhook-Signature': '0'.repeat(64) };
    for (const length of ['x5', '5x', '', '1'.repeat(16)]) {
      expect(await verify({ ...wrong, 'Content-Length': length })).not.toContain('Content-Length says');
    }
    expect(await verify({ ...wrong, 'Content-Length': '5' })).toContain('but Content-Length says 5');
  });
});

describe('bodies', () => {
  it.each<[unknown, string]>([
    [
      undefined,
      `The body is undefined: nothing read it, or a framework did and kept it. The signature covers the raw bytes. ${RAW_BODY_ADVICE}`,
    ],
    [
      null,
      `The body is null: nothing read it, or a framework did and kept it. The signature covers the raw bytes. ${RAW_BODY_ADVICE}`,
    ],
    [7, 'The body is number. Give the raw bytes, or the exact text.'],
    [true, 'The body is boolean. Give the raw bytes, or the exact text.'],
    [
      {},
      `The body is an object: parsed already, or a request. The signature covers the raw bytes, which cannot be made again from it. ${RAW_BODY_ADVICE}`,
    ],
    [
      'x'.repeat(262_145),
      'The body is larger than 262144 bytes. Webhooks of the service are far smaller; maxBodySize sets the limit.',
    ],
    [
      new Uint8Array(262_145),
      'The body is larger than 262144 bytes. Webhooks of the service are far smaller; maxBodySize sets the limit.',
    ],
  ])('%#', async (body, message) => {
    expect(await verify(headers, [body])).toBe(message);
  });
});

describe('reports of a handler', () => {
  const request = async (body: object = paidBody, extra: object = {}) => {
    const text = JSON.stringify(body);
    return {
      method: 'POST',
      headers: { ...(await signWebhook(text, SECRET, { timestamp: NOW })), ...extra },
      body: text,
    };
  };
  const at = new ManualClock();

  it.each<[string, object, string, string]>([
    ['another method', { method: 'GET' }, 'method_not_allowed', 'Only POST is a delivery.'],
    [
      'gzip',
      { headers: { 'content-encoding': 'gzip' } },
      'unsupported_media_type',
      'The body is compressed (Content-Encoding): the signature covers the bytes before that. Turn compression of requests off.',
    ],
    [
      'a request that throws',
      {
        get body() {
          return fail();
        },
      },
      'setup',
      'The request could not be read: is it { method, headers, body }?',
    ],
  ])('%s', async (_name, change, reason, message) => {
    const shop = endpoint({ now: () => NOW });
    await shop.handler.handle(
      Object.defineProperties(await request(), Object.getOwnPropertyDescriptors(change)) as never,
    );
    expect(shop.reports).toMatchObject([{ reason, message, key: null }]);
  });

  it.each([
    ['IDENTITY', 200],
    [' identity ', 200],
    ['UTF-8', 200], // no compression, though it does not belong there
    ['br', 415],
    ['X-Gzip', 415],
    ['utf-8, zstd', 415],
  ])('Content-Encoding %j is %i', async (encoding, status) => {
    const shop = endpoint({ now: () => NOW });
    const reply = await shop.handler.handle((await request(paidBody, { 'Content-Encoding': encoding })) as never);
    expect(reply.status).toBe(status);
  });

  it('an unknown event without onUnknown', async () => {
    const shop = endpoint({ now: () => NOW });
    const { credited_usdt: _dropped, ...held } = { ...paidBody, status: 'held' };
    await shop.handler.handle((await request(held)) as never);
    expect(shop.reports).toMatchObject([
      { reason: 'no_handler', message: 'An unknown event was acknowledged, as there is no onUnknown.', status: 200 },
    ]);
  });

  it('a repeat, and one that differs', async () => {
    const shop = endpoint({ now: () => NOW });
    for (const amount of ['25.00', '25.00', '26.00']) {
      await shop.handler.handle((await request({ ...paidBody, amount })) as never);
    }
    expect(shop.reports.map(({ reason, message }) => [reason, message])).toEqual([
      ['duplicate', 'The event was handled before. Nothing was done.'],
      [
        'duplicate_differs',
        'The event was handled before, with other amounts or another status. Nothing was done: compare the two.',
      ],
    ]);
  });

  it('a repeat while the first one runs', async () => {
    const gate = deferred();
    const shop = endpoint({ now: () => NOW, onPaid: () => gate.promise });
    const first = shop.handler.handle((await request()) as never);
    await shop.handler.handle((await request()) as never);
    gate.resolve();
    await first;
    expect(shop.reports).toMatchObject([
      { reason: 'duplicate_running', message: 'The same event is being handled by another attempt.', status: 409 },
    ]);
  });

  it('a store that fails, or answers nonsense', async () => {
    for (const claim of [() => Promise.reject(new Error('down')), async () => ({ state: 'maybe' }), async () => null]) {
      const shop = endpoint({ now: () => NOW, store: { ...memoryStore(), claim: claim as never } });
      expect((await shop.handler.handle((await request()) as never)).status).toBe(503);
      expect(shop.reports).toMatchObject([
        { reason: 'store_failed', message: 'The store could not say whether the event is done.' },
      ]);
      expect(shop.reports[0]?.error).toBeInstanceOf(Error);
    }
    const odd = endpoint({
      now: () => NOW,
      store: { ...memoryStore(), claim: async () => ({ state: 'maybe' }) as never },
    });
    await odd.handler.handle((await request()) as never);
    expect(odd.reports[0]?.error).toHaveProperty(
      'message',
      'claim() must answer { state }: claimed, taken_over, running or done.',
    );
  });

  it('a function that throws, with what it threw', async () => {
    const shop = endpoint({ now: () => NOW, onPaid: fail });
    await shop.handler.handle((await request()) as never);
    expect(shop.reports).toMatchObject([
      {
        reason: 'handler_failed',
        message: 'Your function threw. The claim was given back, so that the next attempt can run it again.',
        error: { message: 'mine' },
      },
    ]);
  });

  it('a function that is too slow, and succeeds later', async () => {
    const gate = deferred();
    const shop = endpoint({ onPaid: () => gate.promise, timeout: 5_000 }, at);
    const body = JSON.stringify(paidBody);
    const signed = await signWebhook(body, SECRET, { timestamp: at.now() });
    const reply = shop.handler.handle({ method: 'POST', headers: signed as never, body });
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    await at.advance(5_000);
    expect((await reply).status).toBe(503);
    gate.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(shop.reports.map(({ reason, message, status }) => [reason, message, status])).toEqual([
      ['time_limit', 'The time limit of 5000 ms is over: answered 503.', 503],
      ['completed_late', 'Your function succeeded after the time limit.', null],
    ]);
    for (const report of shop.reports) expect(report).not.toHaveProperty('error');
  });
});

describe('configuration', () => {
  const right = { secret: SECRET, store: memoryStore(), onPaid: () => {}, onCanceled: () => {} };
  const problem = (options: unknown): string => {
    try {
      createWebhookHandler(options as never);
    } catch (error) {
      if (error instanceof ConfigurationError) return error.message;
      throw error;
    }
    return 'none';
  };
  const USUAL = 'Is the environment variable set? It is in the dashboard.';

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'createWebhookHandler needs { secret, store, onPaid, onCanceled }.'],
    ['null', null, 'createWebhookHandler needs { secret, store, onPaid, onCanceled }.'],
    [
      'no secret',
      { ...right, secret: undefined },
      `The webhook secret is undefined, not text or a Uint8Array. ${USUAL}`,
    ],
    ['a secret of null', { ...right, secret: null }, `The webhook secret is null, not text or a Uint8Array. ${USUAL}`],
    [
      'a secret of an object',
      { ...right, secret: {} },
      `The webhook secret is object, not text or a Uint8Array. ${USUAL}`,
    ],
    ['an empty secret', { ...right, secret: '' }, `The webhook secret is empty. ${USUAL}`],
    ['a blank secret', { ...right, secret: ' ' }, `The webhook secret is empty. ${USUAL}`],
    ['a second secret of nothing', { ...right, secret: ['a', ''] }, `Webhook secret 1 is empty. ${USUAL}`],
    ['no secrets', { ...right, secret: [] }, 'The list of webhook secrets is empty: give at least one.'],
    [
      'a padded secret',
      { ...right, secret: 'whsec\n' },
      'The webhook secret has white space around it, perhaps the line break at the end of a file. Trim it: the signature covers every character.',
    ],
    [
      'a time limit of nothing',
      { ...right, timeout: 0 },
      'timeout must be 1 to 15000 milliseconds: the service gives up after 15 seconds.',
    ],
    [
      'a time limit of text',
      { ...right, timeout: '5000' },
      'timeout must be 1 to 15000 milliseconds: the service gives up after 15 seconds.',
    ],
    ['the longest time limit', { ...right, timeout: 15_000 }, 'none'],
    ['the smallest body', { ...right, maxBodySize: 1 }, 'none'],
  ])('%s', (_name, options, message) => {
    expect(problem(options)).toBe(message);
  });
});

describe('parseInvoiceEvent', () => {
  const event = { ...paidBody, type: 'invoice.paid', source: 'webhook', adjusted: false, raw: {} };
  it.each<[string, unknown, string]>([
    ['text', 'x', 'it is not a JSON object'],
    ['null', null, 'it is not a JSON object'],
    [
      'a delivery',
      paidBody,
      'this is not the JSON of an InvoiceEvent; the body of a delivery goes through verifyWebhook',
    ],
    ['a proxy that throws', new Proxy({}, { getOwnPropertyDescriptor: fail }), 'it cannot be read'],
    ['another type', { ...event, type: 'x' }, '"type" is none of invoice.paid, invoice.canceled, unknown'],
    ['no status', { ...event, status: undefined }, '"status" is not text, or missing'],
    ['an empty status', { ...event, status: '' }, '"status" is not text, or missing'],
    ['a status of a number', { ...event, status: 7 }, '"status" is not text, or missing'],
    ['an id of a number', { ...event, id: 7 }, '"id" is not text'],
    [
      'a time that is none',
      { ...event, signed_at: 'soon' },
      '"signed_at" must be an ISO 8601 date-time, such as "2026-01-31T09:30:00Z"',
    ],
    ['half an index', { ...event, secretIndex: 0.5 }, '"secretIndex" is not an index'],
    ['an index of text', { ...event, secretIndex: '0' }, '"secretIndex" is not an index'],
    ['an index below zero', { ...event, secretIndex: -1 }, '"secretIndex" is not an index'],
  ])('%s', (_name, value, why) => {
    try {
      parseInvoiceEvent(value);
    } catch (error) {
      expect(error).toBeInstanceOf(WebhookVerificationError);
      expect(error).toMatchObject({
        reason: 'malformed_payload',
        message: `The payload is not as the interface says: ${why}.`,
      });
      return;
    }
    throw new Error('accepted');
  });
});

function fail(): never {
  throw new Error('mine');
}
