import { sentenceOf } from '../sandbox/delivery/diagnose.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type Lane, type Moment, momentOfAttempt, momentOfMove } from '../story.ts';

/** The customer that a moment is about. */
interface Subject {
  readonly plan: { readonly order: { readonly id: string } };
  /** The uuid of the invoice, once there is one. */
  readonly uuid: string | null;
}

/** A moment of the day, with its order. */
interface Seen {
  /** The order, or null for a moment of all of them. */
  readonly order: string | null;
  readonly moment: Moment;
}

/** What happened in a storm: what customers and the shop did, and what the service saw. */
export class Story {
  readonly #seen: Seen[] = [];
  readonly #sandbox: Sandbox;
  /** The last event that was copied. The log of the sandbox keeps a limited number. */
  #last: object | null = null;
  readonly #orders = new Map<string, string>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  note(record: Subject | null, lane: Lane, text: string): void {
    this.#copy();
    const order = record?.plan.order.id ?? null;
    this.#seen.push({ order, moment: { at: this.#sandbox.now(), lane, grade: null, what: '', text } });
    if (record?.uuid !== null && record !== null)
      this.#orders.set(this.#sandbox.invoice(record.uuid).external_id, record.plan.order.id);
  }

  /** Copies what the service has seen since the last moment. */
  #copy(): void {
    const events = this.#sandbox.events();
    const from = this.#last === null ? 0 : events.indexOf(this.#last as (typeof events)[number]) + 1; // one of them, or gone
    for (const event of events.slice(from)) {
      if (event.kind === 'invoice') {
        const moment = momentOfMove(event, this.#sandbox.invoice(event.uuid));
        this.#seen.push({ order: event.external_id, moment });
      } else if (event.kind === 'attempt') {
        const { at: created_at, delivery_id: delivery, event_type, attempt: number, max_attempts: of } = event;
        // How long an attempt took would differ from run to run.
        const told = { ...event, created_at, delivery, event: event_type, number, of, duration_ms: null };
        const moment = momentOfAttempt(told);
        const cause = event.cause === null || event.success ? '' : ` (${sentenceOf(event.cause)})`;
        this.#seen.push({ order: event.external_id, moment: { ...moment, text: `${moment.text}${cause}` } });
      }
    }
    this.#last = events.at(-1) ?? this.#last;
  }

  /** The lines of one order, by its id or that of its invoice, and those about all orders from its first line on. */
  of(order: string): string {
    this.#copy();
    const ids = new Set([
      order,
      ...[...this.#orders].filter(([, id]) => id === order).map(([external_id]) => external_id),
    ]);
    const first = this.#seen.findIndex((each) => each.order !== null && ids.has(each.order));
    return this.#seen
      .slice(first === -1 ? this.#seen.length : first)
      .filter((each) => each.order === null || ids.has(each.order))
      .map(({ moment }) => lineOf(moment))
      .join('\n');
  }
}

function lineOf({ at, lane, what, text }: Moment): string {
  const time = at?.toISOString() ?? '';
  const whole = [what, text].filter((part) => part !== '').join(': ');
  return `${time.slice(0, 10)} ${time.slice(11, 19)}  ${lane.padEnd(8)}  ${whole}`;
}
