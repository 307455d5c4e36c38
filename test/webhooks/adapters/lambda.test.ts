import { expect, it } from 'vitest';
import { type LambdaEvent, signWebhook, toLambdaHandler } from '../../../src/webhooks/index.ts';
import { endpoint, paidBody } from '../endpoint.ts';
import { NOW, SECRET } from '../vectors.ts';

// What is special to the events of AWS. What all adapters share is in every-adapter.test.ts.

const TEXT = JSON.stringify({ ...paidBody, note: 'é – ü' });
const BASE64 = Buffer.from(TEXT).toString('base64');
const SIGNED = { ...(await signWebhook(TEXT, SECRET, { id: 'dlv_1', timestamp: NOW })), Host: 'shop.test' };
const changed = <Value>(headers: object, change: (name: string, value: string) => [string, Value]) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => change(name, value)));
const LISTS = changed(SIGNED, (name, value) => [name, [value]]);
const LOWER = changed(SIGNED, (name, value) => [name.toLowerCase(), value]);

// The members that AWS documents for each sender, as far as they matter.
const BALANCER = { httpMethod: 'POST', requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:…' } } };
const V2 = { version: '2.0', headers: LOWER, requestContext: { http: { method: 'POST' } } };
const PLAIN = { body: TEXT, isBase64Encoded: false };
const V1: LambdaEvent = {
  httpMethod: 'POST',
  headers: SIGNED,
  multiValueHeaders: LISTS,
  requestContext: {},
  ...PLAIN,
};

async function responseTo(event: unknown) {
  const shop = endpoint();
  const reply = await toLambdaHandler(shop.handler)(event as LambdaEvent); // junk on purpose
  return { ...shop, reply };
}

const HEADERS = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
const HEADER_LISTS = changed(HEADERS, (name, value) => [name, [value]]);
const STATUS = { statusCode: 200 };
it.each<[string, LambdaEvent, object]>([
  ['API Gateway v1', V1, { statusCode: 200, headers: HEADERS }],
  ['API Gateway v2', { ...V2, ...PLAIN }, { statusCode: 200, headers: HEADERS }],
  ['a function URL', { ...V2, body: BASE64, isBase64Encoded: true }, { statusCode: 200, headers: HEADERS }],
  ['a load balancer', { ...BALANCER, headers: LOWER, ...PLAIN }, { ...STATUS, headers: HEADERS }],
  [
    'a load balancer with multi-value headers',
    { ...BALANCER, multiValueHeaders: changed(LOWER, (name, value) => [name, [value]]), ...PLAIN },
    { ...STATUS, multiValueHeaders: HEADER_LISTS },
  ],
])('a delivery that comes by %s is handled, and answered in its own shape', async (_sender, event, response) => {
  const { reply, calls } = await responseTo(event);
  expect(reply).toEqual({ ...response, body: 'done', isBase64Encoded: false });
  expect(calls).toEqual(['paid order-1042']);
});

it('another method of a load balancer is answered 405 with Allow', async () => {
  const { reply } = await responseTo({ ...BALANCER, httpMethod: 'GET', headers: LOWER, body: null });
  expect(reply).toMatchObject({ statusCode: 405 });
  expect(reply.headers).toMatchObject({ Allow: 'POST' });
});

const TWICE = { ...LISTS, 'X-Webhook-Signature': ['0'.repeat(64), SIGNED['X-Webhook-Signature']] };
const PROXY = /Lambda: connect this function by a proxy integration/;
it.each<[string, unknown, number, string, RegExp]>([
  [
    'a header twice, which the single form of v1 hides',
    { ...V1, multiValueHeaders: TWICE },
    400,
    'duplicate_header',
    /twice|more than once/,
  ],
  [
    'a body of a stranger that looks like base64',
    { ...V1, body: 'eyJ9' },
    401,
    'signature_mismatch',
    /receiver has another secret/,
  ],
  ['no body member', { ...V1, body: undefined }, 401, 'signature_mismatch', /The body is empty/],
  [
    'text that is called base64',
    { ...V1, isBase64Encoded: true },
    500,
    'setup',
    /isBase64Encoded is true, but the body is not base64/,
  ],
  [
    'base64 with a character too many',
    { ...V1, body: `${BASE64}\n`, isBase64Encoded: true },
    500,
    'setup',
    /is not base64/,
  ],
  [
    'a flag that is text',
    { ...V1, isBase64Encoded: 'false' },
    500,
    'setup',
    /isBase64Encoded is neither true nor false/,
  ],
  [
    'a body that a parser made an object of',
    { ...V1, body: paidBody },
    400,
    'body_already_parsed',
    /parsed before.*Lambda: use a proxy integration/s,
  ],
  [
    'a body beyond the limit, before it is looked at',
    { ...V1, body: '!'.repeat(400_000), isBase64Encoded: true },
    413,
    'body_too_large',
    /262144/,
  ],
  ...[undefined, null, 'POST', {}, []].map((event): [string, unknown, number, string, RegExp] => [
    `the event ${JSON.stringify(event)}`,
    event,
    500,
    'setup',
    PROXY,
  ]),
  ['a schedule', { 'detail-type': 'Scheduled Event', source: 'aws.events' }, 500, 'setup', PROXY],
  ['a v2 context without a method', { requestContext: { http: {} } }, 500, 'setup', PROXY],
])('%s is refused, and the remedy reported', async (_title, event, statusCode, reason, message) => {
  const { reply, reports, calls } = await responseTo(event);
  expect(reply).toMatchObject({ statusCode, body: reason });
  expect(reports).toMatchObject([{ reason, status: statusCode, message: expect.stringMatching(message) }]);
  expect(calls).toEqual([]);
});

const LATTICE_1 = { raw_path: '/webhook', method: 'POST', headers: LOWER, body: TEXT, is_base64_encoded: false };
const LATTICE_2 = {
  version: '2.0',
  path: '/webhook',
  method: 'POST',
  headers: changed(LOWER, (name, value) => [name, [value]]),
  body: BASE64,
  isBase64Encoded: true,
  requestContext: { serviceNetworkArn: 'arn:aws:vpc-lattice:…' },
};
it.each<[string, object]>([
  ['v1', LATTICE_1],
  ['v2', LATTICE_2],
])('a delivery that comes by VPC Lattice %s is handled', async (_form, event) => {
  const { reply, calls } = await responseTo(event);
  expect([reply.statusCode, calls]).toEqual([200, ['paid order-1042']]);
});

// Nobody reads a response there: what returns is deleted, and an error keeps the message.
it.each<[string, object]>([
  ['SQS', { Records: [{ eventSource: 'aws:sqs', messageId: '1', body: TEXT, attributes: {}, messageAttributes: {} }] }],
  ['SNS', { Records: [{ EventSource: 'aws:sns', Sns: { Message: TEXT, MessageAttributes: {} } }] }],
  ['Amazon MQ', { eventSource: 'aws:mq', messages: [{ data: '' }] }],
  ['RabbitMQ', { eventSource: 'aws:rmq', rmqMessagesByQueue: {} }],
  ['Kafka', { eventSource: 'aws:kafka', records: {} }],
  ['a Kafka of your own', { eventSource: 'SelfManagedKafka', records: {} }],
  ['EventBridge Pipes', [{ eventSource: 'aws:sqs', messageId: '1', body: TEXT }]],
  ['EventBridge', { version: '0', source: 'payments', 'detail-type': 'webhook', detail: JSON.parse(TEXT) }],
])('an event of %s makes the function throw, and is reported', async (_sender, event) => {
  const shop = endpoint();
  await expect(toLambdaHandler(shop.handler)(event as LambdaEvent)).rejects.toMatchObject({
    kind: 'configuration',
    message: expect.stringContaining('Verify the webhook where its HTTP request arrives'),
  });
  expect(shop.reports).toMatchObject([{ reason: 'setup', message: expect.stringContaining('keeps the message') }]);
});

it.each<[string, unknown]>([
  ['a schedule', { version: '0', source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} }],
  ['a warm-up ping', { warmup: true }],
  ['nothing', null],
])('%s is answered 500, and does not throw', async (_name, event) => {
  expect((await responseTo(event)).reply).toMatchObject({ statusCode: 500, body: 'setup' });
});
