import { expect, it, onTestFinished } from 'vitest';
import { type CreateOrRenewResult, MerchantClient } from '../../src/index.ts';
import { type ReconcileOrder, reconcile } from '../../src/reconcile/index.ts';
import type { Sandbox } from '../../src/tools/sandbox/index.ts';
import { createWebhookHandler, type InvoiceEvent, memoryStore, toFetchHandler } from '../../src/webhooks/index.ts';
import { testSandbox } from '../support/test-sandbox.ts';
import { cli } from '../tools/cli/command-line.ts';

// One table: what each verb, event, finding and command says of an order, in each state that an order can be in.

const ORDER = { external_id: '1042', customer_id: 'customer-7', amount: '25.00', currency: 'EUR' };
const CALLBACK = 'http://localhost/webhook';

interface Stage {
  readonly sandbox: Sandbox;
  readonly merchant: MerchantClient;
  readonly renew: () => Promise<CreateOrRenewResult>;
}

interface Case {
  readonly state: string;
  readonly play: (stage: Stage) => Promise<unknown>;
  readonly says: {
    /** The events of the webhooks, in their order. */
    readonly webhooks: readonly string[];
    /** The events of `catchUp`, where no webhook arrived. */
    readonly catchUp: readonly string[];
    readonly ofOrder: readonly string[];
    /** Renewal, status, and whether it was created. */
    readonly createOrRenew: string;
    /** What `reconcile` says of one row, of a shop that has booked what it heard. */
    readonly told: readonly string[];
    /** The same of a shop that has heard nothing. */
    readonly lost: readonly string[];
    /** The same of a row for each invoice, of a shop that has booked what it heard. */
    readonly tries: readonly string[];
    /** The same of a row for each part, where the order has a rest. */
    readonly parts?: readonly string[];
  };
  /** What the command `order 1042` says, where no webhook arrived. */
  readonly order: readonly RegExp[];
}

const create = ({ merchant }: Stage, more: object = {}) =>
  merchant.invoices.create({ ...ORDER, callback_url: CALLBACK, ...more });
async function renewed(stage: Stage): Promise<void> {
  await create(stage);
  await stage.sandbox.expire('1042');
  await stage.renew();
}

const CASES: readonly Case[] = [
  {
    state: 'a creation whose response was lost',
    async play(stage) {
      stage.sandbox.faults.next('reset_after', { operation: 'invoices.create' });
      await create(stage).catch(() => undefined);
    },
    says: {
      webhooks: [],
      catchUp: [],
      ofOrder: ['1042 pending'],
      createOrRenew: '0 pending, found',
      told: [],
      lost: [],
      tries: [],
    },
    order: [/1042 {2}Open, webhook: Not yet/],
  },
  {
    state: 'expired',
    async play(stage) {
      await create(stage);
      await stage.sandbox.expire('1042');
    },
    says: {
      webhooks: ['canceled 1042 0'],
      catchUp: ['canceled 1042 0'],
      ofOrder: ['1042 expired'],
      createOrRenew: '1 pending, created',
      told: [],
      lost: ['open_but_ended: cancel'],
      tries: [],
    },
    order: [/1042 {2}Expired, webhook: Retrying/, /expired +nothing was paid/],
  },
  {
    state: 'renewed',
    play: renewed,
    says: {
      webhooks: ['canceled 1042 0'],
      catchUp: [], // it is open
      ofOrder: ['1042 expired', '1042--1 pending'],
      createOrRenew: '1 pending, found',
      told: [],
      lost: [],
      tries: [],
    },
    order: [/1042 {2}Open, webhook: Not yet/, /expired +nothing was paid[\s\S]* renewal 1 +€25\.00/],
  },
  {
    state: 'renewed and paid',
    async play(stage) {
      await renewed(stage);
      await stage.sandbox.pay('1042--1');
    },
    says: {
      webhooks: ['canceled 1042 0', 'paid 1042 1'],
      catchUp: ['paid 1042 1'], // and no cancellation
      ofOrder: ['1042 expired', '1042--1 success'],
      createOrRenew: '1 success, found',
      told: [],
      lost: ['paid_not_fulfilled: fulfil'],
      tries: [],
    },
    order: [/1042 {2}Paid, webhook: Retrying/, /✓ paid +€25\.00 of €25\.00[\s\S]*\(renewal 1\)/],
  },
  {
    state: 'the first paid late, while the renewal is open',
    async play(stage) {
      await renewed(stage);
      await stage.sandbox.pay('1042', { late: true });
    },
    says: {
      webhooks: ['canceled 1042 0', 'paid 1042 0'],
      catchUp: ['paid 1042 0'],
      ofOrder: ['1042 success', '1042--1 pending'],
      createOrRenew: '0 success, found',
      told: [],
      lost: ['paid_not_fulfilled: fulfil'],
      tries: [],
    },
    order: [/1042 {2}Paid, webhook: Retrying/, /✓ paid, late +€25\.00 of €25\.00/, /renewal 1 \S+ {2}Open/],
  },
  {
    state: 'the first paid late, after the second',
    async play(stage) {
      await renewed(stage);
      await stage.sandbox.pay('1042--1');
      await stage.sandbox.pay('1042', { late: true });
    },
    says: {
      webhooks: ['canceled 1042 0', 'paid 1042 1', 'paid 1042 0'],
      catchUp: ['paid 1042 0', 'paid 1042 1'],
      ofOrder: ['1042 success', '1042--1 success'],
      createOrRenew: '0 success, found',
      told: ['paid_twice: give_back'],
      lost: ['paid_not_fulfilled: fulfil', 'paid_twice: give_back'],
      tries: ['paid_twice: give_back'],
    },
    order: [/1042 {2}Paid, webhook: Retrying/, /✓ paid, late +€25\.00 of[\s\S]*✓ paid +€25\.00 of/],
  },
  {
    state: 'both paid, the first one late and before the second',
    async play(stage) {
      await renewed(stage);
      await stage.sandbox.pay('1042', { late: true });
      await stage.sandbox.pay('1042--1');
    },
    says: {
      webhooks: ['canceled 1042 0', 'paid 1042 0', 'paid 1042 1'],
      catchUp: ['paid 1042 0', 'paid 1042 1'],
      ofOrder: ['1042 success', '1042--1 success'],
      createOrRenew: '0 success, found',
      told: ['paid_twice: give_back'],
      lost: ['paid_not_fulfilled: fulfil', 'paid_twice: give_back'],
      tries: ['paid_twice: give_back'],
    },
    order: [/1042 {2}Paid, webhook: Retrying/, /✓ paid, late +€25\.00 of[\s\S]*✓ paid +€25\.00 of/],
  },
  {
    state: 'adjusted',
    async play(stage) {
      await create(stage);
      await stage.sandbox.pay('1042', { amount: '17.00' });
    },
    says: {
      webhooks: ['adjusted 1042 0'],
      catchUp: ['adjusted 1042 0'],
      ofOrder: ['1042 success'],
      createOrRenew: '0 success, found', // the rest has an id of its own
      told: ['amount_differs: ask'],
      lost: ['paid_not_fulfilled: agree', 'amount_differs: agree'],
      tries: ['amount_differs: ask'],
    },
    order: [/1042 {2}Paid less, webhook: Retrying/, /! paid less +€17\.00 of €25\.00/],
  },
  {
    state: 'a part, and its rest',
    async play(stage) {
      await create(stage);
      await stage.sandbox.pay('1042', { amount: '17.00' });
      await create(stage, { external_id: '1042-rest', amount: '8.00' });
      await stage.sandbox.pay('1042-rest');
    },
    says: {
      webhooks: ['adjusted 1042 0', 'paid 1042-rest 0'],
      catchUp: ['adjusted 1042 0', 'paid 1042-rest 0'],
      ofOrder: ['1042 success'],
      createOrRenew: '0 success, found',
      told: ['amount_differs: ask', 'invoice_without_order: find_order'],
      lost: ['paid_not_fulfilled: agree', 'amount_differs: agree', 'invoice_without_order: find_order'],
      tries: ['amount_differs: ask', 'invoice_without_order: find_order'],
      parts: [], // the rows that name their order, and say that they are parts
    },
    order: [/1042 {2}Paid less, webhook: Retrying/, /! paid less +€17\.00 of €25\.00/],
  },
];

async function stageOf(play: Case['play'], isLost: boolean) {
  const events: string[] = [];
  const note = ({ order, renewal, adjusted, type }: InvoiceEvent): void =>
    void events.push(`${adjusted ? 'adjusted' : type.replace('invoice.', '')} ${order} ${renewal}`);
  const handler = createWebhookHandler({
    secret: 'whsec_of_the_tests',
    store: memoryStore({ now: () => sandbox.now().getTime() }),
    now: () => sandbox.now(),
    onPaid: note,
    onAdjusted: note,
    onCanceled: note,
    onReport: () => {},
  });
  const receive = toFetchHandler(handler);
  const sandbox = testSandbox({
    fetch: async (url, init) => (isLost ? new Response(null, { status: 502 }) : receive(new Request(url, init))),
  });
  const { url } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  const { apiKey, fetch } = sandbox;
  const merchant = new MerchantClient({ baseUrl: url, apiKey, fetch, retry: false });
  const renew = () => merchant.invoices.createOrRenew({ ...ORDER, callback_url: CALLBACK });
  await play({ sandbox, merchant, renew });
  await sandbox.settle();
  return { sandbox, merchant, handler, events, renew };
}

async function findingsOf(merchant: MerchantClient, orders: readonly ReconcileOrder[]): Promise<string[]> {
  const found: string[] = [];
  for await (const finding of reconcile({ merchant, orders }))
    found.push('advice' in finding ? `${finding.kind}: ${finding.advice}` : `${finding.kind}: ${finding.reason}`);
  return found;
}

/** What a shop has in its row for the order after these events. A second payment waits for a person. */
function rowAfter(events: readonly string[]): ReconcileOrder['state'] {
  const of1042 = events.filter((event) => event.includes(' 1042 '));
  if (of1042.some((event) => event.startsWith('paid'))) return 'fulfilled';
  if (of1042.some((event) => event.startsWith('adjusted'))) return 'paid';
  const last = of1042.at(-1);
  return last === undefined ? 'open' : 'canceled';
}

const BOOKED: Readonly<Record<string, ReconcileOrder['state']>> = { success: 'fulfilled', pending: 'open' };

it.each(CASES)('$state', async ({ play, says, order }) => {
  const told = await stageOf(play, false);
  const { amount, currency } = ORDER;
  const row = (state: ReconcileOrder['state']) => ({ external_id: '1042', amount, currency, state });
  const webhooks = [...told.events];
  await told.sandbox.advance('20m'); // what is younger is left for the next run
  const invoices = await told.merchant.invoices.ofOrder('1042');
  const tries = invoices.map(({ external_id, status }) => ({ ...row(BOOKED[status] ?? 'canceled'), external_id }));
  const part = { ...row('fulfilled'), order: '1042', part: true };
  const parts = [
    { ...part, amount: '17.00' },
    { ...part, external_id: '1042-rest', amount: '8.00' },
  ];

  const lost = await stageOf(play, true);
  await lost.sandbox.advance('20m');
  const env = { MERCHANT_BASE_URL: lost.sandbox.url, MERCHANT_API_KEY: lost.sandbox.apiKey };
  const { out } = await cli(['order', '1042'], { env });
  const ofLost = await findingsOf(lost.merchant, [row('open')]);
  await lost.handler.catchUp(lost.merchant, { orders: says.parts ? ['1042', '1042-rest'] : ['1042'] });
  const ofTold = await findingsOf(told.merchant, [row(rowAfter(webhooks))]);
  const ofTries = await findingsOf(told.merchant, tries);
  const ofParts = says.parts && { parts: await findingsOf(told.merchant, parts) };
  const { renewal, invoice, created } = await told.renew(); // last: it may create one
  expect({
    webhooks,
    catchUp: lost.events.sort(),
    ofOrder: invoices.map(({ external_id, status }) => `${external_id} ${status}`),
    createOrRenew: `${renewal} ${invoice.status}, ${created ? 'created' : 'found'}`,
    told: ofTold,
    lost: ofLost,
    tries: ofTries,
    ...ofParts,
  }).toEqual(says);
  for (const text of order) expect(out).toMatch(text);
});
