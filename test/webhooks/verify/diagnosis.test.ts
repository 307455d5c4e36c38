import { expect, it } from 'vitest';
import { diagnoseMismatch, diagnoseStatus } from '../../../src/webhooks/diagnose.ts';
import { signWebhook, verifyWebhook } from '../../../src/webhooks/index.ts';
import { headersOf, NOW, PAID, SECRET } from '../vectors.ts';

const compact = JSON.stringify(JSON.parse(PAID));
const spaced = compact.replaceAll('":', '": ').replaceAll(',"', ', "');
const indented = JSON.stringify(JSON.parse(PAID), null, 2);

it.each([
  ['was sent with spaces and serialised again', spaced, compact, /serialised again: with other spacing/],
  ['was serialised again with indentation', compact, indented, /serialised again: with other spacing/],
  ['was serialised again, with a line break in its text', '{"a": "b\\nc:d"}', '{"a":"b\\nc:d"}', /with other spacing/],
  ['was sent with escapes and serialised again', '{"a":"\\u00e9"}', '{"a":"é"}', /escaped letters/],
  [
    'has amounts that a proxy made numbers',
    '{"amount":"119.00","credited_usdt":"127.859778"}',
    '{"amount":119,"credited_usdt":127.859778}',
    /amounts as numbers/,
  ],
  ['lost its byte-order mark', `\uFEFF${PAID}`, PAID, /byte-order mark/],
  ['lost its line break', `${PAID}\n`, PAID, /line break at the end/],
  ['got a line break', PAID, `${PAID}\n`, /White space was added/],
  ['is another one', PAID, '{"a":1}', /no usual mistake explains it/],
  ['is right, and whose secret has quotes', PAID, PAID, /would match when trimmed/, `"${SECRET}"`],
])(
  'the diagnosis of a body that %s names the cause, and no value',
  async (_cause, sent, received, text, secret = SECRET) => {
    const headers = { ...(await signWebhook(sent, SECRET, { timestamp: NOW })) };
    await expect(verifyWebhook(received, headers, secret, { now: NOW })).rejects.toThrow('does not match');
    const diagnosis = await diagnoseMismatch(Buffer.from(received), headers, [secret]);
    expect(diagnosis.text).toMatch(text);
    expect(diagnosis.text).not.toMatch(/whsec_|order-1042/);
  },
);

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
  expect(diagnoseStatus('your endpoint', null, status)).toMatchObject({ id, text, isProven: false });
});
