import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MerchantClient } from '../../../src/client.ts';
import { memoryStore, toNodeHandler, type WebhookReport } from '../../../src/webhooks/index.ts';
import { testSandbox } from '../../support/test-sandbox.ts';

const START = Date.UTC(2026, 2, 1, 12);

/** A shop on the sandbox's clock, with a receiver that can be switched off. */
async function shopOnSandbox() {
  const sandbox = testSandbox({ seed: 7, now: START, deliveryTimestamp: 'sandbox' });
  onTestFinished(() => sandbox.close());
  const merchant = new MerchantClient({
    baseUrl: 'https://pay.example.com',
    apiKey: sandbox.apiKey,
    webhookSecret: sandbox.webhookSecret,
    fetch: sandbox.fetch,
  });
  const credited: string[] = [];
  const reports: WebhookReport[] = [];
  const handler = merchant.webhooks.handler({
    store: memoryStore({ now: () => sandbox.now().getTime() }),
    now: () => sandbox.now().getTime(),
    onPaid: ({ source, external_id, amount, credited_usdt }) =>
      void credited.push(`${external_id} ${source} ${amount} EUR ${credited_usdt.gt(0)}`),
    onAdjusted: ({ source, external_id, amount, credited_usdt, original_amount }) =>
      void credited.push(`${external_id} ${source} ${amount} of ${original_amount} EUR ${credited_usdt.gt(0)}`),
    onCanceled: ({ source, external_id, status, amount }) =>
      void credited.push(`${external_id} ${source} ${status} ${amount}`),
    onReport: (report) => void reports.push(report),
  });

  let isUp = true;
  const webhook = toNodeHandler(handler);
  const server = createServer((request, response) => {
    if (isUp) void webhook(request, response);
    else request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const callback_url = `http://127.0.0.1:${address.port}/webhook`;
  const order = async (external_id: string): Promise<void> => {
    await merchant.invoices.create({
      external_id,
      customer_id: 'c-7',
      amount: '100.00',
      currency: 'EUR',
      callback_url,
    });
  };
  const attempts = (ident: string): [string, number] => {
    const [delivery] = sandbox.deliveries(ident);
    return [delivery?.status ?? 'none', delivery?.attempts ?? 0];
  };
  const power = (up: boolean): void => {
    isUp = up;
  };
  return { sandbox, merchant, handler, credited, reports, order, attempts, power };
}

describe('a receiver that is down for 21 hours', () => {
  it('loses nothing: catchUp plays every event once', async () => {
    const { sandbox, merchant, handler, credited, reports, order, attempts, power } = await shopOnSandbox();
    for (const id of ['before', 'exact', 'less', 'more', 'failed', 'canceled', 'expired', 'open']) await order(id);
    await sandbox.pay('before');
    const outage = sandbox.now();
    power(false);
    await sandbox.pay('exact');
    await sandbox.underpay('less', '68.00');
    await sandbox.overpay('more', '120.00');
    await sandbox.fail('failed');
    await sandbox.cancel('canceled');
    await sandbox.expire('expired');
    await sandbox.advance('21h');
    await sandbox.settle();
    power(true);

    const down = ['exact', 'less', 'more', 'failed', 'canceled', 'expired'];
    for (const id of down) expect(attempts(id)).toEqual(['failed', 7]);
    expect(credited).toEqual(['before webhook 100 EUR true']);

    // "open" expired by itself during the outage.
    const orders = ['before', ...down, 'open'];
    const nothing = { checked: 8, played: 0, alreadyDone: 0, open: 0, unknown: 0, busy: 0, failed: 0 };
    expect(await handler.catchUp(merchant, { orders })).toEqual({ ...nothing, played: 7, alreadyDone: 1 });
    expect(credited.slice(1).sort()).toEqual([
      'canceled catch_up canceled 100',
      'exact catch_up 100 EUR true',
      'expired catch_up expired 100',
      'failed catch_up fail 100',
      'less catch_up 68 of 100 EUR true',
      'more catch_up 120 of 100 EUR true',
      'open catch_up expired 100',
    ]);
    expect(await handler.catchUp(merchant, { orders })).toEqual({ ...nothing, alreadyDone: 8 });
    // Without orders; "before" finished in the same moment as the outage began.
    expect(await handler.catchUp(merchant, { since: outage })).toEqual({ ...nothing, alreadyDone: 8 });
    for (const id of down) {
      await merchant.webhooks.resend(id);
      await sandbox.settle();
      expect(attempts(id)[0]).toBe('delivered');
    }
    expect(credited).toHaveLength(8);
    expect(reports.map(({ reason }) => reason)).toEqual(down.map(() => 'duplicate'));
  });
});
