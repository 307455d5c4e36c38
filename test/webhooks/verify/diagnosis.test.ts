import { describe, expect, it } from 'vitest';
import { diagnoseMismatch, diagnoseStatus } from '../../../src/webhooks/diagnose.ts';
import { signWebhook, verifyWebhook } from '../../../src/webhooks/index.ts';
import { headersOf, MIXED, NOW, PAID, PAID_HEADERS, SECRET, VECTORS } from '../vectors.ts';

const HEX = VECTORS[0].signature;

async function messageOf(verified: Promise<unknown>): Promise<string> {
  const error: unknown = await verified.then(
    () => new Error('accepted'),
    (thrown: unknown) => thrown,
  );
  const message = error instanceof Error ? error.message : String(error);
  expect(message).not.toContain('whsec_');
  expect(message).not.toContain('order-1042');
  return message;
}

/** A body that was signed as `sent` and handed to the verifier as `received`. */
async function mismatch(sent: string, received: string | Uint8Array, secret = SECRET): Promise<string> {
  const headers = { ...(await signWebhook(sent, SECRET, { timestamp: NOW })) };
  const message = await messageOf(verifyWebhook(received, headers, secret, { now: NOW }));
  if (!message.includes('does not match')) return message;
  const body = typeof received === 'string' ? Buffer.from(received) : received;
  return `${message}\n${(await diagnoseMismatch(body, headers, [secret])).text}`;
}

describe('the message of a refusal, or the diagnosis of the command line, names', () => {
  const parsed = JSON.parse(PAID);
  const compact = JSON.stringify(parsed);
  const spaced = compact.replaceAll('":', '": ').replaceAll(',"', ', "');
  it.each([
    ['a re-serialised body, sent with spaces', spaced, compact, /serialised again: with other spacing/],
    [
      'a re-serialised body, sent indented',
      compact,
      JSON.stringify(parsed, null, 2),
      /serialised again: with other spacing/,
    ],
    ['a re-serialised body with a line break in its text', '{"a": "b\\nc:d"}', '{"a":"b\\nc:d"}', /with other spacing/],
    ['a re-serialised body, sent with escapes', '{"a":"\\u00e9"}', '{"a":"é"}', /escaped letters/],
    [
      'amounts that a proxy made numbers',
      '{"amount":"119.00","credited_usdt":"127.859778"}',
      '{"amount":119,"credited_usdt":127.859778}',
      /amounts as numbers/,
    ],
    ['a lost byte-order mark', `\uFEFF${PAID}`, PAID, /byte-order mark/],
    ['a lost line break', `${PAID}\n`, PAID, /line break at the end/],
    ['an added line break', PAID, `${PAID}\n`, /White space was added/],
    ['an empty body', PAID, '', /body is empty/],
    [
      'anything else',
      PAID,
      '{"a":1}',
      /secret is another one.*or the body is not the raw one.*\n.*no usual mistake explains it/,
    ],
  ])('%s', async (_name, sent, received, message) => {
    expect(await mismatch(sent, received)).toMatch(message);
  });

  it('a secret that would match when trimmed of its quotes', async () => {
    expect(await mismatch(PAID, PAID, `"${SECRET}"`)).toMatch(/would match when trimmed/);
  });

  it('a padded secret, before anything else', async () => {
    expect(await mismatch(PAID, PAID, `${SECRET}\n`)).toMatch(/white space around it.*Trim it/s);
  });

  it.each([
    [301_000, 'the timestamp is 5 minutes old, and the tolerance is 5 minutes'],
    [9 * 60_000, 'the timestamp is 9 minutes old'],
    [3 * 3_600_000, 'the timestamp is 3 hours old'],
    [50 * 3_600_000, 'the timestamp is 2 days old'],
    [-9 * 60_000, "the timestamp is 9 minutes ahead of this machine's clock"],
  ])('an age of %i ms', async (age, text) => {
    expect(await messageOf(verifyWebhook(PAID, PAID_HEADERS, SECRET, { now: NOW + age }))).toContain(text);
  });

  it('the form of a signature and of a timestamp', async () => {
    const signed = (headers: Record<string, string>, pin = {}) =>
      messageOf(verifyWebhook(PAID, headers, SECRET, { now: NOW, ...pin }));
    expect(await signed(headersOf(`${HEX} `))).toMatch(
      /65 characters of another form\. It has white space around it\.$/,
    );
    expect(await signed(headersOf(`${HEX}0`))).toMatch(/or nothing\. It has 65 characters of another form\.$/);
    expect(await signed(PAID_HEADERS, { encoding: 'base64' })).toMatch(/signature in base64.*It is hex/);
    expect(await signed(PAID_HEADERS, { timestampFormat: 'iso' })).toMatch(/must be iso.*seconds/);
    expect(await signed(headersOf(HEX, 'yesterday'))).toMatch(/ISO 8601.*9 characters of another form/);
    expect(await signed(headersOf(MIXED.base64url), { encoding: 'hex' })).toMatch(/signature in hex.*It is base64/);
  });
});

it.each([
  ['quotes that nothing closes', '\\"'],
  ['strings that nothing closes', '"a\\'],
  ['white space', ' \n'],
  ['punctuation', ',:'],
])('a hostile body of %s is looked through once', async (_name, piece) => {
  // Looked through once for each place in it, this would hold up everybody else for seconds.
  const body = piece.repeat(Math.floor(32_000 / piece.length));
  const secrets = [SECRET, `${SECRET}_2`, `${SECRET}_3`];
  for (let delivery = 0; delivery < 10; delivery += 1) {
    expect(await diagnoseMismatch(Buffer.from(body), headersOf('0'.repeat(64)), secrets)).toMatchObject({
      text: 'The signature does not match: no usual mistake explains it.',
      isProven: false,
    });
  }
});

it.each([
  [404, 'no_route', 'The receiver has no POST route for the callback_url.'],
  [405, 'no_post', 'The receiver takes no POST for the callback_url.'],
])('a status %i without an address is told without one, and proves nothing', (status, id, text) => {
  const diagnosis = diagnoseStatus('your endpoint', null, status);
  expect(diagnosis).toMatchObject({ id, text, isProven: false });
});
