import { describe, expect, it } from 'vitest';
import { type LambdaEvent, signWebhook, toLambdaHandler } from '../../../src/webhooks/index.ts';
import { endpoint, paidBody } from '../endpoint.ts';
import { NOW, SECRET } from '../vectors.ts';

const TEXT = JSON.stringify({ ...paidBody, note: 'é – ü' });
const BASE64 = Buffer.from(TEXT).toString('base64');

async function headersOf(text = TEXT): Promise<Record<string, string>> {
  const signed = await signWebhook(text, SECRET, { id: 'dlv_1', timestamp: NOW });
  return { ...signed, 'Content-Type': 'application/json', Host: 'shop.test' };
}

const lists = (headers: Record<string, string>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
const lower = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

// The members that AWS documents for each sender, as far as they matter.
const SENDERS = {
  'API Gateway v1': (headers: Record<string, string>): LambdaEvent => ({
    httpMethod: 'POST',
    headers,
    multiValueHeaders: lists(headers),
    requestContext: {},
    body: TEXT,
    isBase64Encoded: false,
  }),
  'API Gateway v2': (headers: Record<string, string>): LambdaEvent => ({
    version: '2.0',
    headers: lower(headers),
    requestContext: { http: { method: 'POST' } },
    body: TEXT,
    isBase64Encoded: false,
  }),
  'a function URL': (headers: Record<string, string>): LambdaEvent => ({
    version: '2.0',
    headers: lower(headers),
    requestContext: { http: { method: 'POST' } },
    body: BASE64,
    isBase64Encoded: true,
  }),
  'a load balancer': (headers: Record<string, string>): LambdaEvent => ({
    httpMethod: 'POST',
    headers: lower(headers),
    requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:…' } },
    body: TEXT,
    isBase64Encoded: false,
  }),
  'a load balancer with multi-value headers': (headers: Record<string, string>): LambdaEvent => ({
    httpMethod: 'POST',
    multiValueHeaders: lists(lower(headers)),
    requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:…' } },
    body: TEXT,
    isBase64Encoded: false,
  }),
};
type Sender = keyof typeof SENDERS;

async function eventFrom(sender: Sender, change: object = {}): Promise<LambdaEvent> {
  return { ...SENDERS[sender](await headersOf()), ...change };
}

async function answerTo(event: unknown) {
  const shop = endpoint();
  const reply = await toLambdaHandler(shop.handler)(event as LambdaEvent); // junk on purpose
  return { ...shop, reply };
}

describe('toLambdaHandler', () => {
  it.each(Object.keys(SENDERS) as Sender[])('handles a delivery that comes by %s, and its repeat', async (sender) => {
    const shop = endpoint();
    const lambda = toLambdaHandler(shop.handler);
    expect(await lambda(await eventFrom(sender))).toMatchObject({ statusCode: 200, body: 'done' });
    expect(await lambda(await eventFrom(sender))).toMatchObject({ statusCode: 200, body: 'duplicate' });
    expect(shop.calls).toEqual(['paid order-1042']);
  });

  const HEADERS = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
  const PLAIN = { statusCode: 200, headers: HEADERS, body: 'done', isBase64Encoded: false };
  it.each<[Sender, object]>([
    ['API Gateway v1', PLAIN],
    ['API Gateway v2', PLAIN],
    ['a function URL', PLAIN],
    ['a load balancer', { ...PLAIN, statusDescription: '200 OK' }],
    [
      'a load balancer with multi-value headers',
      {
        statusCode: 200,
        statusDescription: '200 OK',
        multiValueHeaders: { 'Content-Type': ['text/plain; charset=utf-8'], 'Cache-Control': ['no-store'] },
        body: 'done',
        isBase64Encoded: false,
      },
    ],
  ])('answers %s in its own shape', async (sender, expected) => {
    const { reply } = await answerTo(await eventFrom(sender));
    expect(reply).toEqual(expected);
  });

  it('answers another method with 405 and Allow', async () => {
    const { reply } = await answerTo(await eventFrom('a load balancer', { httpMethod: 'GET', body: null }));
    expect(reply).toMatchObject({ statusCode: 405, statusDescription: '405 Method Not Allowed' });
    expect(reply.headers).toMatchObject({ Allow: 'POST' });
  });

  const FORGED = '0'.repeat(64);
  it.each<[string, Sender, (headers: Record<string, string>) => object]>([
    [
      'which the single form of v1 hides',
      'API Gateway v1',
      (headers) => {
        const twice = { 'X-Webhook-Signature': [FORGED, headers['X-Webhook-Signature'] ?? ''] };
        return { multiValueHeaders: { ...lists(headers), ...twice } };
      },
    ],
    [
      'which v2 joins',
      'API Gateway v2',
      (headers) => {
        const joined = { 'x-webhook-signature': `${FORGED},${headers['X-Webhook-Signature']}` };
        return { headers: { ...lower(headers), ...joined } };
      },
    ],
  ])('sees a header sent twice, %s', async (_how, sender, change) => {
    const { reply } = await answerTo(await eventFrom(sender, change(await headersOf())));
    expect(reply).toMatchObject({ statusCode: 400, body: 'duplicate_header' });
  });

  it.each([
    ['eyJ9', 'the secret is another one'], // a stranger's body, which looks like base64
    [null, 'the body is empty'],
    [undefined, 'the body is empty'],
    ['', 'the body is empty'],
  ])('refuses a delivery whose body is %j', async (body, message) => {
    const { reply, reports } = await answerTo(await eventFrom('API Gateway v2', { body }));
    expect(reply).toMatchObject({ statusCode: 401, body: 'signature_mismatch' });
    expect(reports[0]?.message).toContain(message);
  });

  it.each<[string, object, RegExp]>([
    ['text that is called base64', { isBase64Encoded: true }, /isBase64Encoded is true, but the body is not base64/],
    ['base64 with a character too many', { body: `${BASE64}\n`, isBase64Encoded: true }, /is not base64/],
    ['a flag that is text', { isBase64Encoded: 'false' }, /isBase64Encoded is neither true nor false/],
  ])('answers 500 to %s, and reports the way out', async (_name, change, message) => {
    const { reply, reports, calls } = await answerTo(await eventFrom('API Gateway v1', change));
    expect(reply).toMatchObject({ statusCode: 500, body: 'setup' });
    expect(reports).toMatchObject([
      { reason: 'setup', status: 500, deliveryId: 'dlv_1', message: expect.stringMatching(message) },
    ]);
    expect(calls).toEqual([]);
  });

  it('answers 400 to a body that a parser made an object of, and reports the way out', async () => {
    const { reply, reports, calls } = await answerTo(await eventFrom('API Gateway v1', { body: paidBody }));
    expect(reply).toMatchObject({ statusCode: 400, body: 'body_already_parsed' });
    const message = expect.stringMatching(/parsed before.*Lambda: use a proxy integration/s);
    expect(reports).toMatchObject([{ reason: 'body_already_parsed', status: 400, message }]);
    expect(calls).toEqual([]);
  });

  it('refuses a body beyond the limit before it decodes it', async () => {
    const body = 'A'.repeat(400_000);
    const { reply } = await answerTo(await eventFrom('a function URL', { body }));
    expect(reply).toMatchObject({ statusCode: 413, body: 'body_too_large' });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['text', 'POST'],
    ['an empty object', {}],
    ['a list', []],
    ['a queue message', { Records: [{ eventSource: 'aws:sqs', body: TEXT }] }],
    ['a schedule', { 'detail-type': 'Scheduled Event', source: 'aws.events' }],
    ['a v2 context without a method', { requestContext: { http: {} } }],
  ])('answers 500 to %s, and reports what a proxy integration is', async (_name, event) => {
    const { reply, reports } = await answerTo(event);
    expect(reply).toMatchObject({ statusCode: 500, body: 'setup' });
    expect(reports).toMatchObject([
      { reason: 'setup', message: expect.stringMatching(/Lambda: connect this function by a proxy integration/) },
    ]);
  });
});
