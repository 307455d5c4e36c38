import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { forgetPrinted } from '../../../src/webhooks/handle/report.ts';
import { signWebhook, type WebhookHandlerOptions } from '../../../src/webhooks/index.ts';
import { endpoint, paidBody } from '../endpoint.ts';
import { NOW } from '../vectors.ts';

// What a receiver says of a signature that does not match: the cause in sandbox mode, and the reason alone outside of it.

const OWN = 'whsec_of_the_receiver_1';
const OTHER = 'whsec_of_the_sender_123';
const BODY = JSON.stringify(paidBody);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let lines: string[];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(String(line)));
  vi.stubEnv('MERCHANT_SANDBOX', undefined);
  forgetPrinted();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** The reply to a delivery that the sender signed over `sent`, and that arrived as `received`. */
async function replyTo(options: Partial<WebhookHandlerOptions>, sent = BODY, received = sent, signedWith = OTHER) {
  const { handler } = endpoint({ secret: OWN, onReport: undefined, ...options });
  const headers = await signWebhook(sent, signedWith, { timestamp: NOW });
  return await handler.handle({ method: 'POST', headers, body: received });
}

it.each([
  ['the option', { sandbox: true }, undefined],
  ['the environment', {}, '1'],
])('in sandbox mode by %s the 401 names the row and the bytes that came', async (_by, options, variable) => {
  vi.stubEnv('MERCHANT_SANDBOX', variable);
  const reply = await replyTo(options);
  expect(reply).toMatchObject({ status: 401, body: 'signature_mismatch' });
  expect(reply.headers).toMatchObject({
    'X-Merchant-Cause': 'another_secret',
    'X-Merchant-Body-SHA256': sha256(BODY),
  });
  const spaced = BODY.replaceAll(',', ', ');
  expect((await replyTo(options, BODY, spaced, OWN)).headers).toMatchObject({
    'X-Merchant-Cause': 'body_written_again',
    'X-Merchant-Body-SHA256': sha256(spaced),
  });
});

it('in sandbox mode the console names the cause, and only there is a fingerprint of the secret', async () => {
  const reply = await replyTo({ sandbox: true });
  expect(lines).toEqual([expect.stringMatching(/probably has another secret/)]);
  expect(lines[0]).toContain(`fingerprint ${sha256(OWN).slice(0, 8)}`);
  expect(JSON.stringify([{ ...reply }, lines])).not.toMatch(/of_the_receiver|of_the_sender/);
  expect(JSON.stringify({ ...reply.headers, body: reply.body })).not.toContain(sha256(OWN).slice(0, 8));
  forgetPrinted();
  await replyTo({ sandbox: true, secret: Buffer.from(`${OTHER}\n`) });
  expect(lines[1]).toMatch(/white space around it, such as a line break at its end\. Trim it/);
});

it.each([
  ['nothing', {}, undefined],
  ['the option against the environment', { sandbox: false }, '1'],
])('outside of sandbox mode a 401 says the reason and nothing else: %s', async (_by, options, variable) => {
  vi.stubEnv('MERCHANT_SANDBOX', variable);
  for (const reply of [await replyTo(options), await replyTo(options, BODY, `${BODY} `, OWN)]) {
    expect(reply).toEqual({
      status: 401,
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
      body: 'signature_mismatch',
    });
  }
  expect(lines.join('')).not.toContain('fingerprint');
});

it.each([
  ['in sandbox mode', true, /stamps its webhooks by the clock of the machine, which advance\(\) does not move/],
  ['outside of it', false, /refused, 401 timestamp_too_old\. .*\n {2}Compare the clock of the receiver \(date -u\)/],
])('the console names what to do about an age %s', async (_where, sandbox, line) => {
  const headers = await signWebhook(BODY, OWN, { timestamp: NOW - 600_000 });
  const { handler } = endpoint({ secret: OWN, onReport: undefined, sandbox });
  expect(await handler.handle({ method: 'POST', headers, body: BODY })).toMatchObject({ status: 401 });
  expect(lines).toEqual([expect.stringMatching(line)]);
});

it('only a signature that does not match has a cause in the response', async () => {
  const { handler } = endpoint({ secret: OWN, sandbox: true });
  for (const headers of [{}, { 'x-webhook-id': 'd', 'x-webhook-signature': 'no', 'x-webhook-timestamp': '1' }]) {
    const reply = await handler.handle({ method: 'POST', headers, body: BODY });
    expect(Object.keys(reply.headers)).toEqual(['Content-Type', 'Cache-Control']);
  }
});
