import type { Dialect } from '../../../sandbox/index.ts';
import { deliver, type Reply, type Shot } from '../deliver.ts';
import { deliveryHeaders, type EventKind, type SampleEvent, sampleEvent } from '../sample-event.ts';

/** What the examination is told. */
export interface ExamSettings {
  readonly url: string;
  /** The first signs; every further one must be accepted, too. */
  readonly secrets: readonly string[];
  readonly dialect: Dialect;
  /** Null: order ids of its own. */
  readonly externalId: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly timeout: number;
  readonly now: () => number;
}

/** How a delivery differs from a good one. */
export interface Change {
  readonly secret?: string;
  /** Epoch milliseconds. */
  readonly timestamp?: number;
  readonly id?: string;
  /** Puts these over the signed headers; undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sends this body under the signature of the other. */
  readonly sentBody?: string;
}

/** Makes deliveries and sends them. Remembers what every check needs to know. */
export class Examiner {
  readonly settings: ExamSettings;
  /** Whether the first good delivery was accepted: where nothing is, a refusal proves nothing. */
  acceptsGood = false;
  /** Milliseconds of the slowest answer to a good delivery. */
  slowest = 0;
  readonly #run = crypto.randomUUID().slice(0, 8);
  #orders = 0;

  constructor(settings: ExamSettings) {
    this.settings = settings;
  }

  event(kind: EventKind): Promise<SampleEvent> {
    this.#orders += 1;
    const { externalId, amount, currency, dialect } = this.settings;
    return sampleEvent(
      kind,
      { externalId: externalId ?? `check-${this.#run}-${this.#orders}`, amount, currency },
      dialect,
    );
  }

  /** A POST of this event, right in everything but the change. */
  async shot(event: SampleEvent, { secret, timestamp, id, headers = {}, sentBody }: Change = {}): Promise<Shot> {
    const { secrets, dialect, now } = this.settings;
    const [first = ''] = secrets;
    const signed = await deliveryHeaders(event, secret ?? first, dialect, timestamp ?? now(), id);
    const changed = Object.entries({ ...signed, ...headers }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return { method: 'POST', headers: Object.fromEntries(changed), body: sentBody ?? event.body };
  }

  async send(shot: Shot): Promise<Reply> {
    return deliver(this.settings.url, shot, this.settings.timeout);
  }

  /** Sends what a receiver has to accept. */
  async sendGood(shot: Shot): Promise<Reply> {
    const reply = await this.send(shot);
    this.slowest = Math.max(this.slowest, reply.ms);
    return reply;
  }
}
