import { describe, expect, it, vi } from 'vitest';
import { createWebhookHandler, memoryStore, signWebhook, type WebhookReport } from '../../../src/webhooks/index.ts';
import { DiagnosisBudget } from '../../../src/webhooks/verify/diagnosis-budget.ts';
import { nodeEngine } from '../../../src/webhooks/verify/hmac.ts';
import { explainMismatch } from '../../../src/webhooks/verify/mismatch.ts';
import { endpoint, paidBody, request } from '../endpoint.ts';
import { ManualClock } from '../manual-clock.ts';
import { headersOf, SECRET } from '../vectors.ts';

const RESERIALISED = 'parsed and serialised again: with other spacing';

/** A body that was serialised again on the way, of about this size. */
async function reserialised(shop: ReturnType<typeof endpoint>, size = 200): Promise<string> {
  const genuine = await request(shop.clock, { ...paidBody, note: 'x'.repeat(size - 200) });
  const body = JSON.stringify(JSON.parse(String(genuine.body)), null, 1);
  await shop.handler.handle({ ...genuine, body });
  return shop.reports.at(-1)?.message ?? '';
}

describe('the diagnosis of a mismatch', () => {
  it('is made for bodies up to 4 KiB', async () => {
    const shop = endpoint();
    expect(await reserialised(shop, 3_900)).toContain(RESERIALISED);
    expect(await reserialised(shop, 4_400)).not.toContain(RESERIALISED);
    expect(shop.reasons()).toEqual(['signature_mismatch', 'signature_mismatch']);
  });

  it('is made thirty times a minute for a handler, by its own clock', async () => {
    const shop = endpoint();
    const made = async (times: number): Promise<number> => {
      let count = 0;
      for (let index = 0; index < times; index += 1) count += Number((await reserialised(shop)).includes(RESERIALISED));
      return count;
    };
    expect(await made(50)).toBe(30);
    shop.clock.time += 10_000;
    expect(await made(50)).toBe(5);
    shop.clock.time += 3_600_000;
    expect(await made(50)).toBe(30);
    shop.clock.time -= 7_200_000; // a clock that goes back gives nothing, and does not stop for two hours either
    expect(await made(50)).toBe(0);
    shop.clock.time += 60_000;
    expect(await made(50)).toBe(30);
    expect(shop.reasons()).toEqual(Array(250).fill('signature_mismatch'));
    const other = endpoint();
    expect(await reserialised(other)).toContain(RESERIALISED);
  });

  it('costs no signature beyond the one of a genuine delivery when the budget is used up, or the body is large', async () => {
    const engine = nodeEngine();
    if (engine === null) throw new Error('this test needs node:crypto');
    const hmac = vi.fn(engine.hmac);
    const diagnoses = new DiagnosisBudget(() => 0);
    const mismatch = {
      engine: { ...engine, hmac },
      secrets: [SECRET],
      timestamp: '1',
      digest: '0'.repeat(64),
      diagnoses,
    };
    const explain = (size: number) =>
      explainMismatch({
        ...mismatch,
        contentLength: null,
        body: new TextEncoder().encode(`{ "é": ${'1'.repeat(size)} }`),
      });
    await explain(262_000);
    await explain(4_096);
    expect(hmac).not.toHaveBeenCalled();
    await explain(10);
    const each = hmac.mock.calls.length;
    expect(each).toBeGreaterThan(3);
    for (let index = 0; index < 100; index += 1) await explain(10);
    expect(hmac).toHaveBeenCalledTimes(30 * each);
  });

  it.each([
    ['hex', (key: Buffer) => key.toString('hex')],
    ['hex', (key: Buffer) => key.toString('hex').toUpperCase()],
    ['base64', (key: Buffer) => key.toString('base64')],
    ['base64', (key: Buffer) => `whsec_${key.toString('base64url')}`],
  ])('says that the secret is the %s of the key', async (encoding, write) => {
    const key = Buffer.from('00ff80fe000102030405060708090a0b0c0d0e0f', 'hex');
    const clock = new ManualClock();
    const { headers, body } = await request(clock);
    const signed = { ...headers, ...(await signWebhook(body as Uint8Array, key, { timestamp: clock.time })) };
    const shop = endpoint({ secret: write(key) }, clock);
    await shop.handler.handle({ method: 'POST', headers: signed as never, body: body as Uint8Array });
    expect(shop.reports[0]?.message).toMatch(new RegExp(`the ${encoding} of a key.*Uint8Array`));
    const right = endpoint({ secret: key }, clock);
    expect(
      (await right.handler.handle({ method: 'POST', headers: signed as never, body: body as Uint8Array })).status,
    ).toBe(200);
  });
});

describe('what a stranger writes', () => {
  it('is escaped in every report', async () => {
    const shop = endpoint();
    const id = `a\u001b[2Jb\u202ec\u0085d\u2028e\u0000${'f'.repeat(200)}`;
    for (const headers of [
      { ...headersOf('0'.repeat(64)), 'x-webhook-id': id },
      { ...headersOf('zz\u001b[2J'), 'x-webhook-id': id },
      { 'x-webhook-id': id, 'x-webhook-timestamp': '\u202e' },
    ]) {
      await shop.handler.handle({ method: 'POST\u001b', headers, body: '\u001b' });
      await shop.handler.handle({ method: 'POST', headers, body: '{"\u001b\u202e":1}' });
    }
    expect(shop.reports).toHaveLength(6);
    for (const report of shop.reports) {
      expect(report.deliveryId).toContain('a\\u001b[2Jb\\u202ec\\u0085d\\u2028e\\u0000fff');
      expect(JSON.stringify(report)).not.toMatch(/[\u0080-\u009f\u202e\u2028]|\\u001b(?<!\\\\u001b)/);
      expect(report.message).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });
});

describe('a secret under 16 bytes', () => {
  const reportsOf = (secret: never): WebhookReport[] => {
    const reports: WebhookReport[] = [];
    const onReport = (report: WebhookReport): void => void reports.push(report);
    createWebhookHandler({ secret, store: memoryStore(), onPaid: () => {}, onCanceled: () => {}, onReport });
    return reports;
  };

  it('is reported once, by its place and never by its text', async () => {
    const [report, ...more] = reportsOf('fifteen bytes..' as never);
    expect(more).toEqual([]);
    expect(report).toMatchObject({ reason: 'weak_secret', status: null, deliveryId: null, ageMs: null, key: null });
    expect(report?.message).toMatch(/^The webhook secret has under 16 bytes/);
    expect(JSON.stringify(report)).not.toContain('fifteen');
    expect(reportsOf(['x'.repeat(16), new Uint8Array(15), 'é'] as never)).toMatchObject([
      { message: expect.stringMatching(/^Webhook secret 1, 2 has under 16 bytes/) },
    ]);
  });

  it.each([
    ['16 characters', 'x'.repeat(16)],
    ['8 characters of two bytes', 'é'.repeat(8)],
    ['16 bytes', new Uint8Array(16)],
    ["the sandbox's own", 'whsec_sandbox'],
  ])('is not %s', (_name, secret) => {
    expect(reportsOf(secret as never)).toEqual([]);
  });

  it('is copied: bytes that change later change nothing', async () => {
    const secret = new TextEncoder().encode(SECRET);
    const shop = endpoint({ secret });
    const genuine = await request(shop.clock);
    secret.fill(0);
    expect((await shop.handler.handle(genuine)).status).toBe(200);
  });
});

describe('options of another name', () => {
  it('are refused by the handler', () => {
    expect(() => endpoint({ onpaid: () => {} } as never)).toThrow('createWebhookHandler: options has no "onpaid"');
    expect(() => endpoint({ eventNames: { payed: 'x' } } as never)).toThrow('eventNames has no "payed"');
  });

  it('are refused by signWebhook', async () => {
    await expect(signWebhook('{}', SECRET, { timeStamp: 1 } as never)).rejects.toThrow(
      'signWebhook: options has no "timeStamp"',
    );
    await expect(signWebhook('{}', SECRET, null as never)).rejects.toThrow('signWebhook: options must be an object');
  });
});
