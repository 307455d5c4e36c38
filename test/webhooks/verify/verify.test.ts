import { execFileSync } from 'node:child_process';
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
} from '../../../src/webhooks/index.ts';
import { RUNTIMES } from '../runtimes.ts';
import { headersOf, ISO_VECTORS, MIXED, NOW, PAID, PAID_HEADERS, SECRET, UNICODE, UUID, VECTORS } from '../vectors.ts';

const HEX = VECTORS[0].signature;
const BASE64 = VECTORS[1].signature;
const BYTES_SIGNATURE = '04cdc31c91278ce990aa0c44e431684d809d6c64bf337d5e06d0f67f879fc239';
const at = (offset: number): VerifyWebhookOptions => ({ now: NOW + offset });

async function refusal(verified: Promise<unknown>): Promise<WebhookReason> {
  const error = await verified.then(
    () => 'accepted',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof WebhookVerificationError)) throw new Error(`expected a refusal, got ${String(error)}`);
  expect(error.code).toBe(`SDK_WEBHOOK_${error.reason.toUpperCase()}`);
  return error.reason;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(RUNTIMES)('verifyWebhook with $runtime', ({ enter }) => {
  beforeEach(enter);

  it.each([...VECTORS, ...ISO_VECTORS])('accepts the vector of $timestamp $signature', async (vector) => {
    const event = await verifyWebhook(PAID, headersOf(vector.signature, vector.timestamp), SECRET, at(0));
    expect(event).toMatchObject({ type: 'invoice.paid', source: 'webhook', id: 'dlv_1', secretIndex: 0 });
  });

  it('reads the bytes that it has verified, whatever the buffer holds by then', async () => {
    const buffer = new TextEncoder().encode(PAID);
    const verified = verifyWebhook(buffer, PAID_HEADERS, SECRET, at(0));
    buffer.set(new TextEncoder().encode(PAID.replace('order-1042', 'order-9999')));
    expect(await verified).toMatchObject({ external_id: 'order-1042' });
  });

  it('gives the whole event', async () => {
    expect(await verifyWebhook(PAID, PAID_HEADERS, SECRET, at(0))).toEqual({
      type: 'invoice.paid',
      source: 'webhook',
      id: 'dlv_1',
      invoice_uuid: UUID,
      external_id: 'order-1042',
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

  it('accepts the prefix, upper-case hex, and base64 without padding', async () => {
    const prefixed = [`SHA256=${HEX}`, `Sha256=${BASE64}`];
    for (const prefix of ['sha256=', 'sha256:', 'hmac-sha256=', 'v1=']) prefixed.push(prefix + HEX, prefix + BASE64);
    for (const text of [...prefixed, HEX.toUpperCase(), BASE64.slice(0, 43)]) {
      await expect(verifyWebhook(PAID, headersOf(text), SECRET, at(0))).resolves.toMatchObject({ id: 'dlv_1' });
    }
  });

  it('accepts a body and secret beyond ASCII', async () => {
    const headers = headersOf(UNICODE.signature);
    const event = await verifyWebhook(UNICODE.body, headers, UNICODE.secret, at(0));
    expect(event).toMatchObject({ type: 'invoice.canceled', external_id: 'Bestellung-7-é' });
  });

  it('takes the secret as bytes, alone and in a list, and copies them', async () => {
    const bytes = new TextEncoder().encode(SECRET);
    await expect(verifyWebhook(PAID, PAID_HEADERS, bytes, at(0))).resolves.toMatchObject({ secretIndex: 0 });
    await expect(verifyWebhook(PAID, PAID_HEADERS, Buffer.from(SECRET), at(0))).resolves.toBeDefined();
    const verified = verifyWebhook(PAID, PAID_HEADERS, ['whsec_new', bytes], at(0));
    bytes.fill(0);
    await expect(verified).resolves.toMatchObject({ secretIndex: 1 });
    expect(await refusal(verifyWebhook(PAID, PAID_HEADERS, bytes, at(0)))).toBe('signature_mismatch');
  });

  it('copies a Buffer too, whose slice() is a view: one that is wiped must not make a key of zeros', async () => {
    const wiped = Buffer.from(SECRET);
    const listed = Buffer.from(SECRET);
    const handlers = [wiped, ['whsec_new', listed]].map((secret) =>
      createWebhookHandler({
        secret,
        store: memoryStore(),
        now: () => NOW,
        onPaid: () => {},
        onAdjusted: () => {},
        onCanceled: () => {},
      }),
    );
    wiped.fill(0);
    listed.fill(0);
    const zeros = await signWebhook(PAID, new Uint8Array(SECRET.length), { timestamp: '1767225600' });
    for (const handler of handlers) {
      const forged = await handler.handle({ method: 'POST', headers: { ...zeros }, body: PAID });
      expect(forged).toMatchObject({ status: 401, body: 'signature_mismatch' });
      expect(await handler.handle({ method: 'POST', headers: PAID_HEADERS, body: PAID })).toMatchObject({
        status: 200,
      });
    }
  });

  it('takes a key beyond text', async () => {
    // printf '%s' '1767225600.{…}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:00ff80fe000102030405060708090a0b
    const key = Buffer.from('00ff80fe000102030405060708090a0b', 'hex');
    const headers = headersOf(BYTES_SIGNATURE);
    await expect(verifyWebhook(PAID, headers, key, at(0))).resolves.toBeDefined();
    expect((await signWebhook(PAID, key, { timestamp: '1767225600' }))['X-Webhook-Signature']).toBe(BYTES_SIGNATURE);
  });

  it('says which of several secrets matched', async () => {
    const event = await verifyWebhook(PAID, PAID_HEADERS, ['whsec_new', SECRET], at(0));
    expect(event.secretIndex).toBe(1);
    expect(await refusal(verifyWebhook(PAID, PAID_HEADERS, ['a', 'b'], at(0)))).toBe('signature_mismatch');
  });
});

describe('the form of the signature', () => {
  it.each([
    ['a bad character in hex', `${HEX.slice(0, 63)}g`],
    ['hex and more', `${HEX}00`],
    ['hex cut short', HEX.slice(0, 62)],
    ['white space before', ` ${HEX}`],
    ['white space after', `${HEX} `],
    ['0x', `0x${HEX.slice(2)}`],
    ['white space in base64', `${BASE64.slice(0, 20)} ${BASE64.slice(20)}`],
    ['a mix of both alphabets', MIXED.base64.replace('+', '-')],
    ['the url alphabet with a last character that is not canonical', `${MIXED.base64url.slice(0, 42)}5`],
    ['a last character that is not canonical', 'YRfH6P1yuLhXZfl9+kjEO1fxThaEU7Ka+zKbZhvUm8J='],
    ['the same without padding', 'YRfH6P1yuLhXZfl9+kjEO1fxThaEU7Ka+zKbZhvUm8K'],
    ['too much padding', `${BASE64}=`],
    ['base64 of 33 bytes', `${BASE64.slice(0, 43)}A`],
    ['another prefix', `sha512=${HEX}`],
    ['v1,', `v1,${HEX}`.replace(',', ';')],
    ['two prefixes', `v1=sha256=${HEX}`],
    ['a blank after the prefix', `v1= ${HEX}`],
    ['t= before v1=', `t=1767225600;v1=${HEX}`],
    ['the prefix in letters that look alike', `ſha256=${HEX}`],
    ['the prefix alone', 'sha256='],
    ['full-width digits', HEX.replace('6', '６')],
  ])('refuses %s', async (_name, signature) => {
    const verified = verifyWebhook(PAID, headersOf(signature), SECRET, at(0));
    expect(await refusal(verified)).toBe('malformed_signature');
  });

  it('can be pinned', async () => {
    const pin = (encoding: 'hex' | 'base64') => ({ ...at(0), encoding });
    await expect(verifyWebhook(PAID, headersOf(HEX), SECRET, pin('hex'))).resolves.toBeDefined();
    await expect(verifyWebhook(PAID, headersOf(BASE64), SECRET, pin('base64'))).resolves.toBeDefined();
    expect(await refusal(verifyWebhook(PAID, headersOf(HEX), SECRET, pin('base64')))).toBe('malformed_signature');
    expect(await refusal(verifyWebhook(PAID, headersOf(BASE64), SECRET, pin('hex')))).toBe('malformed_signature');
    const url = headersOf(MIXED.base64url, MIXED.timestamp);
    await expect(verifyWebhook(PAID, url, SECRET, pin('base64'))).resolves.toBeDefined();
    expect(await refusal(verifyWebhook(PAID, url, SECRET, pin('hex')))).toBe('malformed_signature');
  });
});

describe('the timestamp', () => {
  // Signed for real, so that only the form can be the reason.
  it.each([
    'abc',
    '176722560',
    '1767225600000000',
    '+1767225600',
    '1767225600.',
    '1767225600.1234567890',
    '1767225600.5e1',
    '1767225600 ',
    '1.7672256e9',
    '0x69557200',
    '9'.repeat(400),
    '１７６７２２５６００',
    '2026-01-01',
    '2026-01-01T00:00:00.',
    '2026-01-01T00:00:00.1234567890',
    '2026-01-01t00:00:00Z',
    '2026-01-01T00:00:00+0',
    '2026-01-01T00:00:00+24:00',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    'Thu 01 Jan 2026 00:00:00 GMT',
  ])('is refused in the form %s', async (timestamp) => {
    const headers = await signWebhook(PAID, SECRET, { id: 'i', timestamp });
    expect(await refusal(verifyWebhook(PAID, { ...headers }, SECRET, at(0)))).toBe('malformed_timestamp');
  });

  it.each([
    ['2026-01-01 00:00:00Z', 0],
    ['2026-01-01 00:00:00.250+00:00', 250],
    ['2026-01-01T00:00:00', 0],
    ['2026-01-01 00:00:00.123456', 123],
    ['2026-01-01T00:00:00+0000', 0],
    ['2026-01-01T00:00:00+00', 0],
    ['2025-12-31T19:00:00-05', 0],
    ['2026-01-01T05:30:00.5+0530', 500],
  ])('is taken in the form %s', async (timestamp, fraction) => {
    const headers = { ...(await signWebhook(PAID, SECRET, { id: 'i', timestamp })) };
    const { signed_at } = await verifyWebhook(PAID, headers, SECRET, { ...at(0), timestampFormat: 'iso' });
    expect(signed_at).toEqual(new Date(NOW + fraction));
  });

  it.each(['Asia/Tokyo', 'America/New_York'])('without a zone is UTC on a machine in %s', (zone) => {
    const receiver = new URL('../../../src/webhooks/index.ts', import.meta.url).href;
    const { timestamp, signature } = ISO_VECTORS[3];
    const given = [PAID, headersOf(signature, timestamp), SECRET, at(0)].map((value) => JSON.stringify(value));
    const script = `
      const { verifyWebhook } = await import(${JSON.stringify(receiver)});
      const { signed_at } = await verifyWebhook(${given.join(', ')});
      console.log(JSON.stringify([new Date(${JSON.stringify(timestamp)}), signed_at]));
    `;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
      env: { ...process.env, TZ: zone, NODE_NO_WARNINGS: '1' },
    });
    const [local, signed_at] = JSON.parse(output);
    expect(local).not.toBe(signed_at); // the zone is at work
    expect(signed_at).toBe('2026-01-01T00:00:00.000Z');
  });

  it.each([
    ['1767225600.123', 123],
    ['1767225600.1234567', 123],
    ['1767225600.5', 500],
    ['1767225600.999999999', 1000],
    ['1767225600.0', 0],
  ])('is taken as seconds with a fraction: %s', async (timestamp, fraction) => {
    const headers = { ...(await signWebhook(PAID, SECRET, { id: 'i', timestamp })) };
    for (const timestampFormat of [undefined, 'seconds'] as const) {
      const { signed_at } = await verifyWebhook(PAID, headers, SECRET, { ...at(0), timestampFormat });
      expect(signed_at).toEqual(new Date(NOW + fraction));
    }
    const pinned = verifyWebhook(PAID, headers, SECRET, { ...at(0), timestampFormat: 'milliseconds' });
    expect(await refusal(pinned)).toBe('malformed_timestamp');
  });

  it.each([
    '1767225600',
    '1767225600.123',
    '1767225600.000000001',
    '1767225600000',
    '2026-01-01T00:00:00.5',
    '2026-01-01T00:00:00.123Z',
    '2026-01-01 00:00:00.5+00:00',
  ])('of %s gives an event with one cut between it and the body, and with no other', async (timestamp) => {
    // The signed text is "{timestamp}.{body}", and the cut itself is not signed. Dots in the body as well.
    for (const body of [PAID, ` \n${PAID}`, PAID.replace('{', '{"a.1":"2.{}",')]) {
      const headers = { ...(await signWebhook(body, SECRET, { id: 'i', timestamp })) };
      const signed = `${timestamp}.${body}`;
      const accepted: string[] = [];
      for (let cut = signed.indexOf('.'); cut >= 0; cut = signed.indexOf('.', cut + 1)) {
        const moved = { ...headers, 'X-Webhook-Timestamp': signed.slice(0, cut) };
        const ended = await verifyWebhook(signed.slice(cut + 1), moved, SECRET, at(0)).catch((error: unknown) => error);
        if (!(ended instanceof WebhookVerificationError)) accepted.push(signed.slice(0, cut));
      }
      expect(accepted).toEqual([timestamp]);
    }
  });

  it('can be pinned', async () => {
    const names = { seconds: '1767225600', milliseconds: '1767225600000', iso: '2026-01-01T00:00:00Z' } as const;
    for (const [name, timestamp] of Object.entries(names)) {
      const headers = { ...(await signWebhook(PAID, SECRET, { id: 'i', timestamp })) };
      for (const timestampFormat of ['seconds', 'milliseconds', 'iso'] as const) {
        const verified = verifyWebhook(PAID, headers, SECRET, { ...at(0), timestampFormat });
        if (name === timestampFormat) await expect(verified).resolves.toBeDefined();
        else expect(await refusal(verified)).toBe('malformed_timestamp');
      }
    }
  });

  it.each([
    [300_000, null],
    [300_001, 'timestamp_too_old'],
    [-300_000, null],
    [-300_001, 'timestamp_too_new'],
    [86_400_000 * 365, 'timestamp_too_old'],
  ])('%i ms from now gives %s', async (offset, reason) => {
    const verified = verifyWebhook(PAID, PAID_HEADERS, SECRET, at(offset));
    if (reason === null) await expect(verified).resolves.toBeDefined();
    else expect(await refusal(verified)).toBe(reason);
  });

  it('keeps to the tolerance given', async () => {
    const narrow = { now: () => new Date(NOW + 30_001), tolerance: 30_000 };
    expect(await refusal(verifyWebhook(PAID, PAID_HEADERS, SECRET, narrow))).toBe('timestamp_too_old');
    const wide = { now: new Date(NOW + 900_000), tolerance: 900_000 };
    await expect(verifyWebhook(PAID, PAID_HEADERS, SECRET, wide)).resolves.toBeDefined();
  });

  it('is compared with the clock of the machine where no other is given', async () => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(NOW + 300_000);
    await expect(verifyWebhook(PAID, PAID_HEADERS, SECRET)).resolves.toBeDefined();
    clock.mockReturnValue(NOW + 300_001);
    expect(await refusal(verifyWebhook(PAID, PAID_HEADERS, SECRET))).toBe('timestamp_too_old');
  });

  it('of a forged delivery is not judged: its age would mean nothing', async () => {
    const verified = verifyWebhook(PAID, PAID_HEADERS, 'whsec_y', at(86_400_000));
    expect(await refusal(verified)).toBe('signature_mismatch');
  });
});

describe('headers', () => {
  const pairs = Object.entries(PAID_HEADERS);
  const upper = Object.fromEntries(pairs.map(([name, value]) => [name.toUpperCase(), value]));
  const lists = Object.fromEntries(pairs.map(([name, value]) => [name, [value]]));
  it.each([
    ['Headers', new Headers(PAID_HEADERS)],
    ['an object', PAID_HEADERS],
    ['an object in capitals', upper],
    ['an object of lists', lists],
    ['an object without a prototype', Object.assign(Object.create(null), PAID_HEADERS)],
    ['pairs', pairs],
    ['a map', new Map(pairs)],
    ['a flat list, as rawHeaders', pairs.flat()],
  ])('are read from %s', async (_name, headers) => {
    await expect(verifyWebhook(PAID, headers, SECRET, at(0))).resolves.toMatchObject({ id: 'dlv_1' });
  });

  it.each(Object.keys(PAID_HEADERS))('without %s, or with it empty, are refused', async (name) => {
    const { [name]: _dropped, ...rest } = PAID_HEADERS;
    for (const headers of [rest, { ...rest, [name]: '' }, { ...rest, [name]: undefined }, { ...rest, [name]: [] }]) {
      expect(await refusal(verifyWebhook(PAID, headers, SECRET, at(0)))).toBe('missing_header');
    }
  });

  it.each(Object.keys(PAID_HEADERS))('with %s twice are refused, in each way in which that shows', async (name) => {
    const value = PAID_HEADERS[name] ?? '';
    const joined = new Headers(PAID_HEADERS);
    joined.append(name, value);
    for (const headers of [
      { ...PAID_HEADERS, [name]: [value, 'evil'] },
      { ...PAID_HEADERS, [name]: `${value}, evil` },
      { ...PAID_HEADERS, [name]: `evil,${value}` },
      { ...PAID_HEADERS, [name.toUpperCase()]: value },
      [...pairs, [name, value] as const],
      [...pairs, [name, value] as const].flat(),
      joined,
    ]) {
      expect(await refusal(verifyWebhook(PAID, headers, SECRET, at(0)))).toBe('duplicate_header');
    }
  });
});

describe('the body', () => {
  const bytes = new TextEncoder().encode(PAID);
  const padded = new Uint8Array([0, 0, ...bytes, 0]);
  it.each([
    ['text', PAID],
    ['a Buffer', Buffer.from(PAID)],
    ['a Uint8Array', bytes],
    ['a view into a larger buffer', padded.subarray(2, 2 + bytes.length)],
    ['a DataView', new DataView(padded.buffer, 2, bytes.length)],
    ['an ArrayBuffer', bytes.slice().buffer],
  ])('is taken as %s', async (_name, body) => {
    await expect(verifyWebhook(body, PAID_HEADERS, SECRET, at(0))).resolves.toBeDefined();
  });

  it.each([
    ['a parsed object', JSON.parse(PAID)],
    ['a list', [1]],
    ['null', null],
    ['undefined', undefined],
    ['a number', 5],
    ['a request', new Request('http://localhost/', { method: 'POST', body: PAID })],
  ])('is refused as %s, with advice', async (_name, body) => {
    expect(await refusal(verifyWebhook(body, PAID_HEADERS, SECRET, at(0)))).toBe('body_already_parsed');
  });

  it('has a size limit', async () => {
    const limit = (maxBodySize: number) => ({ ...at(0), maxBodySize });
    await expect(verifyWebhook(PAID, PAID_HEADERS, SECRET, limit(bytes.length))).resolves.toBeDefined();
    for (const body of [PAID, bytes]) {
      const verified = verifyWebhook(body, PAID_HEADERS, SECRET, limit(bytes.length - 1));
      expect(await refusal(verified)).toBe('body_too_large');
    }
    expect(await refusal(verifyWebhook('é'.repeat(131_073), PAID_HEADERS, SECRET, at(0)))).toBe('body_too_large');
  });

  it('is not parsed before the signature holds', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    await refusal(verifyWebhook(PAID, headersOf('0'.repeat(64)), SECRET, at(0)));
    await refusal(verifyWebhook(PAID, PAID_HEADERS, SECRET, at(600_000)));
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{"invoice_uuid":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['JSON a hundred thousand deep', '['.repeat(100_000)],
  ])('signed but holding %s is a malformed payload', async (_name, body) => {
    const headers = await signWebhook(body, SECRET, { timestamp: NOW });
    expect(await refusal(verifyWebhook(body, { ...headers }, SECRET, at(0)))).toBe('malformed_payload');
  });

  it('may begin with a byte-order mark that was signed', async () => {
    const body = Buffer.from(`\uFEFF${PAID}`);
    const headers = await signWebhook(body, SECRET, { timestamp: NOW });
    await expect(verifyWebhook(body, { ...headers }, SECRET, at(0))).resolves.toBeDefined();
  });
});

describe('configuration', () => {
  const PADDED =
    'secret has white space around it, perhaps the line break at the end of a file. Trim it: the signature covers every character';
  it.each<[string, unknown, unknown]>([
    [
      'verifyWebhook: options has no "tolerence"; it has tolerance, now, encoding, timestampFormat, orderIdMember, eventMember, maxBodySize, sandbox',
      SECRET,
      { tolerence: 300_000 },
    ],
    ['verifyWebhook: options must be an object, not null', SECRET, null],
    [
      'verifyWebhook: tolerance must be 30000 to 900000 milliseconds: 30 seconds to 15 minutes',
      SECRET,
      { tolerance: 29_999 },
    ],
    ['verifyWebhook: encoding must be "hex" or "base64"', SECRET, { encoding: 'utf8' }],
    [
      'verifyWebhook: timestampFormat must be "seconds" or "milliseconds" or "iso"',
      SECRET,
      { timestampFormat: 'auto' },
    ],
    ['verifyWebhook: maxBodySize must be a whole number from 1, not 0', SECRET, { maxBodySize: 0 }],
    [
      'verifyWebhook: orderIdMember must be the name of a payload member, or a path such as "order.id", or omitted',
      SECRET,
      { orderIdMember: 'order..id' },
    ],
    ['now must be a Date, milliseconds since 1970, or a function that returns one of them', SECRET, { now: '5' }],
    [
      'The now function threw',
      SECRET,
      {
        now() {
          throw new Error('no clock');
        },
      },
    ],
    [
      'verifyWebhook: its arguments cannot be read',
      SECRET,
      {
        get now() {
          throw new Error('no option');
        },
      },
    ],
    ['secret has no bytes', new Uint8Array(), {}],
    [PADDED, 'whsec_x\n', {}],
    [PADDED, '\uFEFFwhsec_x', {}],
    ['secret is an empty list: give at least one secret', [], {}],
  ])('%s', async (message, secret, options) => {
    const verified = verifyWebhook(PAID, PAID_HEADERS, secret as never, options as never);
    await expect(verified).rejects.toMatchObject({ kind: 'configuration', message: `${message}.` });
  });
});
