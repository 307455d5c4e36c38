import { afterEach, expect, it, vi } from 'vitest';
import { createWebhookHandler, memoryStore, verifyWebhook } from '../../../src/webhooks/index.ts';
import { endpoint, request } from '../endpoint.ts';
import { SECRET } from '../vectors.ts';

// The secret of a receiver: the forms in which it is refused, and what fills it where it is not written.

afterEach(() => {
  vi.unstubAllEnvs();
});

const GOOD = 'whsec_0123456789abcdef';

it.each<[string, string]>([
  [`${GOOD} # production`, 'has a comment behind it, as in an .env file that is read by Docker. Remove the comment'],
  ['whsec_0123 456789abcdef', 'has white space inside. Copy it again, or give a list if it is two secrets'],
  [`${GOOD},${GOOD}`, 'has a comma in it, as two secrets in one text. Give a list of secrets'],
])('the secret %j is refused as what it is', (secret, problem) => {
  expect(() => endpoint({ secret })).toThrow(problem);
  vi.stubEnv('MERCHANT_WEBHOOK_SECRET', secret);
  const handlers = { store: memoryStore(), onPaid() {}, onAdjusted() {}, onCanceled() {} };
  expect(() => createWebhookHandler(handlers)).toThrow(`MERCHANT_WEBHOOK_SECRET ${problem}`);
});

it('a secret that truly has such characters is given as bytes', () => {
  expect(() => endpoint({ secret: new TextEncoder().encode(`${GOOD} # production`) })).not.toThrow();
});

it('a receiver without a written secret reads MERCHANT_WEBHOOK_SECRET', async () => {
  const { clock, calls, handler } = endpoint();
  void handler;
  const given = { store: memoryStore(), onPaid: () => void calls.push('paid'), onAdjusted() {}, onCanceled() {} };
  const options = { ...given, onReport() {}, now: clock.now };
  vi.stubEnv('MERCHANT_WEBHOOK_SECRET', undefined);
  expect(() => createWebhookHandler(options)).toThrow('secret is missing: give it, or set MERCHANT_WEBHOOK_SECRET');
  vi.stubEnv('MERCHANT_WEBHOOK_SECRET', SECRET);
  expect(await createWebhookHandler(options).handle(await request(clock))).toMatchObject({ status: 200 });
  expect(calls).toEqual(['paid']);
  const { headers, body } = await request(clock);
  vi.useFakeTimers({ now: clock.time, toFake: ['Date'] });
  expect(await verifyWebhook(body as Uint8Array, headers)).toMatchObject({ order: 'order-1042' }); // the bytes of `request`
  vi.useRealTimers();
  // Undefined that was written is the value of an unset variable, and another one could take its place.
  const unset = { ...options, secret: undefined } as never; // refused by the types
  expect(() => createWebhookHandler(unset)).toThrow('secret must be a string');
  await expect(verifyWebhook(body as Uint8Array, headers, undefined as never)).rejects.toThrow(
    'secret must be a string',
  );
});
