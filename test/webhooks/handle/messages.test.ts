import { describe, expect, it } from 'vitest';
import { ConfigurationError, WebhookVerificationError } from '../../../src/errors/classes.ts';
import { RAW_BODY_ADVICE } from '../../../src/webhooks/body.ts';
import { createWebhookHandler, memoryStore, parseInvoiceEvent, signWebhook } from '../../../src/webhooks/index.ts';
import { deferred, endpoint, paidBody } from '../endpoint.ts';
import { ManualClock } from '../manual-clock.ts';
import { NOW, PAID, SECRET, VECTORS } from '../vectors.ts';

// The facts that a merchant finds in a report, an error or a log line: the reason, the name, the number.

const verify = async (headers: unknown, [body]: readonly [unknown] = [PAID]): Promise<string> => {
  const shop = endpoint({ now: () => NOW });
  await shop.handler.handle({ method: 'POST', headers: headers as never, body: body as never });
  const [report] = shop.reports;
  return report === undefined ? 'nothing was reported' : `${report.reason}: ${report.message}`;
};
const { signature, timestamp } = VECTORS[0];
const headers = { 'X-Webhook-Id': 'dlv_1', 'X-Webhook-Signature': signature, 'X-Webhook-Timestamp': timestamp };

describe('headers', () => {
  const UNREADABLE = /^missing_header: The headers cannot be read/;
  const twice = (name: string) => new RegExp(`^duplicate_header: ${name} .*more than once.*comma`);
  const none = (name: string, what: string) => new RegExp(`^missing_header: ${name} ${what}`);

  it.each<[string, unknown, RegExp]>([
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
      /^malformed_signature: X-Webhook-Signature is number, not text/,
    ],
    [
      'a timestamp of a Date',
      { ...headers, 'X-Webhook-Timestamp': new Date(0) },
      /^malformed_timestamp: X-Webhook-Timestamp is object, not text/,
    ],
    ['an id of a number', { ...headers, 'X-Webhook-Id': 7 }, /^missing_header: X-Webhook-Id is number, not text/],
  ])('%s', async (_name, given, message) => {
    expect(await verify(given)).toMatch(message);
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
    [undefined, `body_already_parsed: The body is undefined`],
    [null, `body_already_parsed: The body is null`],
    [7, 'body_already_parsed: The body is number'],
    [true, 'body_already_parsed: The body is boolean'],
    [{}, `body_already_parsed: The body is an object`],
    ['x'.repeat(262_145), 'body_too_large: The body is larger than 262144 bytes.'],
    [new Uint8Array(262_145), 'body_too_large: The body is larger than 262144 bytes.'],
  ])('%#', async (body, message) => {
    const found = await verify(headers, [body]);
    expect(found).toContain(message);
    expect(found.includes(RAW_BODY_ADVICE)).toBe(body === null || body === undefined || body?.constructor === Object);
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
    ['another method', { method: 'GET' }, 'method_not_allowed', 'POST'],
    ['gzip', { headers: { 'content-encoding': 'gzip' } }, 'unsupported_media_type', 'Content-Encoding'],
    [
      'a request that throws',
      {
        get body() {
          return fail();
        },
      },
      'setup',
      '{ method, headers, body }',
    ],
  ])('%s', async (_name, change, reason, message) => {
    const shop = endpoint({ now: () => NOW });
    await shop.handler.handle(
      Object.defineProperties(await request(), Object.getOwnPropertyDescriptors(change)) as never,
    );
    expect(shop.reports).toMatchObject([{ reason, message: expect.stringContaining(message), key: null }]);
  });

  it.each([
    ['IDENTITY', 200],
    [' identity ', 200],
    ['UTF-8', 200], // no compression, though it does not belong there
    ['br', 415],
    ['X-Gzip', 415],
    ['utf-8, zstd', 415],
    [['identity', 'gzip'], 415],
    [['gzip', 'identity'], 415],
    [['identity', 'utf-8'], 200],
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
      { reason: 'no_handler', message: expect.stringContaining('onUnknown'), status: 200 },
    ]);
  });

  it('a repeat, and one that differs', async () => {
    const shop = endpoint({ now: () => NOW });
    for (const amount of ['25.00', '25.00', '26.00']) {
      await shop.handler.handle((await request({ ...paidBody, amount })) as never);
    }
    expect(shop.reasons()).toEqual(['duplicate', 'duplicate_differs']);
  });

  it.each([
    ['the same', true, ''],
    ['another one', false, ' Its amounts or status differ from this one.'],
  ])('an attempt that did not end, at %s', async (_name, isSame, difference) => {
    const store = {
      ...memoryStore(),
      claim: async ({ digest }: { readonly digest: string }) => ({
        state: 'taken_over' as const,
        digest: isSame ? digest : 'other',
      }),
      complete: async () => true,
    };
    const shop = endpoint({ now: () => NOW, store });
    expect((await shop.handler.handle((await request()) as never)).status).toBe(200);
    const message = `An earlier attempt at this event did not end. It is handled again now.${difference}`;
    expect(shop.reports).toMatchObject([{ reason: 'taken_over', message, status: null }]);
  });

  it('the id of a header, and of none where it is empty', async () => {
    const shop = endpoint({ now: () => NOW });
    const { credited_usdt: _dropped, ...held } = { ...paidBody, status: 'held' };
    for (const named of ['invoice.held', '']) {
      await shop.handler.handle((await request(held, { 'X-Webhook-Event': named })) as never);
      await shop.handler.handle({ method: 'GET', headers: { 'X-Webhook-Id': named }, body: '' });
    }
    const acknowledged = (name: string) => `An unknown event${name} was acknowledged, because there is no onUnknown.`;
    expect(shop.reports.map(({ message }) => message).filter((message) => message.includes('unknown'))).toEqual([
      acknowledged(''),
      acknowledged(''),
    ]);
    const refused = shop.reports.filter(({ reason }) => reason === 'method_not_allowed');
    expect(refused.map(({ deliveryId }) => deliveryId)).toEqual(['invoice.held', null]);
  });

  it('a repeat while the first one runs', async () => {
    const gate = deferred();
    const shop = endpoint({ now: () => NOW, onPaid: () => gate.promise });
    const first = shop.handler.handle((await request()) as never);
    await shop.handler.handle((await request()) as never);
    gate.resolve();
    await first;
    expect(shop.reports).toMatchObject([{ reason: 'duplicate_running', status: 409 }]);
  });

  it('a store that fails, or answers nonsense', async () => {
    for (const claim of [() => Promise.reject(new Error('down')), async () => ({ state: 'maybe' }), async () => null]) {
      const shop = endpoint({ now: () => NOW, store: { ...memoryStore(), claim: claim as never } });
      expect((await shop.handler.handle((await request()) as never)).status).toBe(503);
      expect(shop.reasons()).toEqual(['store_failed']);
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
        message: expect.stringMatching(/^Your function threw/),
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
    expect(shop.reports).toMatchObject([
      { reason: 'time_limit', message: expect.stringContaining('5000 ms'), status: 503 },
      { reason: 'completed_late', status: null },
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
  const NONE = 'secret must be a string, a Uint8Array or a list of them, not';

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'needs { secret, store, onPaid, onCanceled }'],
    ['null', null, 'needs { secret, store, onPaid, onCanceled }'],
    ['no secret', { ...right, secret: undefined }, `${NONE} undefined`],
    ['a secret of null', { ...right, secret: null }, `${NONE} null`],
    ['a secret of an object', { ...right, secret: {} }, `${NONE} a value of type object`],
    ['an empty secret', { ...right, secret: '' }, `${NONE} an empty string`],
    ['a blank secret', { ...right, secret: ' ' }, 'secret has white space around it'],
    ['a second secret of nothing', { ...right, secret: ['a', ''] }, 'secret[1] must be a string'],
    ['no secrets', { ...right, secret: [] }, 'secret is an empty list'],
    ['a padded secret', { ...right, secret: 'whsec\n' }, 'secret has white space around it'],
    ['a time limit of nothing', { ...right, timeout: 0 }, 'timeout must be 1 to 15000 milliseconds'],
    ['a time limit of text', { ...right, timeout: '5000' }, 'timeout must be 1 to 15000 milliseconds'],
    ['the longest time limit', { ...right, timeout: 15_000 }, 'none'],
    ['the smallest body', { ...right, maxBodySize: 1 }, 'none'],
  ])('%s', (_name, options, message) => {
    expect(problem(options)).toContain(message);
  });
});

describe('parseInvoiceEvent', () => {
  const event = { ...paidBody, type: 'invoice.paid', source: 'webhook', adjusted: false, raw: {} };
  it.each<[string, unknown, string]>([
    ['text', 'x', 'it is not a JSON object'],
    ['null', null, 'it is not a JSON object'],
    ['a delivery', paidBody, 'this is not the JSON of an InvoiceEvent. Pass the body of a delivery to verifyWebhook'],
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
