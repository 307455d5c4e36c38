import type { SandboxInvoice } from '../../sandbox/index.ts';
import { creationOf, curlCommand, endingOf, literal, shellWord } from '../../sandbox/page/deliveries/copies.ts';
import { finding } from '../io.ts';
import type { SandboxStatus } from './control.ts';

export const EXPORT_FORMS = ['test', 'curl', 'json'] as const;

/** One order, or without `ident` the orders that have ended, as text to keep. */
export function exportText(
  status: SandboxStatus,
  form: (typeof EXPORT_FORMS)[number],
  ident: string | undefined,
  url: string,
): string {
  const chosen = status.invoices.filter(({ uuid, external_id, status: state }) =>
    ident === undefined
      ? state !== 'pending' && !external_id.startsWith('demo-')
      : uuid === ident || external_id === ident,
  );
  if (chosen.length === 0) {
    const [problem, action] =
      ident === undefined
        ? ['no order has ended yet, so there is nothing to export', 'pay order-1042']
        : [`there is no order ${ident}`, 'status'];
    throw finding(problem, `npx merchant-invoicing sandbox ${action} --url ${shellWord(url)}`);
  }
  const invoices = ident === undefined ? chosen.slice(0, 20).reverse() : chosen;
  if (form === 'json') return JSON.stringify(invoices, null, 2);
  if (form === 'curl') return invoices.flatMap((invoice) => curlOf(invoice, status, url)).join('\n\n');
  const pending = invoices.find(({ status: state }) => state === 'pending');
  if (pending === undefined) return testOf(invoices);
  const fix = `npx merchant-invoicing sandbox pay ${shellWord(pending.external_id)} --url ${shellWord(url)}`;
  throw finding(`${pending.external_id} is pending, so a test has nothing to expect yet`, fix);
}

function curlOf(invoice: SandboxInvoice, { deliveries }: SandboxStatus, url: string): string[] {
  const creation = {
    url: `${url}/api/v1/external/invoices`,
    method: 'POST' as const,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(creationOf(invoice)),
  };
  const sent = deliveries
    .find(({ invoice_uuid }) => invoice_uuid === invoice.uuid)
    ?.attempt_log.flatMap(({ request }) => request ?? [])
    .at(-1);
  return [
    curlCommand(creation, '-s', ['-H "X-Api-Key: $MERCHANT_API_KEY"']),
    ...(sent === undefined ? [] : [curlCommand(sent, '-s')]),
  ];
}

/** A file for `node --test` that passes unchanged, and has a place for the assertion of the shop. */
function testOf(invoices: readonly SandboxInvoice[]): string {
  const tests = invoices.map((invoice) => {
    const { external_id, status, settled_amount_usdt, is_adjusted, payment_method } = invoice;
    return `test(${literal(`${external_id} ends as ${status}${is_adjusted ? ', adjusted' : ''}`)}, async () => {
  const sandbox = createSandbox();
  const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
  await merchant.invoices.create(${literal(creationOf(invoice))});
  await ${endingOf(invoice, payment_method?.name)};

  const request = await sandbox.webhookRequest(${literal(external_id)}); // pass it to your receiver: await app.fetch(request)
  const event = await verifyWebhook(await request.arrayBuffer(), request.headers, sandbox.webhookSecret);
  assert.equal(event.status, ${literal(status)});
  assert.equal(event.credited_usdt?.toFixed(6) ?? null, ${literal(settled_amount_usdt)});
});`;
  });
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import { verifyWebhook } from 'merchant-invoicing/webhooks';

${tests.join('\n\n')}`;
}
