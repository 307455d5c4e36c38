import { createWebhookHandler, type WebhookContext } from '../../src/webhooks/index.ts';
import { STATUSES } from '../catch-up/invoices.ts';
import { deliveryOf, SECRET } from './delivery.ts';
import { EventClock } from './event-clock.ts';
import type { Costs } from './process-store.ts';
import { type Extra, openShopStore, type StoreName } from './shop-store.ts';

const DELIVERIES = 300;
const WARM_UP = 100;
/** A delivery claims the event, and runs the function with the completion. */
const OPERATIONS = 2;
const ALL_PAID = new Uint8Array(WARM_UP + DELIVERIES).fill(STATUSES.indexOf('success'));

/** Measures on this machine, now, what a delivery costs: with the store in memory, and with the chosen one. */
export async function measureCosts(store: StoreName): Promise<Costs> {
  const processor = await quietest('memory');
  const whole = store === 'memory' ? processor : await quietest(store);
  return { processor, operation: Math.max(0, whole - processor) / OPERATIONS };
}

/** Milliseconds of a delivery, one after the other: the lowest tenth, which other work on the machine disturbs least. */
async function quietest(name: StoreName): Promise<number> {
  const clock = new EventClock(Date.now());
  const shop = await openShopStore(name, clock, 2);
  try {
    const work = ({ external_id }: { readonly external_id: string }, context: WebhookContext & Extra) =>
      shop.credit(external_id, context);
    const options = { secret: SECRET, store: shop.store, now: clock.now, onPaid: work, onCanceled: work };
    const handler = createWebhookHandler<Extra>(options);
    const times: number[] = [];
    for (let index = 0; index < WARM_UP + DELIVERIES; index += 1) {
      const delivery = await deliveryOf(index, { ends: ALL_PAID }, clock.now());
      const startedAt = performance.now();
      const { status } = await handler.handle({ method: 'POST', ...delivery });
      if (index >= WARM_UP) times.push(performance.now() - startedAt);
      if (status !== 200) throw new Error(`${name} answered ${status}`);
    }
    return times.sort((a, b) => a - b)[DELIVERIES / 10] ?? Number.NaN;
  } finally {
    await shop.close();
  }
}
