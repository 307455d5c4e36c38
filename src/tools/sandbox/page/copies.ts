import { shellText } from '../../shell.ts';
import { receiverPins } from '../delivery/webhook-request.ts';
import { DIALECTS, type Dialect } from '../dialects.ts';
import { toSandboxInvoice } from '../service/write-resources.ts';
import type { InvoiceRecord } from '../state/records.ts';
import { SEED_METHODS, SEED_RATES } from '../state/seed-data.ts';
import type { SandboxInvoice, SandboxWebhookRequest } from '../types.ts';
import type { World } from '../world.ts';

// Texts to copy from the sandbox: a request as curl, an order as a test.

/** A shell command that sends a request. */
export function curlCommand({ url, method, headers, body }: SandboxWebhookRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `-H ${shellText(`${name}: ${value}`)}`);
  return [`curl -i -X ${method} ${shellText(url)}`, ...lines, `--data-raw ${shellText(body)}`].join(' \\\n  ');
}

/** A test file that plays an order from its creation to the receiver, and passes unchanged. It holds no credential. */
export function testOf(world: World, record: InvoiceRecord): string {
  const invoice = toSandboxInvoice(world, record);
  const { external_id, customer_id, amount, currency, purpose, status, is_adjusted, settled_amount_usdt } = invoice;
  const { dialect, methods, rates } = world.settings;
  const ident = JSON.stringify(external_id);
  const created = { external_id, customer_id, amount, currency: currency.code, ...(purpose !== null && { purpose }) };
  const outcome = status === 'success' ? { status, is_adjusted, settled_amount_usdt } : { status };
  const names = Object.keys(DIALECTS) as (keyof Dialect)[]; // the keys of the table are its names
  const changed = names.filter((name) => dialect[name] !== DIALECTS[name][0]);
  const options = {
    ...(changed.length > 0 && { dialect: Object.fromEntries(changed.map((name) => [name, dialect[name]])) }),
    ...(methods !== SEED_METHODS && { methods }),
    ...(rates !== SEED_RATES && { rates }),
  };
  return `import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import { createWebhookHandler, memoryStore, toFetchHandler } from 'merchant-invoicing/webhooks';
import { expect, test } from 'vitest';

const secret = process.env.MERCHANT_WEBHOOK_SECRET ?? 'whsec_of_this_test';

// Replace this with your endpoint: a function from Request to Response, such as app.request of Hono or POST of Next.
const receive = toFetchHandler(
  createWebhookHandler({ secret, store: memoryStore(), onPaid: () => {}, onAdjusted: () => {}, onCanceled: () => {}${membersOf(receiverPins(dialect))} }),
);

test(${JSON.stringify(`${external_id} ends as ${status}`)}, async () => {
  const sandbox = createSandbox({ webhookSecret: secret${membersOf(options)} });
  const client = new MerchantClient({ apiKey: sandbox.apiKey, baseUrl: sandbox.url, fetch: sandbox.fetch });
  await client.invoices.create(${JSON.stringify(created)});
  await ${endingOf(invoice, record.method?.id)};
  const response = await receive(await sandbox.webhookRequest(${ident}));
  expect(response.status).toBe(200);
  expect(sandbox.invoice(${ident})).toMatchObject(${JSON.stringify(outcome)});
});
`;
}

/** The call that brings an order to its end, such as `sandbox.pay("order-1", { "amount": "17.00", "method": 2 })`. */
function endingOf({ external_id, status, adjustment }: SandboxInvoice, method?: number): string {
  const call = (name: string, ...values: unknown[]): string =>
    `sandbox.${name}(${[external_id, ...values].map((value) => JSON.stringify(value)).join(', ')})`;
  if (status === 'fail') return call('fail');
  if (status === 'canceled') return call('cancel');
  if (status !== 'success') return call('expire');
  return call('pay', { ...(adjustment !== null && { amount: adjustment.actual_amount_fiat }), method });
}

/** Further members of an object literal. */
function membersOf(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `, ${name}: ${JSON.stringify(value)}`)
    .join('');
}
