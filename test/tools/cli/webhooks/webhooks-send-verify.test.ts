import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../../src/webhooks/index.ts';
import { cli } from '../command-line.ts';
import { goodReceiver, serve } from '../receivers.ts';

const send = (event: string, url: string, ...flags: readonly string[]) =>
  cli(['webhooks', 'send', event, url, '--external-id', 'order-9', ...flags]);
const verify = (input: string | Uint8Array, ...flags: readonly string[]) =>
  cli(['webhooks', 'verify', ...flags], { input });
const printed = async (...flags: readonly string[]): Promise<string> =>
  (await send('paid', 'http://127.0.0.1:1/w', '--dry-run', ...flags)).out;

describe('webhooks send', () => {
  it.each([
    ['paid', 'invoice.paid', { status: 'success', adjusted: false, amount: '25.00' }],
    ['adjusted', 'invoice.paid', { status: 'success', adjusted: true, amount: '12.50', original_amount: '25.00' }],
    ['overpaid', 'invoice.paid', { status: 'success', adjusted: true, amount: '37.50', original_amount: '25.00' }],
    ['expired', 'invoice.canceled', { status: 'expired', amount: '25.00' }],
    ['canceled', 'invoice.canceled', { status: 'canceled', amount: '25.00' }],
    ['fail', 'invoice.canceled', { status: 'fail', amount: '25.00' }],
  ])('makes a genuine %s', async (name, event, members) => {
    const { code, out } = await send(name, 'http://shop.test/hook', '--dry-run', '--json');
    const { url, headers, body } = JSON.parse(out);
    expect([code, url]).toEqual([0, 'http://shop.test/hook']);
    expect(JSON.parse(body)).toMatchObject({ external_id: 'order-9', event, ...members });
    await expect(verifyWebhook(body, headers, 'whsec_sandbox', { sandbox: true })).resolves.toMatchObject({
      external_id: 'order-9',
    });
  });

  it('sends it, says the response, and is code 0 for a receipt', async () => {
    const handled: string[] = [];
    const receiver = await serve(goodReceiver('whsec_mine', handled));
    const args = ['webhooks', 'send', 'adjusted', receiver, '--external-id', 'order-8'];
    const good = await cli(args, { env: { MERCHANT_WEBHOOK_SECRET: 'whsec_mine' } });
    expect([good.code, handled]).toEqual([0, ['order-8']]);
    expect(good.out).toMatch(/→ invoice\.paid {2}adjusted order-8\n {2}✓ 200 in \d+ ms/);
    const bad = await cli(args);
    expect([bad.code, bad.out]).toEqual([1, expect.stringMatching(/✗ 401/)]);
    expect(bad.out).toContain(`try: npx merchant-invoicing webhooks check ${receiver}`);
    const page = await serve((request, response) =>
      request.resume().on('end', () => response.writeHead(200).end('<!doctype html><title>Shop')),
    );
    const html = await cli(['webhooks', 'send', 'paid', page]);
    expect([html.code, html.out]).toEqual([1, expect.stringMatching(/✗ 200[\s\S]*An HTML page answered at \/webhook/)]);
  });

  it('advises to name an order where a receiver may not know the invented one, and not where an order was named', async () => {
    const receiver = await serve((request, response) =>
      request.resume().on('end', () => response.writeHead(500).end('handler_failed')),
    );
    const invented = await cli(['webhooks', 'send', 'paid', receiver]);
    const named = await cli(['webhooks', 'send', 'paid', receiver, '--external-id', 'order-8']);
    expect([invented.code, named.code]).toEqual([1, 1]);
    expect(invented.out.replaceAll(/\s+/g, ' ')).toContain('name one that it knows: --external-id ORDER');
    expect(named.out).not.toContain('--external-id');
  });
});

describe('webhooks verify', () => {
  it('reads what send --dry-run prints, with LF or CRLF', async () => {
    const text = await printed();
    expect(text).toMatch(/\}\n$/); // the line break that ends the print is no part of the body
    const { code, out } = await verify(text);
    expect([code, out]).toEqual([0, expect.stringMatching(/genuine[\s\S]*order +order-9[\s\S]*was left out/)]);
    const marked = await verify(`\uFEFF${text}`);
    expect(marked.out).toMatch(/\n {2}note {7}the byte order mark .*\n {13}\S.*left out\n$/);
    expect(Math.max(...marked.out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    const crlf = await verify(text.trimEnd().replaceAll('\n', '\r\n'), '--json');
    expect(JSON.parse(crlf.out)).toMatchObject({ ok: true, remark: null, event: { external_id: 'order-9' } });
  });

  it('explains why a request is not genuine', async () => {
    const text = (await printed()).trimEnd();
    const spaced = JSON.parse((await verify(text.replaceAll('":', '": '), '--json')).out);
    expect(spaced).toMatchObject({
      reason: 'signature_mismatch',
      message: expect.stringContaining('written again'),
    });
    expect((await verify(text.replace(/X-Webhook-Timestamp.*\n/, ''))).out).toContain('missing_header');
  });

  it('judges a recorded request as of its arrival', async () => {
    // Typed by hand: printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_sandbox
    const signature = '8538c2b82bc03892391ca36dc8b79bfbc1b1d7a9492e254952537c4558f637db';
    const input = `X-Webhook-Id: 1\nX-Webhook-Timestamp: 1700000000\nX-Webhook-Signature: ${signature}\n\n{"a":1}`;
    const { out } = await verify(input);
    expect(out).toMatch(/timestamp_too_old\s+The signature matches\. The timestamp is\s+2023-11-14T22:13:20\.000Z/);
    expect(out).toMatch(/Give the time at which it\s+arrived[\s\S]*try: .*--at TIME-OF-ARRIVAL/);
    expect(out).not.toMatch(/sandbox stamps|option now/);
    const early = await verify(input, '--at', '2020-01-31T12:00:00Z', '--json');
    expect(JSON.parse(early.out)).toMatchObject({
      reason: 'timestamp_too_new',
      message: expect.stringContaining('judged at 2020-01-31T12:00:00.000Z'),
    });
    for (const at of ['1700000060', '1700000060000', '2023-11-14T22:14:20Z']) {
      expect((await verify(input, '--at', at)).out).toContain('malformed_payload'); // the signature holds
    }
  });

  it('takes the name that a receiver would pin', async () => {
    const text = await printed('--dialect', 'orderIdMember=order.id');
    const weak = await verify(text);
    expect([weak.code, weak.out]).toEqual([1, expect.stringMatching(/could be\s+it: order\.id.*--help all/s)]);
    const pinned = await verify(text, '--order-id-member', 'order.id');
    expect([pinned.code, pinned.out]).toEqual([0, expect.stringContaining('order      order-9')]);
  });

  describe('reads a capture as programs write it', () => {
    // printf '1700000000.%s' "$BODY" | openssl dgst -sha256 -hmac whsec_sandbox
    const body =
      '{"event":"invoice.canceled","invoice_uuid":"018f3c1e","external_id":"Käse & \\"<7>\\"","status":"expired","amount":"25.00","currency":"EUR"}';
    const head = [
      'POST /webhook HTTP/1.1',
      'X-Webhook-Id: 1',
      'X-Webhook-Timestamp: 1700000000',
      'X-Webhook-Signature: 260c4565c91aca8037c7ff404133d4158d7c8393149e64f4d43f09d6c51c8fc5',
    ].join('\n');
    const of = (text: string) => `${head}\n\n${text}`;
    const hex = (text: string) =>
      [...Buffer.from(text)]
        .map((byte) =>
          byte > 0x7e || byte === 0x22 || byte === 0x5c ? `\\x${byte.toString(16)}` : String.fromCharCode(byte),
        )
        .join('');
    const html = body
      .replaceAll('&', '&amp;')
      .replaceAll('"', '&quot;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;');
    const big = Buffer.from(`\uFEFF${of(body)}`, 'utf16le').swap16();
    it.each([
      ['as it is', of(body), null],
      ['with a line break at the end', `${of(body)}\n`, 'line break'],
      ['with line breaks of Windows', `${of(body).replaceAll('\n', '\r\n')}\r\n\r\n`, 'line break'],
      [
        'with the line break counted by Content-Length',
        of(body).replace('\n', '\nContent-Length: 140\n').concat('\n'),
        'line break',
      ],
      ['with a byte order mark', `\uFEFF${of(body)}`, 'byte order mark'],
      ['in UTF-16', Buffer.from(`\uFEFF${of(body)}\r\n`, 'utf16le'), 'UTF-16'],
      ['in UTF-16, big end first', big, 'UTF-16'],
      ['in UTF-16 without a mark', Buffer.from(of(body), 'utf16le'), 'UTF-16'],
      ['escaped as JSON', `${of(JSON.stringify(body))}\n`, 'as JSON text'],
      ['escaped as JSON, without its quotes', of(JSON.stringify(body).slice(1, -1)), 'as JSON text'],
      ['escaped by nginx', of(hex(body)), 'nginx'],
      ['printed by Python', of(`b'${body.replaceAll('\\', '\\\\').replace('ä', '\\xc3\\xa4')}'`), 'Python'],
      ['printed by Node', of(`'${body.replaceAll('\\', '\\\\')}'`), 'Python or JavaScript'],
      ['out of a CSV', of(`"${body.replaceAll('"', '""')}"`), 'CSV'],
      ['out of a page', of(html), 'HTML'],
      ['in base64', of(Buffer.from(body).toString('base64')), 'base64'],
      ['with percent signs', of(encodeURIComponent(body)), 'address'],
    ])('%s', async (_, input, remark) => {
      const { code, out } = await verify(input, '--at', '1700000000', '--json');
      expect([code, JSON.parse(out)]).toEqual([
        0,
        expect.objectContaining({
          remark: remark === null ? null : expect.stringContaining(remark),
          event: expect.objectContaining({ external_id: 'Käse & "<7>"' }),
        }),
      ]);
    });

    it.each([
      ['another secret', of(body), '--secret=whsec_other', 'another_secret'],
      ['another secret, and a line break', `${of(body)}\n`, '--secret=whsec_other', 'another_secret'],
      ['a body that was cut', of(body.slice(0, -1)), '--json', 'another_secret'],
      ['a body that was written again', `${of(body.replace(',', ', '))}\n`, '--json', 'body_written_again'],
    ])('and still refuses %s', async (_, input, flag, cause) => {
      const { code, out } = await verify(input, '--at', '1700000000', '--json', flag);
      expect([code, JSON.parse(out)]).toEqual([1, expect.objectContaining({ ok: false, cause })]);
    });
  });

  it('takes the pins for a payment that does not say whether it was adjusted', async () => {
    const body =
      '{"invoice_uuid":"018f3c1e","external_id":"order-9","status":"success","amount":"25.00","credited_usdt":"27.1","meta":{"changed":false}}';
    const head =
      'X-Webhook-Id: 1\nX-Webhook-Timestamp: 1700000000\nX-Webhook-Signature: 3c77a47b92490d9d59d55eca35e60acf8b83a0c7b745f4f64662732077641a9b';
    const run = (...flags: string[]) => verify(`${head}\n\n${body}`, '--at', '1700000000', ...flags);
    const plain = await run();
    expect([plain.code, plain.out.replaceAll(/\s+/g, ' ')]).toEqual([
      1,
      expect.stringMatching(/"adjusted" is missing.*set adjustedMember.*--help all/),
    ]);
    for (const flags of [
      ['--adjusted-member', 'meta.changed'],
      ['--adjusted-absent', 'as_ordered'],
    ])
      expect(await run(...flags)).toMatchObject({ code: 0, out: expect.stringContaining('invoice.paid') });
    expect(await run('--adjusted-absent', 'yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--adjusted-absent takes as_ordered'),
    });
  });

  it('says what it wants when standard input holds something else, or is a keyboard', async () => {
    expect((await cli(['webhooks', 'verify'], { isTerminal: true })).code).toBe(2);
    expect(await verify('{}')).toMatchObject({ code: 2, err: expect.stringContaining('holds no request') });
  });

  it.each([
    ['a header named constructor', 'constructor: x'],
    ['a header named __proto__', '__proto__: x'],
    ['200,000 headers', `X-First: y${'\nX-Many: y'.repeat(200_000)}`],
    ['a line of blanks', `X-Blank:${' '.repeat(300_000)}x${' '.repeat(300_000)}`],
  ])('reads a request with %s', async (_, line) => {
    const { code, out } = await verify((await printed()).replace('\n', `\n${line}\n`));
    expect([code, out]).toEqual([0, expect.stringContaining('genuine')]);
  });
});

it.each(['', '--json'])('webhooks send %s prints no control character of a response', async (flag) => {
  const receiver = await serve((_, response) => void response.end('a\u001b[2J\u2028\u009bb\nc'));
  const { out } = await send('paid', receiver, ...(flag === '' ? [] : [flag]));
  expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028]/u);
  if (flag !== '') expect(JSON.parse(out)).toMatchObject({ text: 'a\u001b[2J\u2028\u009bb\nc' });
});
