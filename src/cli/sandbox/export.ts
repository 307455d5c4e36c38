import type { SandboxInvoice } from '../../sandbox/index.ts';
import { CliError, EXIT } from '../io.ts';
import type { SandboxStatus } from './control.ts';

export const EXPORT_FORMS = ['test', 'curl', 'json'] as const;
export type ExportForm = (typeof EXPORT_FORMS)[number];

/** What happened in a sandbox, as something to keep. Without `ident`: the orders that have ended, newest first. */
export function exportFrom(status: SandboxStatus, form: ExportForm, ident: string | undefined, url: string): string {
  const chosen = status.invoices.filter(({ uuid, external_id, status: state }) =>
    ident === undefined
      ? state !== 'pending' && !external_id.startsWith('demo-')
      : uuid === ident || external_id === ident,
  );
  if (chosen.length === 0) {
    throw new CliError(
      EXIT.finding,
      ident === undefined ? 'no order has ended yet, so there is nothing to export' : `there is no order ${ident}`,
      ident === undefined
        ? `merchant-invoicing sandbox pay order-1042 --url ${url}`
        : `merchant-invoicing sandbox status --url ${url}`,
    );
  }
  const invoices = ident === undefined ? chosen.slice(0, 20).reverse() : chosen;
  if (form === 'json') return JSON.stringify(invoices, null, 2);
  if (form === 'curl') return invoices.flatMap((invoice) => curlOf(invoice, status, url)).join('\n\n');
  const pending = invoices.find(({ status: state }) => state === 'pending');
  if (pending === undefined) return testOf(invoices);
  throw new CliError(
    EXIT.finding,
    `${pending.external_id} is pending, so there is nothing to expect of it yet`,
    `merchant-invoicing sandbox pay ${pending.external_id} --url ${url}`,
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function creationOf(invoice: SandboxInvoice): Record<string, string> {
  const { external_id, customer_id, amount, currency, purpose } = invoice;
  return { external_id, customer_id, amount, currency: currency.code, ...(purpose === null ? {} : { purpose }) };
}

function curlOf(invoice: SandboxInvoice, { deliveries }: SandboxStatus, url: string): string[] {
  const body = JSON.stringify(creationOf(invoice));
  const create = `curl -s -X POST ${quoted(`${url}/api/v1/external/invoices`)} \\\n  -H "X-Api-Key: $MERCHANT_API_KEY" -H 'Content-Type: application/json' \\\n  -d ${quoted(body)}`;
  const sent = deliveries
    .find(({ invoice_uuid }) => invoice_uuid === invoice.uuid)
    ?.attempt_log.flatMap(({ request }) => request ?? [])
    .at(-1);
  if (sent === undefined) return [create];
  const headers = Object.entries(sent.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [
    create,
    `curl -s -X POST ${quoted(sent.url)} \\\n  ${headers.join(' \\\n  ')} \\\n  --data-binary ${quoted(sent.body)}`,
  ];
}

/** A file for `node --test` that passes as it is, and waits for the shop's own assertion. */
function testOf(invoices: readonly SandboxInvoice[]): string {
  const tests = invoices.map((invoice) => {
    const { external_id, status, settled_amount_usdt, is_adjusted } = invoice;
    const ident = JSON.stringify(external_id);
    return `test(${JSON.stringify(`${external_id} ends as ${status}${is_adjusted ? ', adjusted' : ''}`)}, async () => {
  const sandbox = createSandbox();
  const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
  await merchant.invoices.create(${JSON.stringify(creationOf(invoice))});
  await sandbox.${moveOf(invoice, ident)};

  const request = await sandbox.webhookRequest(${ident}); // hand it to your receiver: await app.fetch(request)
  const event = await verifyWebhook(await request.arrayBuffer(), request.headers, sandbox.webhookSecret);
  assert.equal(event.status, ${JSON.stringify(status)});
  assert.equal(event.credited_usdt?.toFixed(6) ?? null, ${settled_amount_usdt === null ? 'null' : JSON.stringify(settled_amount_usdt)});
});`;
  });
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import { verifyWebhook } from 'merchant-invoicing/webhooks';

${tests.join('\n\n')}`;
}

function moveOf({ status, adjustment, payment_method }: SandboxInvoice, ident: string): string {
  if (status === 'success') {
    const method = payment_method === null ? '' : `{ method: ${JSON.stringify(payment_method.name)} }`;
    if (adjustment === null) return `pay(${[ident, method].filter(Boolean).join(', ')})`;
    const { actual_amount_fiat: paid, expected_amount_fiat: ordered } = adjustment;
    const name = Number(paid) < Number(ordered) ? 'underpay' : 'overpay';
    return `${name}(${[ident, JSON.stringify(paid), method].filter(Boolean).join(', ')})`;
  }
  return `finish(${ident}, ${JSON.stringify(status)})`;
}
