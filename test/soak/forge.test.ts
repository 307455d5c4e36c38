import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createWebhookHandler,
  memoryStore,
  verifyWebhook,
  WebhookVerificationError,
} from '../../src/webhooks/index.ts';
import { below, oneOf, type Random, randomOf } from '../support/random.ts';
import { AGAIN, SEED } from '../support/seed.ts';
import { soaked } from './size.ts';

// Genuine deliveries, changed as an attacker without the secret can change them. The receiver must accept only the bytes
// and timestamps of genuine ones.

interface Delivery {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}
/** Accepted, or the reason why not. */
type Receiver = (delivery: Delivery) => Promise<string>;
type Mutation = (delivery: Delivery, random: Random, other: Delivery) => Delivery;

const NOW = 1_767_225_600_000; // 2026-01-01T00:00:00Z, when all of them were signed
/** A text and a binary key. */
const SECRETS = ['whsec_of_the_receiver_1', Uint8Array.from({ length: 32 }, (_, index) => (index * 37) & 255)];
const [SIGNATURE, TIMESTAMP] = ['X-Webhook-Signature', 'X-Webhook-Timestamp'];
const NAMES = ['X-Webhook-Id', SIGNATURE, TIMESTAMP];

const UUID = '3f2a9c1e-7b54-4d8e-9a10-6c2f5e8b7d41';
// Typed by hand from the interface, "Payload members". Some have dots and digits that look like the end of a timestamp.
/** An invoice each: two orders under one uuid would be a key of another order. */
const uuidOf = (n: number): string => `${UUID.slice(0, -1)}${n}`;
const BODIES = [
  `{"invoice_uuid":"${uuidOf(0)}","external_id":"order-1042","status":"success","amount":"25.00","credited_usdt":"26.91","adjusted":false}`,
  `{"event":"invoice.paid","invoice_uuid":"${uuidOf(1)}","external_id":"order-1043","status":"success","amount":"17.00","credited_usdt":"18.30","adjusted":true,"original_amount":"25.00"}`,
  `{"event":"invoice.canceled","data":{"invoice_uuid":"${uuidOf(2)}","external_id":"1.{}","status":"expired","amount":"25.00"}}`,
  `{"1.5.{}":"1767225600.{","invoice_uuid":"${uuidOf(3)}","external_id":"order-é-世","status":"success","amount":12.5,"credited_usdt":"0.1","adjusted":false}`,
  ` \n{"invoice_uuid":"${uuidOf(4)}", "external_id":"o", "status":"fail", "amount":"1"}\n`,
];
const TIMES = [
  '1767225600',
  '1767225600.123',
  '1767225600000',
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00.123456+00:00',
  '2026-01-01 00:00:00.5',
];
const SPELLINGS: readonly ((digest: Buffer) => string)[] = [
  (digest) => digest.toString('hex'),
  (digest) => digest.toString('hex').toUpperCase(),
  (digest) => `sha256=${digest.toString('hex')}`,
  (digest) => `v1=${digest.toString('base64')}`,
  (digest) => `hmac-sha256=${digest.toString('base64url')}`,
];

/** Signed with node:crypto, not with the package. */
const GENUINE: readonly Delivery[] = BODIES.flatMap((text, index) =>
  TIMES.map((timestamp, place) => {
    const digest = createHmac('sha256', SECRETS[(index + place) % 2] ?? '')
      .update(`${timestamp}.${text}`)
      .digest();
    const signature = SPELLINGS[(index * 3 + place) % SPELLINGS.length]?.(digest) ?? '';
    const headers = { 'X-Webhook-Id': `dlv_${index}_${place}`, [SIGNATURE]: signature, [TIMESTAMP]: timestamp };
    return { body: Buffer.from(text), headers };
  }),
);

const headerOf = ({ headers }: Delivery, name: string): string => [headers[name] ?? ''].flat()[0] ?? '';
const withHeaders = (delivery: Delivery, more: Delivery['headers']) => ({
  ...delivery,
  headers: { ...delivery.headers, ...more },
});
const withBody = (delivery: Delivery, body: string | Uint8Array): Delivery => ({
  ...delivery,
  body: Buffer.from(body as Uint8Array),
}); // either makes a copy
const ofBody =
  (change: (body: Buffer, random: Random) => string | Uint8Array): Mutation =>
  (delivery, random) =>
    withBody(delivery, change(delivery.body, random));
const ofText = (change: (text: string, random: Random) => string) =>
  ofBody((body, random) => change(body.toString(), random));
const ofHeader =
  (name: string, change: (text: string, random: Random, other: string) => string): Mutation =>
  (delivery, random, other) =>
    withHeaders(delivery, { [name]: change(headerOf(delivery, name), random, headerOf(other, name)) });

const spliced = (body: Buffer, random: Random, remove: number, insert: Uint8Array) => {
  const at = below(random, body.length + 1);
  return Buffer.concat([body.subarray(0, at), insert, body.subarray(at + remove)]);
};
const another = (text: string, random: Random, alphabet: string): string => {
  const at = below(random, text.length);
  return text.slice(0, at) + (alphabet[below(random, alphabet.length)] ?? '') + text.slice(at + 1);
};
const AROUND = [' ', '\n', '\t', '\0', '\u00a0', '\u200b', '\uFEFF', '=', '00', '.', '0.', '{}', '1767225600.'];
const surrounded = (text: string, random: Random) =>
  random() < 0.5 ? text + oneOf(random, AROUND) : oneOf(random, AROUND) + text;

/** The signed text is "{timestamp}.{body}", and where the one ends is not signed: each dot could be the place. */
function cutAt(delivery: Delivery, signed: Buffer, at: number, skip: number): Delivery {
  return {
    ...withHeaders(delivery, { [TIMESTAMP]: signed.subarray(0, at).toString() }),
    body: signed.subarray(at + skip),
  };
}
const signedText = (delivery: Delivery) =>
  Buffer.concat([Buffer.from(`${headerOf(delivery, TIMESTAMP)}.`), delivery.body]);

/** A signature that an attacker can compute without the secret, or with a guess. */
function guessed(delivery: Delivery, random: Random): Delivery {
  const key = oneOf<string | Buffer>(random, ['', '\0', 'whsec_', 'whsec_sandbox', 'undefined', Buffer.alloc(32)]);
  const digest = oneOf(random, [
    createHmac('sha256', key).update(signedText(delivery)).digest(),
    createHash('sha256').update(signedText(delivery)).digest(),
    createHmac('sha256', key).update(delivery.body).digest(),
    Buffer.alloc(32, below(random, 256)),
  ]);
  return withHeaders(delivery, { [SIGNATURE]: digest.toString(oneOf(random, ['hex', 'base64', 'base64url'])) });
}

/** The same instant, or nearly, written in another way. */
function rewritten(text: string, random: Random): string {
  const ms = /^\d{13}$/.test(text) ? Number(text) : /^[\d.]+$/.test(text) ? Number(text) * 1_000 : Date.parse(text);
  const date = new Date(Number.isNaN(ms) || Math.abs(ms) > 8e15 ? 0 : ms);
  const digits = text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
  return oneOf(random, [
    ...[
      `${text}.0`,
      `${text}.${below(random, 1e6)}`,
      text.replace(/\.\d+/, ''),
      text.slice(0, -1),
      `${text}0`,
      `0${text}`,
    ],
    ...[`+${text}`, String(Math.floor(date.getTime() / 1_000)), String(date.getTime()), date.toISOString(), digits],
    ...[date.toISOString().replace('Z', '+00:00'), date.toISOString().replace('T', ' '), `${text}e0`],
  ]);
}

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'flip a bit': ofBody((body, random) => {
    const at = below(random, body.length);
    return body.map((byte, index) => (index === at ? byte ^ (1 << below(random, 8)) : byte));
  }),
  'insert a byte': ofBody((body, random) => spliced(body, random, 0, Uint8Array.of(below(random, 256)))),
  'delete bytes': ofBody((body, random) => spliced(body, random, 1 + below(random, 8), new Uint8Array())),
  'cut off the end': ofBody((body, random) => body.subarray(0, below(random, body.length + 1))),
  'something around the body': ofText(surrounded),
  'the body of another': (delivery, _random, other) => withBody(delivery, other.body),
  'parse and serialise': ofText((text, random) => {
    try {
      return JSON.stringify(JSON.parse(text), null, below(random, 3));
    } catch {
      return text; // an earlier mutation broke it
    }
  }),
  'a member again': ofText((text) => text.replace(/\}\s*$/, ',"credited_usdt":"999999","status":"success"}')),
  'a letter escaped': ofText((text, random) =>
    text.replace(/[a-z]/g, (letter) => (random() < 0.02 ? `\\u00${letter.charCodeAt(0).toString(16)}` : letter)),
  ),
  'another character of the signature': ofHeader(SIGNATURE, (text, random) =>
    another(text, random, '0189abcdefABCDEFXYZ+/-_='),
  ),
  'a signature cut or longer': ofHeader(SIGNATURE, (text, random) =>
    random() < 0.5 ? text.slice(0, below(random, text.length)) : `${text}0`,
  ),
  'something around the signature': ofHeader(SIGNATURE, surrounded),
  'another prefix': ofHeader(
    SIGNATURE,
    (text, random) =>
      oneOf(random, ['sha256=', 'sha256:', 'hmac-sha256=', 'v1=', 'SHA256=', 'v0=', 'sha1=', 'v1,', 'v1=v1=']) +
      text.replace(/^.*?[=:](?=.{40})/, ''),
  ),
  'the signature in the other case': ofHeader(SIGNATURE, (text, random) =>
    random() < 0.5 ? text.toUpperCase() : text.toLowerCase(),
  ),
  'a signature that was guessed': guessed,
  'the signature of another': ofHeader(SIGNATURE, (_text, _random, other) => other),
  'another character of the timestamp': ofHeader(TIMESTAMP, (text, random) =>
    another(text, random, '0123456789.-:TZ+ '),
  ),
  'the timestamp rewritten': ofHeader(TIMESTAMP, rewritten),
  'something around the timestamp': ofHeader(TIMESTAMP, surrounded),
  'the timestamp of another': ofHeader(TIMESTAMP, (_text, _random, other) => other),
  'the headers of another': (delivery, _random, { headers }) => ({ ...delivery, headers }),
  'a header missing': (delivery, random) => {
    const { [oneOf(random, NAMES)]: _gone, ...headers } = delivery.headers;
    return { ...delivery, headers };
  },
  'a header twice': (delivery, random, other) => {
    const name = oneOf(random, NAMES);
    const [mine, theirs] = [headerOf(delivery, name), headerOf(other, name)];
    const twice = [{ [name]: [mine, theirs] }, { [name]: `${mine}, ${theirs}` }, { [name.toLowerCase()]: theirs }];
    return withHeaders(delivery, oneOf<Delivery['headers']>(random, twice));
  },
  'names in another case': (delivery, random) => ({
    ...delivery,
    headers: Object.fromEntries(
      Object.entries(delivery.headers).map(([name, value]) => [
        random() < 0.5 ? name.toLowerCase() : name.toUpperCase(),
        value,
      ]),
    ),
  }),
  'a header more': (delivery, random) =>
    withHeaders(
      delivery,
      oneOf<Delivery['headers']>(random, [{ 'X-Webhook-Event': 'invoice.paid' }, { Signature: '0'.repeat(64) }]),
    ),
  'cut at another dot': (delivery, random) => {
    const signed = signedText(delivery);
    const dots = [...signed.entries()].flatMap(([at, byte]) => (byte === 0x2e ? [at] : [])).slice(0, 4);
    return cutAt(delivery, signed, oneOf(random, dots), 1);
  },
  'cut anywhere': (delivery, random) => cutAt(delivery, signedText(delivery), below(random, 60), 0),
};

async function verify({ body, headers }: Delivery): Promise<string> {
  try {
    await verifyWebhook(body, headers, SECRETS, { now: NOW });
    return 'accepted';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error; // any other error is a bug of the package
  }
}

/** The whole handler, with a store of its own, so that no delivery is a repeat. */
async function handle({ body, headers }: Delivery): Promise<string> {
  let called = false;
  const call = () => {
    called = true;
  };
  const now = () => NOW;
  const options = {
    secret: SECRETS,
    store: memoryStore({ now }),
    onPaid: call,
    onAdjusted: call,
    onCanceled: call,
    onUnknown: call,
    onReport: () => {},
    now,
  };
  const reply = await createWebhookHandler(options).handle({ method: 'POST', headers, body });
  if (called !== (reply.status === 200)) throw new Error(`answered ${reply.status}, and called: ${called}`);
  return called ? 'accepted' : reply.body;
}

const contentOf = ({ body, headers }: Delivery): string => {
  const [, timestamp] = Object.entries(headers).find(([name]) => name.toLowerCase() === TIMESTAMP.toLowerCase()) ?? [];
  return `${String(timestamp)}\0${body.toString('latin1')}`;
};
const KNOWN = new Set(GENUINE.map(contentOf));

async function forge(count: number, receiver: Receiver) {
  const [forgeries, refused, applied] = [[] as string[], new Set<string>(), new Set<string>()];
  let harmless = 0; // changes that left bytes and timestamp as they were
  for (let index = 0; index < count; index += 1) {
    const random = randomOf(SEED, index); // of its own, so that one can be repeated alone
    let delivery = oneOf(random, GENUINE);
    for (let left = random() < 0.7 ? 1 : 2 + below(random, 2); left > 0; left -= 1) {
      const [name, mutate] = oneOf(random, Object.entries(MUTATIONS));
      delivery = mutate(delivery, random, oneOf(random, GENUINE));
      applied.add(name);
    }
    const verdict = await receiver(delivery);
    if (verdict !== 'accepted') refused.add(verdict);
    else if (KNOWN.has(contentOf(delivery))) harmless += 1;
    else forgeries.push(`${index}: ${JSON.stringify(delivery.headers)} ${delivery.body.toString('latin1')}`);
  }
  return { forgeries, harmless, refused: [...refused], applied: [...applied] };
}

describe(`forged deliveries, ${AGAIN}`, () => {
  it.each(Object.entries({ verify, handle }))('%s accepts each genuine one', async (_, receiver) => {
    for (const genuine of GENUINE) expect(await receiver(genuine), contentOf(genuine)).toBe('accepted');
  });

  it.each([
    ['verifyWebhook', verify, soaked(9_500, 950_000)],
    ['the handler', handle, soaked(500, 50_000)],
  ] as const)('%s accepts none of the others', async (_, receiver, count) => {
    const report = await forge(count, receiver);
    expect(report.forgeries.slice(0, 20)).toEqual([]);
    // A run that tried only one thing, or broke everything, would prove nothing.
    expect(report.applied).toHaveLength(Object.keys(MUTATIONS).length);
    expect(report.harmless).toBeGreaterThan(count / 100);
    expect(report.refused.length).toBeGreaterThan(4);
    console.log(
      `forge: ${count} changed deliveries, ${report.forgeries.length} forgeries accepted (${report.harmless} changes left content and timestamp as they were)`,
    );
  });

  it('are found where a receiver lets the cut between timestamp and body move', async () => {
    const joined = new Set(GENUINE.map((each) => signedText(each).toString('latin1')));
    const loose: Receiver = async (each) => (joined.has(signedText(each).toString('latin1')) ? 'accepted' : 'no');
    expect((await forge(2_000, loose)).forgeries.length).toBeGreaterThan(5);
  });
});
