import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../src/webhooks/index.ts';
import { cli } from '../command-line.ts';
import { goodReceiver, serve } from '../receivers.ts';

const folder = mkdtempSync(join(tmpdir(), 'merchant-invoicing-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SECRET = 'whsec_sandbox';

describe('webhooks send', () => {
  it.each([
    ['paid', 'invoice.paid', { status: 'success', adjusted: false, amount: '25.00' }],
    ['adjusted', 'invoice.paid', { status: 'success', adjusted: true, amount: '17.00', original_amount: '25.00' }],
    ['overpaid', 'invoice.paid', { status: 'success', adjusted: true, amount: '30.00', original_amount: '25.00' }],
    ['expired', 'invoice.canceled', { status: 'expired', amount: '25.00' }],
    ['canceled', 'invoice.canceled', { status: 'canceled', amount: '25.00' }],
    ['fail', 'invoice.canceled', { status: 'fail', amount: '25.00' }],
  ])('makes a genuine %s', async (name, event, members) => {
    const args = ['webhooks', 'send', name, 'http://shop.test/hook', '--external-id', 'order-7'];
    const paid = { adjusted: ['--paid', '17.00'], overpaid: ['--paid', '30.00'] }[name] ?? [];
    const { code, out } = await cli([...args, ...paid, '--dry-run', '--json']);
    const { url, headers, body } = JSON.parse(out);
    expect([code, url]).toEqual([0, 'http://shop.test/hook']);
    expect(JSON.parse(body)).toMatchObject({ external_id: 'order-7', event, ...members });
    await expect(verifyWebhook(body, headers, SECRET)).resolves.toMatchObject({ external_id: 'order-7' });
  });

  it('sends it, says the answer, and is code 0 for a receipt', async () => {
    const handled: string[] = [];
    const receiver = await serve(goodReceiver('whsec_mine', handled));
    const args = ['webhooks', 'send', 'adjusted', receiver.url, '--external-id', 'order-8'];
    const good = await cli(args, { env: { MERCHANT_WEBHOOK_SECRET: 'whsec_mine' } });
    expect([good.code, handled]).toEqual([0, ['order-8']]);
    expect(good.out).toMatch(/→ invoice\.paid {2}\{.*"external_id":"order-8".*\n {2}← 200 in \d+ ms/);
    const bad = await cli(args);
    expect(bad.code).toBe(1);
    expect(bad.out).toMatch(/← 401/);
    expect(bad.out).toContain(`try: npx merchant-invoicing webhooks check ${receiver.url}`);
    await receiver.close();
    expect((await cli(args)).code).toBe(3);
  });
});

describe('webhooks verify', () => {
  const request = async (...flags: readonly string[]): Promise<string> =>
    (
      await cli([
        'webhooks',
        'send',
        'paid',
        'http://127.0.0.1:3000/webhook',
        '--external-id',
        'order-9',
        '--dry-run',
        ...flags,
      ])
    ).out;

  it('reads what send --dry-run prints', async () => {
    const printed = await request();
    expect(printed).toMatch(/\}\n$/); // the line break that ends the print is no part of the body
    const { code, out } = await cli(['webhooks', 'verify'], { input: printed });
    expect([code, out.includes('genuine'), out.includes('was left out')]).toEqual([0, true, true]);
    const text = printed.trimEnd();
    const good = await cli(['webhooks', 'verify'], { input: text });
    expect(good.code).toBe(0);
    expect(good.out).toContain('genuine');
    expect(good.out).toMatch(/order +order-9/);
    const crlf = await cli(['webhooks', 'verify', '--json'], { input: text.replaceAll('\n', '\r\n') });
    expect(JSON.parse(crlf.out)).toMatchObject({ ok: true, event: { type: 'invoice.paid', external_id: 'order-9' } });
  });

  it('explains a refusal, and shows no secret', async () => {
    const text = (await request()).trimEnd();
    const other = await cli(['webhooks', 'verify', '--secret', 'whsec_other'], { input: text });
    expect(other.code).toBe(1);
    expect(other.out).toContain('signature_mismatch');
    expect(other.out).not.toContain('whsec_other');
    const rewritten = text.replaceAll('":', '": ');
    const spaced = await cli(['webhooks', 'verify', '--json'], { input: rewritten });
    expect(JSON.parse(spaced.out)).toMatchObject({ ok: false, reason: 'signature_mismatch' });
    expect(JSON.parse(spaced.out).message).toContain('serialised again');
    const missing = await cli(['webhooks', 'verify'], { input: text.replace(/X-Webhook-Timestamp.*\n/, '') });
    expect(missing.out).toContain('missing_header');
  });

  it('judges a recorded request as of its arrival', async () => {
    // Typed by hand: printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_sandbox
    const input = [
      'X-Webhook-Id: 1',
      'X-Webhook-Timestamp: 1700000000',
      'X-Webhook-Signature: HMAC',
      '',
      '{"a":1}',
    ].join('\n');
    const signed = input.replace('HMAC', GOLDEN);
    const now = await cli(['webhooks', 'verify'], { input: signed });
    expect(now.out).toContain('timestamp_too_old');
    const then = await cli(['webhooks', 'verify', '--at', '1700000060'], { input: signed });
    expect(then.out).toContain('malformed_payload'); // genuine and in time, but it says nothing of an invoice
  });

  it('takes a body file and header flags', async () => {
    const { out } = await cli(['webhooks', 'send', 'paid', 'http://a.test', '--dry-run', '--json']);
    const { headers, body } = JSON.parse(out);
    const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    expect((await cli(['webhooks', 'verify', '--body', fileOf(body), ...flags])).code).toBe(0);
  });

  it('takes the names that a receiver would pin', async () => {
    const dialects = ['--dialect', 'orderIdMember=order.id'];
    const sent = await cli([
      'webhooks',
      'send',
      'paid',
      'http://a.test',
      '--external-id',
      'order-9',
      ...dialects,
      '--dry-run',
      '--json',
    ]);
    const { headers, body } = JSON.parse(sent.out);
    const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const verify = ['webhooks', 'verify', '--body', fileOf(body), ...flags];
    const weak = await cli(verify);
    expect([weak.code, weak.out]).toEqual([1, expect.stringMatching(/could be it: order\.id.*--order-id-member/s)]);
    const pinned = await cli([...verify, '--order-id-member', 'order.id']);
    expect([pinned.code, pinned.out]).toEqual([0, expect.stringContaining('order      order-9')]);
  });

  it('says what it wants when standard input holds something else, or is a keyboard', async () => {
    expect((await cli(['webhooks', 'verify'], { isTerminal: true })).code).toBe(2);
    expect((await cli(['webhooks', 'verify'], { input: '{}' })).code).toBe(2);
  });
});

const GOLDEN = '8538c2b82bc03892391ca36dc8b79bfbc1b1d7a9492e254952537c4558f637db';

function fileOf(text: string): string {
  const file = join(folder, `${Math.random()}.json`);
  writeFileSync(file, text);
  return file;
}

describe('a strange request', () => {
  const genuine = async (): Promise<string> =>
    (await cli(['webhooks', 'send', 'paid', 'http://127.0.0.1:1/w', '--dry-run'])).out;

  it.each([
    ['a header named constructor', 'constructor: x'],
    ['a header named __proto__', '__proto__: x'],
    ['a line of blanks', `X-Blank:${' '.repeat(300_000)}x${' '.repeat(300_000)}`],
  ])('is read with %s', async (_, line) => {
    const input = (await genuine()).replace('\n', `\n${line}\n`);
    const { code, out } = await cli(['webhooks', 'verify'], { input });
    expect([code, out]).toEqual([0, expect.stringContaining('genuine')]);
  });

  it('is refused at once with 200,000 headers', async () => {
    const input = (await genuine()).replace('\n', `\n${'X-Many: y\n'.repeat(200_000)}`);
    const { code, err } = await cli(['webhooks', 'verify'], { input });
    expect([code, err]).toEqual([2, expect.stringMatching(/^error: .*no more than 1,000 headers/)]);
  });
});

describe('what is printed', () => {
  it('holds no password of an address', async () => {
    for (const json of [[], ['--json']]) {
      const { code, out, err } = await cli(['webhooks', 'send', 'paid', 'http://ann:tops3cret@127.0.0.1:1/w', ...json]);
      expect([code, out + err]).toEqual([3, expect.stringContaining('cannot reach http://127.0.0.1:1/w')]);
      expect(out + err).not.toContain('tops3cret');
    }
    const bare = await cli(['webhooks', 'send', 'paid', 'ann:tops3cret@127.0.0.1:1/w']);
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('must begin with http://')]);
    expect(bare.out + bare.err).not.toContain('tops3cret');
  });

  it('holds no control character from outside, in text and in JSON', async () => {
    const receiver = await serve((_, response) => void response.end('a\u001b[2J\u2028\u009bb\nc'));
    for (const json of [[], ['--json']]) {
      const { out } = await cli(['webhooks', 'send', 'paid', receiver.url, ...json]);
      expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028]/u);
      if (json.length > 0) expect(JSON.parse(out)).toMatchObject({ text: 'a\u001b[2J\u2028\u009bb\nc' });
    }
    await receiver.close();
  });
});
