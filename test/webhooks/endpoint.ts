import {
  createWebhookHandler,
  memoryStore,
  signWebhook,
  type WebhookHandler,
  type WebhookHandlerOptions,
  type WebhookReply,
  type WebhookReport,
  type WebhookRequest,
} from '../../src/webhooks/index.ts';
import { ManualClock } from './manual-clock.ts';
import { SECRET, UUID } from './vectors.ts';

/** A promise with its handles outside. */
export function deferred() {
  let resolve = (): void => {};
  let reject = (_error: unknown): void => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** A handler over a manual clock, with everything it reported. */
export function endpoint(options: Partial<WebhookHandlerOptions> = {}, clock = new ManualClock()) {
  const reports: WebhookReport[] = [];
  const calls: string[] = [];
  const handler = createWebhookHandler({
    secret: SECRET,
    store: memoryStore({ now: clock.now }),
    onPaid: (event) => void calls.push(`paid ${event.external_id}`),
    onAdjusted: (event) => void calls.push(`adjusted ${event.external_id}`),
    onCanceled: (event) => void calls.push(`canceled ${event.external_id}`),
    // The secret of the vectors is short: its own test looks at that report.
    onReport: (report) => void (report.reason === 'weak_secret' || reports.push(report)),
    now: clock.now,
    timers: clock.timers,
    ...options,
  });
  return { handler, clock, reports, calls, reasons: () => reports.map((report) => report.reason) };
}

export const paidBody = {
  invoice_uuid: UUID,
  external_id: 'order-1042',
  status: 'success',
  amount: '25.00',
  credited_usdt: '26.91',
  adjusted: false,
};
export const canceledBody = { invoice_uuid: UUID, external_id: 'order-1042', status: 'expired', amount: '25.00' };

/** A genuine request, signed at the clock's time. */
export async function request(clock: ManualClock, body: object = paidBody, id = 'dlv_1'): Promise<WebhookRequest> {
  const text = JSON.stringify(body);
  const headers = await signWebhook(text, SECRET, { id, timestamp: clock.time });
  return { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: Buffer.from(text) };
}

/** Sends a genuine request. */
export async function send(
  { handler, clock }: { readonly handler: WebhookHandler; readonly clock: ManualClock },
  body: object = paidBody,
  id = 'dlv_1',
): Promise<WebhookReply> {
  return await handler.handle(await request(clock, body, id));
}
