import { expect } from 'vitest';
import type { InvoiceEvent, WebhookHandler, WebhookReport } from '../../src/webhooks/index.ts';
import {
  createWebhookHandler,
  memoryStore,
  type VerifyWebhookOptions,
  verifyWebhook,
} from '../../src/webhooks/index.ts';
import { errorOf } from '../support/test-client.ts';
import { expectNotFound } from './expected.ts';
import { type Behaviour, identOf, ORDER, type Stage } from './stage.ts';

type Pins = Pick<VerifyWebhookOptions, 'orderIdMember' | 'adjustedMember' | 'adjustedAbsent'>;

/**
 * What a merchant has to pin under a dialect: a name of the order id that could mean another thing, and the word whether
 * a payment was adjusted where it stands elsewhere or is left out.
 */
function pinsOf({ dialect: { orderIdMember, adjustedMember } }: Stage): Pins {
  return {
    ...((orderIdMember === 'order_id' || orderIdMember === 'order.id') && { orderIdMember }),
    ...(adjustedMember === 'payment.adjusted' && { adjustedMember }),
    ...(adjustedMember === 'only_when_true' && { adjustedAbsent: 'as_ordered' }),
  };
}

/** The event of the last webhook that arrived. */
function lastEvent(stage: Stage): Promise<InvoiceEvent> {
  const { arrived, sandbox, runtime } = stage;
  const { headers = {}, body = '' } = arrived.at(-1) ?? {};
  return verifyWebhook(body, headers, sandbox.webhookSecret, { now: runtime.time, ...pinsOf(stage) });
}

interface Shop {
  readonly handler: WebhookHandler;
  readonly fulfilled: InvoiceEvent[];
  readonly canceled: InvoiceEvent[];
  readonly reports: WebhookReport[];
  /** Statuses answered, in order. */
  readonly answers: number[];
  /** Makes the next fulfilments fail. */
  broken: number;
}

/** A merchant's endpoint on the stage's clock: everything that arrives goes through the handler. */
function shopOn(stage: Stage, pins = pinsOf(stage)): Shop {
  const { sandbox, runtime } = stage;
  const now = (): number => runtime.time;
  const fulfil = (event: InvoiceEvent): void => {
    shop.broken -= 1;
    if (shop.broken >= 0) throw new Error('the shop is down');
    shop.fulfilled.push(event);
  };
  const shop: Shop = {
    fulfilled: [],
    canceled: [],
    reports: [],
    answers: [],
    broken: 0,
    handler: createWebhookHandler({
      secret: sandbox.webhookSecret,
      store: memoryStore({ now }),
      now,
      timers: { setTimeout: () => 0, clearTimeout: () => {} },
      onPaid: fulfil,
      onAdjusted: fulfil,
      onCanceled: (event) => shop.canceled.push(event),
      onReport: (report) => shop.reports.push(report),
      ...pins,
    }),
  };
  stage.receive = async ({ headers, body }) => {
    const { status } = await shop.handler.handle({ method: 'POST', headers, body });
    shop.answers.push(status);
    return status;
  };
  return shop;
}

async function advance({ sandbox, runtime }: Stage, minutes: number): Promise<void> {
  runtime.pass(minutes * 60_000);
  await sandbox.advance(minutes * 60_000);
}

export const WEBHOOKS: readonly Behaviour[] = [
  {
    name: 'a paid webhook is verified and decoded',
    async run(stage) {
      await stage.merchant.invoices.create(ORDER);
      const {
        invoice: { uuid },
      } = await stage.sandbox.pay('order-1042');
      const event = await lastEvent(stage);
      expect(event).toMatchObject({
        type: 'invoice.paid',
        source: 'webhook',
        id: stage.arrived[0]?.headers['X-Webhook-Id'],
        invoice_uuid: uuid,
        external_id: 'order-1042',
        order: 'order-1042',
        renewal: 0,
        status: 'success',
        adjusted: false,
        original_amount: null,
        secretIndex: 0,
      });
      expect(event.amount?.toFixed(2)).toBe('25.00');
      expect(event.credited_usdt?.toFixed(6)).toBe('26.861298');
      expect(event.signed_at?.getTime()).toBe(stage.runtime.time);
    },
  },
  {
    name: 'an adjusted webhook says what was paid and what was credited',
    async run(stage) {
      await stage.merchant.invoices.create(ORDER);
      await stage.sandbox.pay('order-1042', { amount: '17.00' });
      const event = await lastEvent(stage);
      expect(event).toMatchObject({ type: 'invoice.paid', adjusted: true });
      expect(event.amount?.toFixed(2)).toBe('17.00');
      expect(event.original_amount?.toFixed(2)).toBe('25.00');
      expect(event.credited_usdt?.toFixed(6)).toBe('18.265682');
    },
  },
  {
    name: 'the three canceled states are one event',
    async run(stage) {
      for (const status of ['expired', 'canceled', 'fail'] as const) {
        await stage.merchant.invoices.create({ ...ORDER, external_id: status });
        await { expired: stage.sandbox.expire, canceled: stage.sandbox.cancel, fail: stage.sandbox.fail }[status](
          status,
        );
        const event = await lastEvent(stage);
        expect(event).toMatchObject({ type: 'invoice.canceled', status, external_id: status, credited_usdt: null });
        expect(event).toMatchObject({ adjusted: false, original_amount: null });
        expect(event.amount?.toFixed(2)).toBe('25.00');
      }
    },
  },
  {
    name: 'a payment is fulfilled once, however often its webhook comes',
    async run(stage) {
      const shop = shopOn(stage);
      await stage.merchant.invoices.create(ORDER);
      stage.sandbox.faults.next('duplicate');
      await stage.sandbox.pay('order-1042');
      await stage.sandbox.resend('order-1042');
      await stage.merchant.webhooks.resend('order-1042');
      await stage.sandbox.settle();
      expect(shop.answers).toEqual([200, 200, 200, 200]);
      expect(shop.fulfilled).toMatchObject([{ external_id: 'order-1042' }]);
      expect(shop.reports.map(({ reason }) => reason)).toEqual(['duplicate', 'duplicate', 'duplicate']);
    },
  },
  {
    name: 'a webhook whose names are weak is refused until the merchant has pinned them, and nothing is lost',
    async run(stage) {
      const pins = pinsOf(stage);
      const shop = shopOn(stage, {});
      await stage.merchant.invoices.create(ORDER);
      await stage.sandbox.pay('order-1042');
      if (Object.keys(pins).length === 0) {
        expect([shop.answers, shop.fulfilled.length]).toEqual([[200], 1]);
        return;
      }
      expect([shop.answers, shop.fulfilled]).toEqual([[500], []]);
      const [report] = shop.reports;
      expect(report).toMatchObject({ reason: 'malformed_payload' });
      // In an envelope the members of the envelope are named from outside.
      const named = `Members that could be it: ${stage.dialect.orderIdMember}`;
      const isUnsaid = pins.adjustedMember !== undefined || pins.adjustedAbsent !== undefined;
      expect(report?.message).toContain(isUnsaid ? "set adjustedMember: 'path.of.the.member'" : named);
      const told = shopOn(stage);
      await advance(stage, 1); // the service repeats what was not done
      expect([told.answers, told.fulfilled]).toMatchObject([[200], [{ external_id: 'order-1042' }]]);
    },
  },
  {
    name: 'a fulfilment that fails is repeated by the service until it is done',
    async run(stage) {
      const shop = shopOn(stage);
      shop.broken = 2;
      await stage.merchant.invoices.create(ORDER);
      await stage.sandbox.pay('order-1042');
      await advance(stage, 1);
      await advance(stage, 5);
      // Where attempts are not stamped anew, the third one is six minutes old: past what a receiver may take.
      const stale = stage.dialect.timestampPer === 'delivery';
      expect(shop.answers).toEqual([500, 500, stale ? 401 : 200]);
      expect(shop.fulfilled).toHaveLength(stale ? 0 : 1);
      expect(shop.reports.at(-1)?.reason).toBe(stale ? 'timestamp_too_old' : 'handler_failed');
    },
  },
  {
    name: 'a delivery that was changed on its way is refused',
    async run(stage) {
      const shop = shopOn(stage);
      await stage.merchant.invoices.create(ORDER);
      stage.sandbox.faults.next('reserialized');
      await stage.sandbox.pay('order-1042');
      expect([shop.answers, shop.fulfilled]).toEqual([[401], []]);
      expect(shop.reports).toMatchObject([{ reason: 'signature_mismatch' }]);
    },
  },
  {
    name: 'a receiver that was down until the last attempt loses nothing: catchUp plays each event once',
    async run(stage) {
      const shop = shopOn(stage);
      const { merchant, sandbox, receive, dialect } = stage;
      const events = (): string[] =>
        [...shop.fulfilled, ...shop.canceled].map(({ external_id, source, status, amount, ...event }) => {
          const of = event.original_amount === null ? '' : ` of ${event.original_amount}`;
          return `${external_id} ${source} ${status} ${amount}${of} ${event.credited_usdt?.toFixed(6) ?? 'uncredited'}`;
        });
      const down = ['exact', 'less', 'more', 'failed', 'canceled', 'expired'];
      for (const external_id of [...down, 'open']) await merchant.invoices.create({ ...ORDER, external_id });
      stage.receive = () => 503;
      await sandbox.pay('exact');
      await sandbox.pay('less', { amount: '17.00' });
      await sandbox.pay('more', { amount: '30.00' });
      await sandbox.fail('failed');
      await sandbox.cancel('canceled');
      await sandbox.expire('expired');
      await advance(stage, 21 * 60); // "open" expires by itself
      for (const id of down) expect(sandbox.deliveries(id)).toMatchObject([{ status: 'failed', attempts: 7 }]);
      stage.receive = receive;
      const orders = [...down, 'open'].map((id) => identOf(stage, id));
      expect(await shop.handler.catchUp(merchant, { orders })).toMatchObject({ played: 7, alreadyDone: 0 });
      expect(events().sort()).toEqual([
        'canceled catch_up canceled 25 uncredited',
        'exact catch_up success 25 26.861298',
        'expired catch_up expired 25 uncredited',
        'failed catch_up fail 25 uncredited',
        'less catch_up success 17 of 25 18.265682',
        'more catch_up success 30 of 25 32.233557',
        'open catch_up expired 25 uncredited',
      ]);
      expect(await shop.handler.catchUp(merchant, { orders })).toMatchObject({ played: 0, alreadyDone: 7 });
      for (const id of down) await merchant.webhooks.resend(identOf(stage, id));
      await sandbox.settle();
      const stale = dialect.timestampPer === 'delivery'; // a repeat keeps the time of its first attempt
      expect(shop.answers).toEqual(down.map(() => (stale ? 401 : 200)));
      expect(events()).toHaveLength(7);
    },
  },
  {
    name: 'the delivery history tells of each attempt',
    async run(stage) {
      const { merchant, sandbox, dialect } = stage;
      const statuses = [500, 204];
      stage.receive = () => statuses.shift() ?? 200;
      await merchant.invoices.create(ORDER);
      await sandbox.pay('order-1042');
      const [waiting] = await merchant.webhooks.deliveries('order-1042');
      const word = dialect.laterVersion === 'some' ? 'queued' : 'pending';
      expect(waiting).toMatchObject({ status: word, attempts: 1, last_http_status: 500, delivered_at: null });
      expect(waiting?.next_retry_at?.toISOString()).toBe('2026-01-31T09:31:00.000Z');
      await advance(stage, 1);
      const [delivery, ...more] = await merchant.webhooks.deliveries('order-1042');
      expect(more).toEqual([]);
      expect(delivery).toMatchObject({
        id: stage.arrived[0]?.headers['X-Webhook-Id'],
        event_type: 'invoice.paid',
        status: 'delivered',
        attempts: 2,
        max_attempts: 7,
        last_http_status: 204,
        next_retry_at: null,
        attempt_log: [
          { status_code: 500, success: false, triggered_by: 'schedule' },
          { status_code: 204, success: true, triggered_by: 'schedule' },
        ],
      });
      expect(delivery?.delivered_at?.toISOString()).toBe('2026-01-31T09:31:00.000Z');
      const [failed, done] = delivery?.attempt_log ?? [];
      expect(failed?.error).toContain('returned 500');
      expect(done?.error ?? '').toBe('');
      expect([failed?.duration_ms, failed?.created_at?.toISOString()]).toEqual([0, '2026-01-31T09:30:00.000Z']);
    },
  },
  {
    name: 'an invoice without deliveries has an empty history',
    async run({ merchant, sandbox, dialect }) {
      await merchant.invoices.create({ ...ORDER, callback_url: null });
      expect(await merchant.webhooks.deliveries('order-1042')).toEqual([]);
      expectNotFound(await errorOf(merchant.webhooks.resend('order-1042')), dialect, 'WEBHOOK_NOT_FOUND');
      await sandbox.pay('order-1042');
      expect(await merchant.webhooks.deliveries('order-1042')).toEqual([]);
    },
  },
];
