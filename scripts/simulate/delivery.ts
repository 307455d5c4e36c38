import { RETRY_DELAYS } from '../../src/sandbox/delivery/deliveries.ts';
import { signWebhook } from '../../src/webhooks/index.ts';
import { type Invoices, STATUSES, uuidOf } from '../catch-up/invoices.ts';
import type { EventClock } from './event-clock.ts';
import type { Receiver } from './receiver.ts';

export const SECRET = 'whsec_simulate_0123456789';
/** The service waits 15 seconds for an answer. */
const SENDER_TIMEOUT = 15_000;
/** Deliveries are counted in spans of this length, for the peak. */
const SPAN = 10_000;

export interface Delivery {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** The delivery of an invoice, signed at this time. */
export async function deliveryOf(
  index: number,
  { ends }: Pick<Invoices, 'ends'>,
  timestamp: number,
): Promise<Delivery> {
  const status = STATUSES[ends[index] ?? STATUSES.indexOf('success')];
  const order = { invoice_uuid: uuidOf(index), external_id: `order-${index}`, status, amount: '25.00' };
  const paid = status === 'success' ? { credited_usdt: '26.91', adjusted: false } : {};
  const body = new TextEncoder().encode(JSON.stringify({ ...order, ...paid }));
  return { body, headers: { ...(await signWebhook(body, SECRET, { id: `delivery-${index}`, timestamp })) } };
}

/** The service as its webhooks show it: every ended invoice is delivered by the schedule of the interface. */
export class Sender {
  readonly #clock: EventClock;
  readonly #invoices: Invoices;
  readonly #receivers: readonly Receiver[];
  #turn = 0;
  readonly #spans = new Map<number, number>();
  /** Attempts that reached a process, and those that found none. */
  reached = 0;
  refused = 0;
  /** Deliveries whose last attempt has failed. */
  failed = 0;

  constructor(clock: EventClock, invoices: Invoices, receivers: readonly Receiver[]) {
    this.#clock = clock;
    this.#invoices = invoices;
    this.#receivers = receivers;
  }

  /** The most deliveries a second that reached the fleet, over ten seconds. */
  get peak(): number {
    return (Math.max(0, ...this.#spans.values()) * 1000) / SPAN;
  }

  /** Makes an attempt. Returns nothing if no process took it. */
  attempt(index: number, made = 0): Promise<void> | undefined {
    const receiver = this.#next();
    if (receiver !== undefined) return this.#send(receiver, index, made);
    this.refused += 1;
    this.#afterFailure(index, made);
  }

  async #send(receiver: Receiver, index: number, made: number): Promise<void> {
    const now = this.#clock.now();
    const span = Math.floor(now / SPAN);
    this.#spans.set(span, (this.#spans.get(span) ?? 0) + 1);
    this.reached += 1;
    const delivery = await deliveryOf(index, this.#invoices, now);
    const status = await new Promise<number | null>((resolve, reject) => {
      const limit = this.#clock.at(now + SENDER_TIMEOUT, () => {
        resolve(null);
        return true;
      });
      receiver.deliver(delivery).then((answered) => {
        this.#clock.cancel(limit);
        resolve(answered);
      }, reject);
    });
    if (status === null || status < 200 || status > 299) this.#afterFailure(index, made);
  }

  #afterFailure(index: number, made: number): void {
    const delay = RETRY_DELAYS[made + 1];
    if (delay === undefined) this.failed += 1;
    else this.#clock.at(this.#clock.now() + delay, () => this.attempt(index, made + 1));
  }

  /** The processes that are up take turns. */
  #next(): Receiver | undefined {
    const up = this.#receivers.filter(({ isUp }) => isUp);
    this.#turn += 1;
    return up[this.#turn % up.length];
  }
}
