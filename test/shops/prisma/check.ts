// postgresStore in the transactions of Prisma, as docs/databases.md shows: the conformance suite, and what a shop
// finds in its rows when something fails after the write.
import { deepEqual, equal } from 'node:assert/strict';
import { PrismaPg } from '@prisma/adapter-pg';
import { FAKE_WEBHOOK_SECRET, fakePaidEvent, signedRequest, storeConformance } from 'merchant-invoicing/testing';
import {
  createWebhookHandler,
  type InvoicePaidEvent,
  postgresStore,
  toFetchHandler,
  type WebhookReport,
} from 'merchant-invoicing/webhooks';
import { type Prisma, PrismaClient } from './dist/client.ts';

const prisma = new PrismaClient({ adapter: new PrismaPg({ user: 'postgres', database: 'postgres' }) }); // PGHOST has the address
const store = postgresStore<{ prisma: Prisma.TransactionClient }>({
  query: (sql, values) => prisma.$queryRawUnsafe(sql, ...values),
  transaction: (run) =>
    prisma.$transaction(
      (tx) =>
        run({
          prisma: tx,
          query: (sql, values) => tx.$queryRawUnsafe(sql, ...values),
        }),
      { timeout: 600_000 }, // Prisma's own limit is 5 seconds
    ),
});

type Write = (event: InvoicePaidEvent, tx: Prisma.TransactionClient) => Promise<unknown>;
const insert: Write = (event, tx) =>
  tx.credit.create({ data: { orderId: event.external_id, usdt: event.credited_usdt.toFixed() } });
const fail: Write = () => {
  throw new Error('the shop fails after its write');
};
const commit: Write = (_event, tx) => tx.$executeRawUnsafe('COMMIT');

/** Sends one event as often as there are functions for it. Returns the replies, the reports and the rows of the shop. */
async function deliver(id: string, ...functions: readonly (readonly Write[])[]) {
  const event = fakePaidEvent({ external_id: id, credited_usdt: '26.86' });
  const replies: string[] = [];
  const reports: WebhookReport[] = [];
  for (const steps of functions) {
    const handler = createWebhookHandler({
      secret: FAKE_WEBHOOK_SECRET,
      store,
      onPaid: async (event, { tx }) => {
        for (const step of steps) await step(event, tx.prisma);
      },
      onAdjusted: () => {},
      onCanceled: () => {},
      onReport: (report) => void reports.push(report),
    });
    const response = await toFetchHandler(handler)(await signedRequest(event));
    replies.push(`${response.status} ${await response.text()}`);
  }
  const rows = await prisma.credit.findMany({ where: { orderId: id }, select: { usdt: true } });
  return { replies, reports, rows };
}

try {
  await store.migrate();
  await prisma.$executeRawUnsafe('CREATE TABLE credits (order_id text NOT NULL, usdt text NOT NULL)');
  for (const { name, run } of storeConformance(() => store, { form: 'transaction', shared: false })) {
    await run();
    console.log('ok  ', name);
  }

  const late = await deliver('order-1', [insert, fail], [insert], [insert]);
  deepEqual(late.replies, ['500 handler_failed', '200 done', '200 duplicate']);
  deepEqual(late.rows, [{ usdt: '26.86' }]);
  console.log('ok   writes once, whatever fails after the write');

  for (const end of [[fail], []]) {
    const id = `order-2-${end.length}`;
    const ended = await deliver(id, [insert, commit, ...end], [insert]);
    deepEqual(ended.replies, ['200 failed_after_commit', '200 duplicate']);
    equal(ended.reports[0]?.reason, 'failed_after_commit');
    deepEqual(ended.rows, [{ usdt: '26.86' }]);
  }
  console.log('ok   reports a function that ends the transaction by itself');
} finally {
  await prisma.$disconnect();
}
