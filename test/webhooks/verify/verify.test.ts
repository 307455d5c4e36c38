import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebhookVerificationError } from '../../../src/errors/classes.ts';
import type { WebhookReason } from '../../../src/errors/codes.ts';
import {
  createWebhookHandler,
  Decimal,
  memoryStore,
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookSecret,
} from '../../../src/webhooks/index.ts';
import { RUNTIMES } from '../runtimes.ts';
import { headersOf, ISO_VECTORS, MIXED, NOW, PAID, PAID_HEADERS, SECRET, UNICODE, UUID, VECTORS } from '../vectors.ts';

const HEX = VECTORS[0].signature;
const BASE64 = VECTORS[1].signature;
// printf '%s' '1767225600.{…}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:00ff80fe000102030405060708090a0b
const KEY = Buffer.from('00ff80fe000102030405060708090a0b', 'hex');
const KEY_SIGNATURE = '04cdc31c91278ce990aa0c44e431684d809d6c64bf337d5e06d0f67f879fc239';
const BYTES = new TextEncoder().encode(PAID);

interface Delivery {
  readonly body?: unknown;
  /** Replaces the signature of the vector. */
  readonly signature?: string;
  /** Signed for real, so that the form of the timestamp alone can be the reason. */
  readonly timestamp?: string;
  readonly headers?: unknown;
  readonly secret?: unknown;
  readonly options?: VerifyWebhookOptions;
}

/** Verifies a delivery of PAID now, changed as told. */
async function verify({ body = PAID, secret = SECRET, options = {}, ...delivery }: Delivery) {
  const { signature, timestamp } = delivery;
  const signed = signature !== undefined ? headersOf(signature, timestamp) : PAID_HEADERS;
  const ours =
    signature === undefined && timestamp !== undefined
      ? { ...(await signWebhook(PAID, SECRET, { timestamp })) }
      : signed;
  const headers = 'headers' in delivery ? delivery.headers : ours;
  // What is not of the types is refused as well.
  return await verifyWebhook(body as string, headers as Headers, secret as WebhookSecret, { now: NOW, ...options });
}

/** The error of a refusal, which shows no secret and no order. */
async function refusal(verified: Promise<unknown>): Promise<WebhookVerificationError> {
  const error = await verified.then(
    () => 'accepted',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof WebhookVerificationError)) throw new Error(`expected a refusal, got ${String(error)}`);
  expect(error.code).toBe(`SDK_WEBHOOK_${error.reason.toUpperCase()}`);
  expect(error.message).not.toMatch(/whsec_|order-1042/);
  return error;
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const PREFIXES = ['', 'sha256=', 'SHA256=', 'Sha256=', 'sha256:', 'hmac-sha256=', 'v1='];
const SPELLINGS = [HEX, HEX.toUpperCase(), BASE64, BASE64.slice(0, 43)];
const HEADERS = Object.entries(PAID_HEADERS);
const padded = new Uint8Array([0, 0, ...BYTES, 0]);

const ACCEPTED: readonly (readonly [title: string, delivery: Delivery])[] = [
  ...[...VECTORS, ...ISO_VECTORS].map((vector) => [`the vector of ${vector.timestamp}`, vector] as const),
  ...PREFIXES.flatMap((prefix) =>
    SPELLINGS.map((text) => [`the signature ${prefix}${text.slice(0, 9)}…`, { signature: prefix + text }] as const),
  ),
  ['a signature in the alphabet of URLs', { signature: MIXED.base64url, timestamp: MIXED.timestamp }],
  ['a body and a secret beyond ASCII', { body: UNICODE.body, secret: UNICODE.secret, signature: UNICODE.signature }],
  ['a secret as bytes', { secret: new TextEncoder().encode(SECRET) }],
  ['a secret as a Buffer', { secret: Buffer.from(SECRET) }],
  ['a secret beyond text', { secret: KEY, signature: KEY_SIGNATURE }],
  ['a secret in a list', { secret: ['whsec_new', Buffer.from(SECRET)] }],
  ['headers as Headers', { headers: new Headers(PAID_HEADERS) }],
  ['headers in capitals', { headers: Object.fromEntries(HEADERS.map(([name, value]) => [name.toUpperCase(), value])) }],
  ['headers as lists', { headers: Object.fromEntries(HEADERS.map(([name, value]) => [name, [value]])) }],
  ['headers without a prototype', { headers: Object.assign(Object.create(null), PAID_HEADERS) }],
  ['headers as pairs', { headers: HEADERS }],
  ['headers as a map', { headers: new Map(HEADERS) }],
  ['headers as a flat list, as rawHeaders', { headers: HEADERS.flat() }],
  [
    'an unsigned header that names another event',
    { headers: { ...PAID_HEADERS, 'X-Webhook-Event': 'invoice.canceled' } },
  ],
  ['a body as a Buffer', { body: Buffer.from(PAID) }],
  ['a body as a Uint8Array', { body: BYTES }],
  ['a body as a view into a larger buffer', { body: padded.subarray(2, 2 + BYTES.length) }],
  ['a body as a DataView', { body: new DataView(padded.buffer, 2, BYTES.length) }],
  ['a body as an ArrayBuffer', { body: BYTES.slice().buffer }],
  ['a body of exactly the limit', { options: { maxBodySize: BYTES.length } }],
  ['hex where it is pinned', { options: { encoding: 'hex' } }],
  ['base64 where it is pinned', { signature: BASE64, options: { encoding: 'base64' } }],
  [
    'base64 of URLs where base64 is pinned',
    { signature: MIXED.base64url, timestamp: MIXED.timestamp, options: { encoding: 'base64' } },
  ],
  ...[300_000, -300_000].map((age) => [`an age of ${age} ms`, { options: { now: NOW + age } }] as const),
  ['an age of 15 minutes where they are tolerated', { options: { now: new Date(NOW + 900_000), tolerance: 900_000 } }],
];

describe.each(RUNTIMES)('verifyWebhook with $runtime', ({ enter }) => {
  beforeEach(enter);

  it.each(ACCEPTED)('accepts %s', async (_title, delivery) => {
    const { secret, body } = delivery;
    const type = body === UNICODE.body ? 'invoice.canceled' : 'invoice.paid';
    const secretIndex = Array.isArray(secret) ? 1 : 0;
    expect(await verify(delivery)).toMatchObject({ type, source: 'webhook', id: 'dlv_1', secretIndex });
  });

  it('gives the whole event', async () => {
    expect(await verify({})).toEqual({
      type: 'invoice.paid',
      source: 'webhook',
      id: 'dlv_1',
      invoice_uuid: UUID,
      external_id: 'order-1042',
      order: 'order-1042',
      renewal: 0,
      status: 'success',
      amount: new Decimal('25'),
      credited_usdt: new Decimal('26.91'),
      adjusted: false,
      original_amount: null,
      signed_at: new Date(NOW),
      secretIndex: 0,
      raw: JSON.parse(PAID),
    });
  });

  it('reads the bytes and the secret that it was given, whatever their buffers hold by then', async () => {
    const [body, secret] = [BYTES.slice(), Buffer.from(SECRET)];
    const verified = verify({ body, secret: ['whsec_new', secret] });
    body.set(new TextEncoder().encode(PAID.replace('order-1042', 'order-9999')));
    secret.fill(0);
    expect(await verified).toMatchObject({ external_id: 'order-1042', secretIndex: 1 });
    expect(await refusal(verify({ secret }))).toMatchObject({ reason: 'signature_mismatch' });
  });

  it('copies a Buffer too, whose slice() is a view: one that is wiped must not make a key of zeros', async () => {
    const secrets = [Buffer.from(SECRET), Buffer.from(SECRET)] as const;
    const functions = { onPaid() {}, onAdjusted() {}, onCanceled() {}, onReport() {} };
    const handlers = [secrets[0], ['whsec_new', secrets[1]]].map((secret) =>
      createWebhookHandler({ secret, store: memoryStore(), now: () => NOW, ...functions }),
    );
    for (const secret of secrets) secret.fill(0);
    const zeros = { ...(await signWebhook(PAID, new Uint8Array(SECRET.length), { timestamp: '1767225600' })) };
    for (const handler of handlers) {
      const reply = (headers: Record<string, string>) => handler.handle({ method: 'POST', headers, body: PAID });
      expect(await reply(zeros)).toMatchObject({ status: 401, body: 'signature_mismatch' });
      expect(await reply(PAID_HEADERS)).toMatchObject({ status: 200 });
    }
  });
});

type Refusal = readonly [title: string, delivery: Delivery, message?: string | RegExp];
const REFUSED: Partial<Record<WebhookReason, readonly Refusal[]>> = {
  malformed_signature: [
    ['a bad character in hex', { signature: `${HEX.slice(0, 63)}g` }],
    ['hex and more', { signature: `${HEX}00` }],
    ['hex cut short', { signature: HEX.slice(0, 62) }],
    ['hex and one more', { signature: `${HEX}0` }, /It has 65 characters of another form\.$/],
    ['white space before a signature', { signature: ` ${HEX}` }],
    ['white space after one', { signature: `${HEX} ` }, /or nothing\. It has 65 .*\. It has white space around it\.$/],
    ['0x', { signature: `0x${HEX.slice(2)}` }],
    ['white space in base64', { signature: `${BASE64.slice(0, 20)} ${BASE64.slice(20)}` }],
    ['a mix of both alphabets', { signature: MIXED.base64.replace('+', '-') }],
    ['a last character of base64url that is not canonical', { signature: `${MIXED.base64url.slice(0, 42)}5` }],
    ['one of base64 with padding', { signature: 'YRfH6P1yuLhXZfl9+kjEO1fxThaEU7Ka+zKbZhvUm8J=' }],
    ['one of base64 without padding', { signature: 'YRfH6P1yuLhXZfl9+kjEO1fxThaEU7Ka+zKbZhvUm8K' }],
    ['too much padding', { signature: `${BASE64}=` }],
    ['base64 of 33 bytes', { signature: `${BASE64.slice(0, 43)}A` }],
    ['another prefix', { signature: `sha512=${HEX}` }],
    ['a prefix with another separator', { signature: `v1;${HEX}` }],
    ['a prefix that does not begin the text', { signature: `t=1767225600;v1=${HEX}` }],
    ['two prefixes', { signature: `v1=sha256=${HEX}` }],
    ['a blank after the prefix', { signature: `v1= ${HEX}` }],
    ['the prefix in letters that look alike', { signature: `ſha256=${HEX}` }],
    ['the prefix alone', { signature: 'sha256=' }],
    ['full-width digits', { signature: HEX.replace('6', '６') }],
    ['hex for base64', { options: { encoding: 'base64' } }, /signature in base64.*It is hex/],
    ['base64 for hex', { signature: BASE64, options: { encoding: 'hex' } }, /signature in hex.*It is base64/],
    ['base64url for hex', { signature: MIXED.base64url, options: { encoding: 'hex' } }, /It is base64/],
  ],
  malformed_timestamp: [
    ...[
      ...['abc', '176722560', '1767225600000000', '+1767225600', '1767225600 ', '1.7672256e9', '0x69557200'],
      ...['1767225600.', '1767225600.1234567890', '1767225600.5e1', '９'.repeat(10), '9'.repeat(400), '2026-01-01'],
      ...['2026-01-01T00:00:00.', '2026-01-01T00:00:00.1234567890', '2026-01-01T00:00:00+0', '2026-02-30T00:00:00Z'],
      ...['2026-01-01t00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01T00:00:00+24:00', 'Thu 01 Jan 2026 00:00:00'],
    ].map((timestamp): Refusal => [`the time ${timestamp.slice(0, 40)}`, { timestamp }]),
    ['the time yesterday', { timestamp: 'yesterday' }, /ISO 8601. It has 9 characters of another form\.$/],
    ['seconds for ISO', { options: { timestampFormat: 'iso' } }, /must be iso\. It is in seconds/],
    ['seconds for milliseconds', { options: { timestampFormat: 'milliseconds' } }],
    ['milliseconds for seconds', { timestamp: '1767225600000', options: { timestampFormat: 'seconds' } }],
    ['ISO for seconds', { timestamp: '2026-01-01T00:00:00Z', options: { timestampFormat: 'seconds' } }],
  ],
  missing_header: HEADERS.flatMap(([name]) =>
    [undefined, '', null, []].map((value): Refusal => {
      return [`${name} as ${JSON.stringify(value)}`, { headers: { ...PAID_HEADERS, [name]: value } }];
    }),
  ),
  duplicate_header: HEADERS.flatMap(([name, value]) => [
    [`${name} twice in a list`, { headers: { ...PAID_HEADERS, [name]: [value, 'evil'] } }],
    [`${name} twice in one text`, { headers: { ...PAID_HEADERS, [name]: `${value}, evil` } }],
    [`${name} after another value`, { headers: { ...PAID_HEADERS, [name]: `evil,${value}` } }],
    [`${name} in two cases`, { headers: { ...PAID_HEADERS, [name.toUpperCase()]: value } }],
    [`${name} in two pairs`, { headers: [...HEADERS, [name, value]] }],
    [`${name} twice in a flat list`, { headers: [...HEADERS, [name, value]].flat() }],
    [`${name} twice in Headers`, { headers: new Headers([...HEADERS, [name, value]]) }],
  ]),
  body_already_parsed: [
    ['a parsed body', { body: JSON.parse(PAID) }],
    ['a list as body', { body: [1] }],
    ['null as body', { body: null }],
    ['a number as body', { body: 5 }],
    ['a request as body', { body: new Request('http://localhost/', { method: 'POST', body: PAID }) }],
  ],
  body_too_large: [
    ['a text beyond the limit', { options: { maxBodySize: BYTES.length - 1 } }],
    ['bytes beyond the limit', { body: BYTES, options: { maxBodySize: BYTES.length - 1 } }],
    ['more bytes than characters', { body: 'é'.repeat(131_073) }],
  ],
  signature_mismatch: [
    ['a delivery for other secrets', { secret: ['whsec_a', 'whsec_b'] }, 'receiver has another secret'],
    ['a delivery for another secret', { secret: 'whsec_y' }, 'receiver has another secret'],
    ['one of which the age means nothing', { secret: 'whsec_y', options: { now: NOW + 86_400_000 } }],
    ['an empty body', { body: '' }, 'The body is empty'],
    [
      'a body of another length than was announced',
      { body: ' ', headers: { ...PAID_HEADERS, 'content-length': '155' } },
      'another length than Content-Length says',
    ],
  ],
  timestamp_too_old: [
    ['an age of a millisecond too much', { options: { now: NOW + 300_001 } }, '5 minutes old, and the tolerance is 5'],
    ['half a minute', { options: { now: () => new Date(NOW + 30_001), tolerance: 30_000 } }, 'is 30 seconds old'],
    ['nine minutes', { options: { now: NOW + 540_000 } }, 'is 9 minutes old'],
    ['three hours', { options: { now: NOW + 3 * 3_600_000 } }, 'is 3 hours old'],
    ['two days', { options: { now: NOW + 50 * 3_600_000 } }, 'is 2 days old'],
  ],
  timestamp_too_new: [
    ['a lead of a millisecond too much', { options: { now: NOW - 300_001 } }],
    ['nine minutes', { options: { now: NOW - 540_000 } }, "is 9 minutes ahead of this machine's clock"],
  ],
};
const REFUSALS = Object.entries(REFUSED).flatMap(([reason, rows]) =>
  rows.map(([title, delivery, message = '']) => [reason, title, delivery, message] as const),
);

it.each(REFUSALS)('verifyWebhook refuses, as %s, %s', async (reason, _title, delivery, message) => {
  const error = await refusal(verify(delivery));
  expect(error).toMatchObject({ reason, message: expect.stringMatching(message) });
});

it.each([
  ['1767225600.0', 0],
  ['1767225600.123', 123],
  ['1767225600.1234567', 123],
  ['1767225600.5', 500],
  ['1767225600.999999999', 1000],
  ['1767225600000', 0],
  ['2026-01-01 00:00:00Z', 0],
  ['2026-01-01 00:00:00.250+00:00', 250],
  ['2026-01-01T00:00:00', 0],
  ['2026-01-01 00:00:00.123456', 123],
  ['2026-01-01T00:00:00+0000', 0],
  ['2026-01-01T00:00:00+00', 0],
  ['2025-12-31T19:00:00-05', 0],
  ['2026-01-01T05:30:00.5+0530', 500],
])(
  'a delivery of the time %s was signed %i ms after midnight, also where its format is pinned',
  async (timestamp, fraction) => {
    const pinned = timestamp.includes('-') ? 'iso' : timestamp.length === 13 ? 'milliseconds' : 'seconds';
    for (const timestampFormat of [undefined, pinned] as const) {
      const { signed_at } = await verify({ timestamp, options: { timestampFormat } });
      expect(signed_at).toEqual(new Date(NOW + fraction));
    }
  },
);

it.each([
  ...['1767225600', '1767225600.123', '1767225600.000000001', '1767225600000', '2026-01-01T00:00:00.5'],
  ...['2026-01-01T00:00:00.123Z', '2026-01-01 00:00:00.5+00:00'],
])('the time %s and its body give an event with one cut between them, and with no other', async (timestamp) => {
  // The signed text is "{timestamp}.{body}", and the cut itself is not signed. Dots in the body as well.
  for (const body of [PAID, ` \n${PAID}`, PAID.replace('{', '{"a.1":"2.{}",')]) {
    const headers = { ...(await signWebhook(body, SECRET, { id: 'i', timestamp })) };
    const signed = `${timestamp}.${body}`;
    const accepted: string[] = [];
    for (let cut = signed.indexOf('.'); cut >= 0; cut = signed.indexOf('.', cut + 1)) {
      const moved = { ...headers, 'X-Webhook-Timestamp': signed.slice(0, cut) };
      const ended = await verify({ body: signed.slice(cut + 1), headers: moved }).catch((error: unknown) => error);
      if (!(ended instanceof WebhookVerificationError)) accepted.push(signed.slice(0, cut));
    }
    expect(accepted).toEqual([timestamp]);
  }
});

it('the age of a delivery is measured by the clock of the machine where no other is given', async () => {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(NOW + 300_000);
  await expect(verifyWebhook(PAID, PAID_HEADERS, SECRET)).resolves.toBeDefined();
  clock.mockReturnValue(NOW + 300_001);
  expect(await refusal(verifyWebhook(PAID, PAID_HEADERS, SECRET))).toMatchObject({ reason: 'timestamp_too_old' });
});

it('a body is not parsed before its signature holds and its age is right', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  await refusal(verify({ signature: '0'.repeat(64) }));
  await refusal(verify({ options: { now: NOW + 600_000 } }));
  expect(parse).not.toHaveBeenCalled();
});

it('a signed body of invalid UTF-8 is malformed, and one with a byte-order mark is read', async () => {
  const deliver = async (body: Uint8Array) =>
    verify({ body, headers: { ...(await signWebhook(body, SECRET, { timestamp: NOW })) } });
  expect(await refusal(deliver(new Uint8Array([0x22, 0xff, 0x22])))).toMatchObject({ reason: 'malformed_payload' });
  await expect(deliver(Buffer.from(`\uFEFF${PAID}`))).resolves.toBeDefined();
});

const PADDED =
  'secret has white space around it, such as a line break at its end. Trim it. Give a secret that truly has this form as bytes';
const noSecret = (name: string, shown: string) =>
  `${name} must be a string, a Uint8Array or a list of them, not ${shown}. Is the environment variable set? The secret is in the dashboard`;
const fails = (): never => {
  throw new Error('no clock');
};
const ORDER_PATH =
  'verifyWebhook: orderIdMember must be the name of a payload member, or a path such as "order.id", or omitted';
const EVENT_PATH =
  'verifyWebhook: eventMember must be the name of a payload member, a path such as "event.type", or null, or omitted';
const CONFIGURATIONS: readonly (readonly [message: string, options: unknown, secret?: unknown])[] = [
  [
    'verifyWebhook: options has no "tolerence"; it has tolerance, now, encoding, timestampFormat, orderIdMember, eventMember, adjustedMember, adjustedAbsent, sandbox, maxBodySize',
    { tolerence: 300_000 },
  ],
  ['verifyWebhook: options must be an object, not null', null],
  ...[29_999, 900_001, '60000'].map(
    (tolerance) =>
      [
        'verifyWebhook: tolerance must be 30000 to 900000 milliseconds: 30 seconds to 15 minutes',
        { tolerance },
      ] as const,
  ),
  ['verifyWebhook: encoding must be "hex" or "base64"', { encoding: 'utf8' }],
  ['verifyWebhook: timestampFormat must be "seconds" or "milliseconds" or "iso"', { timestampFormat: 'auto' }],
  ['verifyWebhook: maxBodySize must be a whole number from 1, not 0', { maxBodySize: 0 }],
  ...['', '.', 'order.', '.id', 'order..id', 7, null].map((orderIdMember) => [ORDER_PATH, { orderIdMember }] as const),
  ...['', '.', 'event.', 7].map((eventMember) => [EVENT_PATH, { eventMember }] as const),
  ['now must be a Date, milliseconds since 1970, or a function that returns one of them', { now: '5' }],
  ['The now function threw', { now: fails }],
  ['secret has no bytes', {}, new Uint8Array()],
  [PADDED, {}, 'whsec_x\n'],
  [PADDED, {}, '\uFEFFwhsec_x'],
  ['secret is an empty list: give at least one secret', {}, []],
  [noSecret('secret', '7'), {}, 7],
  [noSecret('secret', 'an object'), {}, new ArrayBuffer(32)],
  [noSecret('secret[1]', 'an empty string'), {}, ['a', '']],
];

it.each(CONFIGURATIONS)('verifyWebhook says: %s. (%j)', async (message, options, secret = SECRET) => {
  const verified = verifyWebhook(PAID, PAID_HEADERS, secret as never, options as never); // what the types refuse
  await expect(verified).rejects.toMatchObject({ kind: 'configuration', message: `${message}.` });
});

it('verifyWebhook says that its arguments cannot be read where a getter of theirs throws', async () => {
  const options = Object.defineProperty({}, 'now', { get: fails, enumerable: true });
  const verified = verifyWebhook(PAID, PAID_HEADERS, SECRET, options);
  await expect(verified).rejects.toMatchObject({
    kind: 'configuration',
    message: 'verifyWebhook: its arguments cannot be read.',
  });
});

describe('a secret that is not written', () => {
  const functions = { store: memoryStore(), now: () => NOW, onPaid() {}, onAdjusted() {}, onCanceled() {} };
  const reply = () => createWebhookHandler(functions).handle({ method: 'POST', headers: PAID_HEADERS, body: PAID });
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    return () => void vi.useRealTimers();
  });

  it('is that of the environment, for verifyWebhook and a handler', async () => {
    vi.stubEnv('MERCHANT_WEBHOOK_SECRET', SECRET);
    expect(await verifyWebhook(PAID, PAID_HEADERS)).toMatchObject({ external_id: 'order-1042', secretIndex: 0 });
    expect(await reply()).toMatchObject({ status: 200 });
    vi.stubEnv('MERCHANT_WEBHOOK_SECRET', 'whsec_of_another_business');
    expect(await refusal(verifyWebhook(PAID, PAID_HEADERS))).toMatchObject({ reason: 'signature_mismatch' });
    expect(await reply()).toMatchObject({ status: 401 });
  });

  it.each<[string | undefined, string]>([
    [undefined, 'secret is missing: give it, or set MERCHANT_WEBHOOK_SECRET (Node reads an .env file only with'],
    ['', 'MERCHANT_WEBHOOK_SECRET must be a string, a Uint8Array or a list of them, not an empty string'],
    [' padded', 'MERCHANT_WEBHOOK_SECRET has white space around it'],
  ])('is missed by both where the variable is %j', async (value, problem) => {
    vi.stubEnv('MERCHANT_WEBHOOK_SECRET', value);
    const error = { kind: 'configuration', message: expect.stringContaining(problem) };
    await expect(verifyWebhook(PAID, PAID_HEADERS)).rejects.toMatchObject(error);
    await expect((async () => reply())()).rejects.toMatchObject(error);
  });

  it('is none where undefined is written: the variable could be that of another business', async () => {
    vi.stubEnv('MERCHANT_WEBHOOK_SECRET', SECRET);
    const none = undefined as unknown as WebhookSecret; // wrong on purpose
    const error = { kind: 'configuration', message: expect.stringContaining('secret must be a string') };
    await expect(verifyWebhook(PAID, PAID_HEADERS, none)).rejects.toMatchObject(error);
    expect(() => createWebhookHandler({ ...functions, secret: none })).toThrow('secret must be a string');
  });

  it('is missed where the environment may not be read, as in Deno without its permission', async () => {
    const denied = {
      get env(): never {
        throw new Error('NotCapable: Requires env access');
      },
    };
    vi.stubGlobal('process', denied);
    try {
      await expect(verifyWebhook(PAID, PAID_HEADERS)).rejects.toThrow('secret is missing');
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

it('the public secret of the sandbox is said loudly, once, whatever the environment is called', () => {
  const lines: string[] = [];
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line));
  vi.stubEnv('MERCHANT_SANDBOX', undefined);
  const functions = { store: memoryStore(), onPaid() {}, onAdjusted() {}, onCanceled() {}, onReport() {} };
  for (const name of ['production', 'prod', undefined]) {
    vi.stubEnv('NODE_ENV', name);
    createWebhookHandler({ ...functions, secret: ['whsec_5Tg8', 'whsec_sandbox'] });
    createWebhookHandler({ ...functions, secret: 'whsec_sandbox' });
  }
  expect(lines.filter((line) => line.includes('whsec_sandbox'))).toEqual([
    expect.stringMatching(/whsec_sandbox, which everybody knows.*are refused/),
  ]);
});
