import { expect, it, onTestFinished } from 'vitest';
import { MerchantClient } from '../../../src/client.ts';
import { type InvoiceEvent, memoryStore, toFetchHandler } from '../../../src/webhooks/index.ts';
import { testSandbox } from '../../support/test-sandbox.ts';

it('a receiver that is down for 21 hours loses nothing: catchUp plays every event once', async () => {
  let isUp = true;
  const now = (): number => sandbox.now().getTime();
  const sandbox = testSandbox({
    seed: 7,
    now: Date.UTC(2026, 2, 1, 12),
    deliveryTimestamp: 'sandbox',
    fetch: async (url, init) => {
      if (!isUp) throw new TypeError('fetch failed');
      return await receive(new Request(url, init));
    },
  });
  onTestFinished(() => sandbox.close());
  const merchant = new MerchantClient({
    baseUrl: 'https://pay.example.com',
    apiKey: sandbox.apiKey,
    webhookSecret: sandbox.webhookSecret,
    fetch: sandbox.fetch,
  });
  const events: string[] = [];
  const reasons: string[] = [];
  const keep = ({ external_id, source, status, amount, original_amount, credited_usdt }: InvoiceEvent): void => {
    const of = original_amount === null ? '' : ` of ${original_amount}`;
    events.push(`${external_id} ${source} ${status} ${amount}${of} ${credited_usdt?.gt(0) ?? false}`);
  };
  const handler = merchant.webhooks.handler({
    store: memoryStore({ now }),
    now,
    onPaid: keep,
    onAdjusted: keep,
    onCanceled: keep,
    onReport: ({ reason }) => void reasons.push(reason),
  });
  const receive = toFetchHandler(handler);

  const down = ['exact', 'less', 'more', 'failed', 'canceled', 'expired'];
  const orders = ['before', ...down, 'open'];
  const rest = { customer_id: 'c-7', amount: '100.00', currency: 'EUR', callback_url: 'http://127.0.0.1:3000/hook' };
  for (const external_id of orders) await merchant.invoices.create({ external_id, ...rest });
  await sandbox.pay('before');
  const outage = sandbox.now();
  isUp = false;
  await sandbox.pay('exact');
  await sandbox.underpay('less', '68.00');
  await sandbox.overpay('more', '120.00');
  await sandbox.fail('failed');
  await sandbox.cancel('canceled');
  await sandbox.expire('expired');
  await sandbox.advance('21h'); // "open" expires by itself
  await sandbox.settle();
  isUp = true;
  for (const id of down) expect(sandbox.deliveries(id)).toMatchObject([{ status: 'failed', attempts: 7 }]);
  expect(events).toEqual(['before webhook success 100 true']);

  const nothing = { checked: 8, played: 0, alreadyDone: 0, open: 0, unknown: 0, busy: 0, failed: 0 };
  expect(await handler.catchUp(merchant, { orders })).toEqual({ ...nothing, played: 7, alreadyDone: 1 });
  expect(events.slice(1).sort()).toEqual([
    'canceled catch_up canceled 100 false',
    'exact catch_up success 100 true',
    'expired catch_up expired 100 false',
    'failed catch_up fail 100 false',
    'less catch_up success 68 of 100 true',
    'more catch_up success 120 of 100 true',
    'open catch_up expired 100 false',
  ]);
  expect(await handler.catchUp(merchant, { orders })).toEqual({ ...nothing, alreadyDone: 8 });
  // Without orders; "before" finished in the same moment as the outage began.
  expect(await handler.catchUp(merchant, { since: outage })).toEqual({ ...nothing, alreadyDone: 8 });
  for (const id of down) await merchant.webhooks.resend(id);
  await sandbox.settle();
  for (const id of down) expect(sandbox.deliveries(id)).toMatchObject([{ status: 'delivered' }]);
  expect(events).toHaveLength(8);
  expect(reasons).toEqual(down.map(() => 'duplicate'));
});
