import { FRAMEWORKS, type FrameworkName } from './frameworks.ts';

/** A file of the project, by its path. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

/** The files that `init` writes. `isTypeScript` decides their endings: the code is both. */
export function projectFiles(name: FrameworkName, isTypeScript: boolean): readonly ProjectFile[] {
  const { path, adapter, serve } = FRAMEWORKS[name];
  const end = isTypeScript ? 'ts' : 'mjs';
  const receiver = `${path}.${end}`;
  const code = serve.map((statement) => `${statement};\n`).join('');
  const typed = isTypeScript ? code.replace('(scope)', "(scope: import('fastify').FastifyInstance)") : code;
  const test = `merchant-webhook.test.${end}`;
  return [
    { path: '.env.example', text: ENVIRONMENT },
    { path: receiver, text: receiverText(adapter, typed) },
    { path: test, text: testText(`./${receiver}`) },
  ];
}

const ENVIRONMENT = `# The address of the service, without a path. The sandbox: npx merchant-invoicing sandbox
MERCHANT_BASE_URL=http://127.0.0.1:4010
# From the dashboard of the service. Never commit the real ones.
MERCHANT_API_KEY=sk_sandbox
MERCHANT_WEBHOOK_SECRET=whsec_sandbox
`;

function receiverText(adapter: string, serve: string): string {
  return `import { createWebhookHandler, memoryStore, ${adapter} } from 'merchant-invoicing/webhooks';

/** Receives the webhooks of the service. A repeat of an event changes nothing. */
export const handler = createWebhookHandler({
  secret: process.env.MERCHANT_WEBHOOK_SECRET ?? '',
  // One process, and empty after a restart. Before you go live: sqliteStore, postgresStore or redisStore.
  store: memoryStore(),
  onPaid: async ({ external_id, credited_usdt, adjusted }) => {
    // A paid invoice is not always paid in full: fulfil the order against credited_usdt.
    console.log('paid', external_id, credited_usdt.toFixed(), adjusted ? 'adjusted' : 'exact');
  },
  onCanceled: async ({ external_id, status }) => {
    console.log('not paid', external_id, status);
  },
  onReport: ({ reason, message }) => console.warn(reason, message),
});

${serve}`;
}

function testText(receiver: string): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

process.env.MERCHANT_WEBHOOK_SECRET = 'whsec_sandbox';
const { handler } = await import('${receiver}');

/** Pays an order in a sandbox inside this process, and gives its webhook to the receiver. */
async function paid(amount${receiver.endsWith('.ts') ? ': string' : ''}) {
  const sandbox = createSandbox();
  const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
  const order = { external_id: 'order-1042', customer_id: 'customer-7', amount: '25.00', currency: 'EUR' };
  const { external_id } = await merchant.invoices.create(order);
  await sandbox.pay(external_id, { amount });
  const request = await sandbox.webhookRequest(external_id);
  const delivery = { method: 'POST', headers: request.headers, body: await request.arrayBuffer() };
  return { first: await handler.handle(delivery), again: await handler.handle(delivery) };
}

test('a paid order is handled, and its repeat changes nothing', async () => {
  const { first, again } = await paid('25.00');
  assert.deepEqual([first.status, again.status], [200, 200]);
});

test('an order that was paid in part is handled as well', async () => {
  const { first } = await paid('17.00');
  assert.equal(first.status, 200);
});

test('a forged delivery is refused', async () => {
  const { status } = await handler.handle({ method: 'POST', headers: {}, body: '{"status":"success"}' });
  assert.equal(status, 401);
});
`;
}
