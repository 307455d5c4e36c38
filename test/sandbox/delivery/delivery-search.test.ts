import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { inProcess, ORDER } from '../loopback.ts';

/** What a receiver makes of a delivery, by hand: the expected signature. */
type Receiver = (body: string, timestamp: string) => string;

const hex = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex');
const right: Receiver = (body, timestamp) => hex('whsec_sandbox', `${timestamp}.${body}`);
const withSecret =
  (secret: string): Receiver =>
  (body, timestamp) =>
    hex(secret, `${timestamp}.${body}`);

async function refusedBy(receiver: Receiver, options: SandboxOptions = {}) {
  let requests = 0;
  const { sandbox, api } = inProcess({
    ...options,
    fetch: async (_, init) => {
      requests += 1;
      const { headers, body } = new Request('http://x/', init);
      const text = await new Response(body).text();
      const fits = headers.get('x-webhook-signature') === receiver(text, headers.get('x-webhook-timestamp') ?? '');
      return new Response(fits ? 'ok' : 'bad signature', { status: fits ? 200 : 401 });
    },
  });
  await api('POST', '/invoices', { ...ORDER, external_id: 'Zürich/7', callback_url: 'http://127.0.0.1:3000/' });
  await sandbox.pay('Zürich/7');
  return { sandbox, explain: () => sandbox.explain('Zürich/7'), requests: () => requests };
}

/** JSON as Python's json.dumps writes it. */
const asPython = (body: string): string =>
  JSON.stringify(JSON.parse(body), null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/\{ /, '{')
    .replace(/ \}/, '}')
    .replace('ü', '\\u00fc');

describe('the search for the cause', () => {
  it.each<[string, Receiver, string]>([
    ['secret with a newline', withSecret('whsec_sandbox\n'), 'secret ends with a line break'],
    ['secret with a Windows newline', withSecret('whsec_sandbox\r\n'), 'Windows line break'],
    ['secret with a blank before', withSecret(' whsec_sandbox'), 'begins with a space'],
    ['secret with a blank behind', withSecret('whsec_sandbox '), 'ends with a space'],
    ['quoted secret', withSecret('"whsec_sandbox"'), 'has quotes'],
    ['secret without its beginning', withSecret('sandbox'), 'lacks "whsec_"'],
    ['missing timestamp', (body) => hex('whsec_sandbox', body), 'signs the body alone'],
    ['missing dot', (body, stamp) => hex('whsec_sandbox', stamp + body), 'leaves out the dot'],
    ['re-serialised by Python', (body, stamp) => right(asPython(body), stamp), 'as Python does'],
    [
      're-serialised by PHP',
      (body, stamp) => right(body.replaceAll('/', '\\/').replace('ü', '\\u00fc'), stamp),
      'as PHP does',
    ],
    ['re-serialised with indents', (body, stamp) => right(JSON.stringify(JSON.parse(body), null, 2), stamp), 'indents'],
    [
      'base64',
      (body, stamp) => createHmac('sha256', 'whsec_sandbox').update(`${stamp}.${body}`).digest('base64'),
      'expects the signature in base64',
    ],
    ['prefix', (body, stamp) => `sha256=${right(body, stamp)}`, 'expects "sha256="'],
    [
      'milliseconds',
      (body, stamp) => (/^\d{13}$/.test(stamp) ? right(body, stamp) : 'refused'),
      'expects the timestamp in milliseconds',
    ],
  ])('proves %s', async (_, receiver, text) => {
    const { explain, sandbox } = await refusedBy(receiver);
    const before = sandbox.deliveries();
    expect(await explain()).toMatchObject({ proven: true, text: expect.stringContaining(text) });
    expect(sandbox.deliveries()).toEqual(before); // neither attempts nor schedule have changed
  });

  it('proves nothing about another secret, and stops after a bounded number of requests', async () => {
    const { explain, requests } = await refusedBy(withSecret('whsec_production'));
    const finding = await explain();
    expect(finding).toMatchObject({ proven: false, text: expect.stringContaining('Compare the secret first') });
    expect(finding.requests).toBeLessThanOrEqual(25);
    expect(requests()).toBe(1 + finding.requests);
  });

  it('proves nothing about a receiver that accepts by turns', async () => {
    let turn = 0;
    const { explain } = await refusedBy((body, stamp) => {
      turn += 1;
      return turn <= 3 ? 'refused' : right(body, stamp);
    });
    expect(await explain()).toMatchObject({ proven: false });
  });

  it('says so when the same delivery is accepted by now', async () => {
    let turn = 0;
    const { explain } = await refusedBy((body, stamp) => {
      turn += 1;
      return turn === 1 ? 'refused' : right(body, stamp);
    });
    expect(await explain()).toEqual({ proven: false, requests: 1, text: expect.stringContaining('accepted now') });
  });

  it.each([{ signatureEncoding: 'base64' }, { timestampFormat: 'iso' }] as const)(
    'also in another dialect: %j',
    async (dialect) => {
      const { explain } = await refusedBy(withSecret('nothing'), { dialect });
      expect(await explain()).toMatchObject({ proven: false });
      const trimmed = await refusedBy(
        (body, stamp) => {
          const digest = createHmac('sha256', 'whsec_sandbox\n').update(`${stamp}.${body}`);
          return digest.digest('signatureEncoding' in dialect ? 'base64' : 'hex');
        },
        { dialect },
      );
      expect(await trimmed.explain()).toMatchObject({ proven: true });
    },
  );

  it.each([
    [404, '', 'The receiver knows no /'],
    [500, '', 'no refusal of a signature'],
    [500, 'handler_failed', 'your function threw'],
    [503, '', 'no refusal of a signature'],
  ])('sends nothing where the answer is no refusal of a signature: %i %s', async (status, body, text) => {
    let sent = 0;
    const answer = async (): Promise<Response> => {
      sent += 1;
      return new Response(body, { status });
    };
    const { sandbox, api } = inProcess({ fetch: answer });
    await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/' });
    await sandbox.pay('order-1042');
    expect(await sandbox.explain('order-1042')).toEqual({
      proven: false,
      requests: 0,
      text: expect.stringContaining(text),
    });
    expect(sent).toBe(1);
  });

  it('needs something that was sent', async () => {
    const { sandbox, api } = inProcess();
    await api('POST', '/invoices', ORDER);
    await expect(sandbox.explain('order-1042')).rejects.toThrow('nothing to explain');
    await api('POST', '/invoices', { ...ORDER, external_id: 'far', callback_url: 'https://shop.example/' });
    await sandbox.pay('far');
    await expect(sandbox.explain('far')).rejects.toThrow('Nothing was sent');
  });
});
