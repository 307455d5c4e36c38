import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { verifyWebhook } from '../../../../src/webhooks/index.ts';
import { open, plain } from '../browser.ts';
import { listening, ORDER, receiver } from '../loopback.ts';

const run = promisify(execFile);

it('the curl command sends the same body, signed anew, through a real shell', async () => {
  const { sandbox, url, api } = await listening();
  const hook = await receiver([500]);
  const external_id = `it's "$(touch x)" \`id\` \\ %s ü`;
  await api('POST', '/invoices', { ...ORDER, external_id, callback_url: `${hook.url}?a='b` });
  await sandbox.pay(external_id);
  const [delivery] = sandbox.deliveries(external_id);
  const { html } = await open(`${url}/webhooks/${delivery?.id}`);
  await run('sh', ['-c', plain(/<pre id="curl-text"[^>]*>([^<]*)<\/pre>/.exec(html)?.[1] ?? '')]);
  const [sent, copied] = hook.received;
  expect(copied?.body).toEqual(sent?.body);
  expect(copied?.headers['x-webhook-id']).toBe(sent?.headers['x-webhook-id']);
  const event = await verifyWebhook(copied?.body ?? '', { ...copied?.headers }, 'whsec_of_the_tests');
  expect(event).toMatchObject({ type: 'invoice.paid', external_id });
});
