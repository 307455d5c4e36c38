import { afterEach, expect, it, vi } from 'vitest';
import { utf8 } from '../../../src/webhooks/crypto.ts';
import { signWebhook, verifyWebhook, type WebhookSecret } from '../../../src/webhooks/index.ts';
import { readHeaders } from '../../../src/webhooks/verify/headers.ts';
import { type MistakeId, whyMismatch } from '../../../src/webhooks/verify/why.ts';
import { headersOf, NOW, PAID, SECRET } from '../vectors.ts';

afterEach(() => void vi.unstubAllEnvs());

const compact = JSON.stringify(JSON.parse(PAID));
const asPython = (json: string): string => json.replaceAll('":', '": ').replaceAll(',"', ', "');
const indented = JSON.stringify(JSON.parse(PAID), null, 2);
const LONG = 'whsec_0123456789abcdef';
const KEY = new Uint8Array(32).fill(7);
const KEY_TEXT = Buffer.from(KEY).toString('base64');

/** What the receiver of a body finds, with its secrets as bytes, as the command `webhooks verify` gives them. */
async function found(
  sent: string,
  received: string,
  secret: string | Uint8Array,
  signedWith: string | Uint8Array = LONG,
) {
  const headers = { ...(await signWebhook(sent, signedWith, { timestamp: NOW })) };
  const key = typeof secret === 'string' ? utf8(secret) : secret;
  return await whyMismatch(utf8(received), readHeaders(headers), [key]);
}

it.each<[MistakeId, string | Uint8Array, (string | Uint8Array)?]>([
  ['quotes_around_secret', `"${LONG}"`],
  ['quotes_around_secret', `'${LONG}'`],
  ['white_space_around_secret', `${LONG}\n`],
  ['white_space_around_secret', `${LONG}\r\n`],
  ['white_space_around_secret', ` ${LONG}`],
  ['literal_line_break_in_secret', `${LONG}\\n`],
  ['character_without_width_in_secret', `\u200b${LONG}`],
  ['two_secrets_in_one_text', `${LONG},whsec_of_last_year`],
  ['prefix_missing_in_secret', LONG.replace('whsec_', '')],
  ['encoded_secret', KEY_TEXT, KEY],
  ['encoded_secret', Buffer.from(KEY).toString('hex'), KEY],
  ['decoded_secret', KEY, KEY_TEXT],
  ['decoded_secret', KEY, `whsec_${KEY_TEXT}`],
  ['api_key_as_secret', 'sk_sandbox'],
  ['api_key_as_secret', 'the key of this shop'],
  ['another_secret', 'whsec_of_production_1'],
])('a secret shows the mistake %s (%#)', async (id, secret, signedWith = LONG) => {
  vi.stubEnv('MERCHANT_API_KEY', 'the key of this shop');
  const mistake = await found(PAID, PAID, secret, signedWith);
  expect(mistake).toMatchObject({ id, isProven: id !== 'another_secret' });
  expect(`${mistake.text} ${mistake.remedy}`).not.toMatch(/0123456789|of_production|of this shop/);
});

const umlaut = '{"a":"é","b":"c/d"}';
const amounts = '{"amount":"119.00","credited_usdt":"127.859778"}';
it.each<[MistakeId, string, string, string]>([
  ['body_written_again', 'sent as Python does, and written again by JSON.stringify', asPython(compact), compact],
  [
    'body_written_again',
    'sent as JSON.stringify does, and written again by Python',
    umlaut,
    asPython('{"a":"\\u00e9","b":"c/d"}'),
  ],
  [
    'body_written_again',
    'sent as JSON.stringify does, and written again by PHP',
    umlaut,
    '{"a":"\\u00e9","b":"c\\/d"}',
  ],
  [
    'body_written_again',
    'sent as PHP does, and written again by JSON.stringify',
    '{"a":"\\u00e9","b":"c\\/d"}',
    umlaut,
  ],
  ['body_written_again', 'indented', compact, indented],
  ['body_written_again', 'with a line break in its text', '{"a": "b\\nc:d"}', '{"a":"b\\nc:d"}'],
  [
    'amounts_as_numbers',
    'with amounts that a proxy made numbers',
    amounts,
    '{"amount":119,"credited_usdt":127.859778}',
  ],
  ['byte_order_mark_lost', 'without its byte-order mark', `\uFEFF${PAID}`, PAID],
  ['line_break_lost', 'without its line break', `${PAID}\n`, PAID],
  ['white_space_around_body', 'with a line break more', PAID, `${PAID}\n`],
  ['body_empty', 'that is empty', PAID, ''],
  ['another_secret', 'that is another one', PAID, '{"a":1}'],
])('a body shows the mistake %s: %s', async (id, _change, sent, received) => {
  const mistake = await found(sent, received, SECRET, SECRET);
  expect(mistake).toMatchObject({ id, isProven: id !== 'another_secret' });
  expect(mistake.text).not.toMatch(/whsec_|order-1042/);
});

it('an empty body may also come from a route that ended before the handler', async () => {
  expect(await found(PAID, '', SECRET, SECRET)).toMatchObject({
    text: expect.stringContaining('or the route ended before the handler'),
    remedy: expect.stringMatching(/^Hono: return webhook\(c\.req\.raw\)/),
  });
});

it('a sender that signs the body alone, or forgets the dot, is named as the one to correct', async () => {
  const { createHmac } = await import('node:crypto');
  const stamp = String(Math.floor(NOW / 1000));
  const signed = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex');
  for (const [id, text] of [
    ['body_alone_signed', PAID],
    ['dot_not_signed', `${stamp}${PAID}`],
  ] as const) {
    const headers = { 'x-webhook-id': 'd', 'x-webhook-timestamp': stamp, 'x-webhook-signature': signed(text) };
    expect(await whyMismatch(utf8(PAID), readHeaders(headers), [SECRET])).toMatchObject({ id, isProven: true });
  }
});

it.each([
  ['quotes that nothing closes', '\\"'],
  ['strings that nothing closes', '"a\\'],
  ['white space', ' \n'],
  ['punctuation', ',:'],
  ['escapes', '\\u0'],
])('a hostile body of %s is looked through once', async (_name, piece) => {
  // Looked through once for each place in it, this would hold up everybody else for seconds.
  const body = utf8(piece.repeat(Math.floor(32_000 / piece.length)));
  const secrets = [SECRET, `${SECRET}_2`, `${SECRET}_3`];
  for (let delivery = 0; delivery < 10; delivery += 1) {
    expect(await whyMismatch(body, readHeaders(headersOf('0'.repeat(64))), secrets)).toMatchObject({
      id: 'another_secret',
    });
  }
});

it.each<[string, WebhookSecret, RegExp]>([
  ['quotes', `"${LONG}"`, /has quotes around it/],
  ['other quotes', `'${LONG}'`, /has quotes around it/],
  ['a literal line break', `${LONG}\\n`, /has a literal \\n/],
  ['a comma', `${LONG},${LONG}2`, /comma.*Give a list/],
  ['a template', '$'.concat('{MERCHANT_WEBHOOK_SECRET}'), /template that was not filled in/],
  ['a template in its middle', 'whsec_$'.concat('{SECRET}_of_the_shop'), /template that was not filled in/],
  ['another template', '<WEBHOOK_SECRET>', /template that was not filled in/],
  ['the word undefined', 'undefined', /the word undefined or null/],
  ['the word null', 'null', /the word undefined or null/],
  ['a line break', `${LONG}\n`, /white space around it/],
  ['a zero-width space', `\u200b${LONG}`, /invisible character/],
  ['one of a list', [LONG, `${LONG} `], /^secret\[1\] has white space/],
])('a secret with %s is refused at the start, and taken as bytes', async (_name, secret, message) => {
  await expect(verifyWebhook(PAID, headersOf('0'.repeat(64)), secret)).rejects.toMatchObject({
    kind: 'configuration',
    message: expect.stringMatching(message),
  });
  await expect(verifyWebhook(PAID, headersOf('0'.repeat(64)), secret)).rejects.not.toThrow('0123456789');
  const bytes = [secret].flat().map((each) => (typeof each === 'string' ? Buffer.from(each) : each));
  const headers = await signWebhook(PAID, bytes[0] ?? '', { timestamp: NOW });
  expect(await verifyWebhook(PAID, headers, bytes, { now: NOW })).toMatchObject({ secretIndex: 0 });
});
