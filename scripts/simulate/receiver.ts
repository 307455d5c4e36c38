import {
  type CatchUpClient,
  type CatchUpCursor,
  createWebhookHandler,
  type InvoiceCanceledEvent,
  type InvoicePaidEvent,
  type WebhookContext,
  type WebhookHandler,
} from '../../src/webhooks/index.ts';
import { type Delivery, SECRET } from './delivery.ts';
import type { EventClock } from './event-clock.ts';
import { Life, type Server } from './life.ts';
import { type Costs, type Fault, processStore } from './process-store.ts';
import type { Extra, ShopStore } from './shop-store.ts';

/** The parts that all processes of a shop share. */
export interface Shop {
  readonly clock: EventClock;
  /** When the shop began. */
  readonly opened: number;
  readonly engine: Server;
  readonly costs: Costs;
  readonly fault: Fault;
  readonly store: ShopStore;
  /** Connections of each process. */
  readonly pool: number;
  /** True for an order whose invoice ends as paid. */
  isPaid(order: string): boolean;
  /** Milliseconds that the function of the merchant takes for an order. */
  workOf(order: string): number;
  /** Called when an order is credited. */
  credited(order: string): void;
  /** Called with the reason of each answer, and for what `catchUp` finds. */
  counted(reason: string): void;
}

/** The members of an event that are used here. */
type Ended = Pick<InvoicePaidEvent | InvoiceCanceledEvent, 'external_id' | 'source' | 'type'>;

/** A process with the real handler, which can die and start again. */
export class Receiver {
  readonly #shop: Shop;
  #life: Life | null = null;
  #handler: WebhookHandler;
  /** The most connections of one process. */
  connections = 0;

  constructor(shop: Shop) {
    this.#shop = shop;
    this.#handler = this.#start();
  }

  get isUp(): boolean {
    return this.#life !== null;
  }

  start(): void {
    if (this.#life === null) this.#handler = this.#start();
  }

  kill(): void {
    this.connections = Math.max(this.connections, this.#life?.most ?? 0);
    this.#life?.end();
    this.#life = null;
  }

  /** Handles a delivery. Resolves with the status, or null if the process died. */
  async deliver({ body, headers }: Delivery): Promise<number | null> {
    const life = this.#life;
    if (life === null) return null;
    const reply = await this.#handler.handle({ method: 'POST', headers, body });
    if (life.isOver) return null;
    this.connections = Math.max(this.connections, life.most);
    this.#shop.counted(reply.body);
    return reply.status;
  }

  /** Catches up once. Resolves with the cursor, or null if the process died. Rejects if its lists cannot be read. */
  async catchUp(
    clientFor: (life: Life) => CatchUpClient,
    cursor: CatchUpCursor | undefined,
    concurrency: number,
  ): Promise<CatchUpCursor | null> {
    const life = this.#life;
    if (life === null) return null;
    const options = { since: this.#shop.opened, cursor, concurrency };
    const result = await this.#handler.catchUp(clientFor(life), options).catch((error: unknown) => {
      if (life.isOver) return null;
      throw error;
    });
    if (life.isOver || result === null) return null;
    this.connections = Math.max(this.connections, life.most);
    for (let count = result.alreadyDone; count > 0; count -= 1) this.#shop.counted('done before catchUp');
    return result.cursor ?? null;
  }

  #start(): WebhookHandler {
    const { clock, pool, store, isPaid, workOf, credited, counted } = this.#shop;
    const life = new Life(clock, pool);
    this.#life = life;
    const work = async ({ external_id, source, type }: Ended, context: WebhookContext & Extra): Promise<void> => {
      if ((type === 'invoice.paid') !== isPaid(external_id)) throw new Error(`${external_id} did not end so`);
      if (store.isCredited(external_id, context)) return;
      await life.sleep(workOf(external_id));
      await store.credit(external_id, context);
      credited(external_id);
      if (source === 'catch_up') counted('by catchUp');
    };
    return createWebhookHandler<Extra>({
      secret: SECRET,
      store: processStore(store.store, this.#shop, life),
      now: clock.now,
      timers: clock.timers,
      onPaid: work,
      onCanceled: work,
      onReport: ({ reason }) => {
        if (!life.isOver && (reason === 'taken_over' || reason === 'completed_late')) counted(reason);
      },
    });
  }
}
