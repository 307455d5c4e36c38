import ts from 'typescript';
import { describe, expect, it, vi } from 'vitest';
import * as client from '../src/index.ts';
import * as reconciliation from '../src/reconcile/index.ts';
import * as sandboxes from '../src/sandbox/index.ts';
import * as testing from '../src/testing/index.ts';
import * as webhooks from '../src/webhooks/index.ts';
import { docstringExamples } from './support/docstring-examples.ts';

/**
 * What is not here: servers, databases, queues, files, test runners, and endpoints that the service may have one day. Their
 * examples are only type-checked.
 */
const ELSEWHERE =
  /\b(?:app|http|pool|Pool|db|DatabaseSync|client|createClient|setupServer|handlers|response\.|expect|test|beforeEach|postgresStore|sqliteStore|redisStore|lookup|run\.|finding|listen|dialect\.json|balances|refunds|orderIdMember)\b/;
const NO_MODULE = /^(?:import|export) /m;

/** Examples about an invoice that has ended. */
const AFTER_PAYMENT = /resend|explain|waitUntilFinal/;
/** Examples that make the invoice themselves. */
const CREATES = /\.(?:create|createOrGet)\(|createSandbox\(/;

const ORDER = { customer_id: 'customer-7', amount: '25.00', currency: 'EUR' };
const WITHDRAWAL = '9f6b2a0e-3c1d-4e5f-8a7b-1c2d3e4f5a6b';
const SECRET = 'whsec_test_0123456789';

/** A sandbox with the invoices that the examples name, and what stands around an example. */
async function surroundings(code: string): Promise<Record<string, unknown>> {
  const delivered = async (): Promise<Response> => new Response('done');
  const [first, ...others] = sandboxes.createSandbox().withdrawals();
  const withdrawals = first === undefined ? others : [{ ...first, uuid: WITHDRAWAL }, ...others];
  const sandbox = sandboxes.createSandbox({ seed: 1, webhookSecret: SECRET, fetch: delivered, withdrawals });
  const ids = CREATES.test(code) && !code.includes('sandbox.pay') ? [] : ['order-1', 'order-1042'];
  for (const external_id of ids) {
    sandbox.create({ ...ORDER, external_id, callback_url: 'http://127.0.0.1:1/webhook' });
    if (AFTER_PAYMENT.test(code)) await sandbox.pay(external_id);
  }
  const own = { apiKey: sandbox.apiKey, baseUrl: sandbox.url, fetch: sandbox.fetch, webhookSecret: SECRET };
  class MerchantClient extends client.MerchantClient {
    constructor(options: object = {}) {
      super({ ...own, ...options, ...('fetch' in options ? {} : own) });
    }
  }
  const done = async (): Promise<void> => {};
  const store = webhooks.memoryStore();
  const handler = webhooks.createWebhookHandler({ secret: SECRET, store, onPaid: done, onCanceled: done });
  const delivery = await testing.signedDelivery(testing.fakePaidEvent(), { secret: SECRET });
  const names = { invoice_uuid: 'b0b6f5a8-5b7e-4f2a-9f0a-0a4f5c1d2e3f', external_id: 'order-1042' };
  return {
    ...client,
    ...reconciliation,
    ...testing,
    ...webhooks,
    ...sandboxes,
    MerchantClient,
    ...names,
    sandbox,
    merchant: new MerchantClient(),
    params: { ...ORDER, external_id: 'order-9' },
    handler,
    store,
    makeStore: () => webhooks.memoryStore(),
    myStore: () => webhooks.memoryStore(),
    secret: SECRET,
    error: testing.fakeError('SDK_CONNECTION'),
    onPaid: done,
    onCanceled: done,
    fulfil: done,
    cancel: done,
    receive: webhooks.toFetchHandler(handler),
    request: await testing.signedRequest(testing.fakePaidEvent(), { secret: SECRET }),
    rawBody: delivery.body,
    body: delivery.body,
    headers: delivery.headers,
    endpoint: 'http://127.0.0.1:1/webhook',
    vault: { read: async () => sandbox.apiKey },
    log: { warn: done },
    logger: { error: done },
    queue: { add: done },
    job: { data: JSON.stringify(testing.fakePaidEvent()) },
    order: {},
    orders: [{ ...ORDER, external_id: 'order-1042', state: 'open' }],
    sleep: done,
    showFormErrors: done,
    alertOperator: done,
    scheduleAgain: done,
    queueForRetry: done,
    useOtherPaymentMethod: done,
    retryLater: done,
    fetch: delivered,
    console: { log: done, warn: done, error: done },
    process: { env: { MERCHANT_WEBHOOK_SECRET: SECRET }, exitCode: 0 },
  };
}

const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<unknown>;

async function runExample(code: string): Promise<unknown> {
  const around = await surroundings(code);
  const { outputText } = ts.transpileModule(`async function example() {\n${code}\n}`, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  const example = new AsyncFunction(...Object.keys(around), `${outputText}\nreturn await example();`);
  return example(...Object.values(around));
}

const examples = docstringExamples().filter(({ code }) => !ELSEWHERE.test(code) && !NO_MODULE.test(code));

describe('an @example that needs no server, database or test runner', () => {
  it('is one of most', () => {
    expect(examples.length).toBeGreaterThan(100);
  });

  it.each(examples)('runs: $at', async ({ code }) => {
    vi.stubGlobal('fetch', () => Promise.reject(new Error('an example talks to the network')));
    try {
      await runExample(code);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
