import { sentenceOf } from '../sandbox/delivery/diagnose.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SandboxEvent } from '../sandbox/state/log.ts';
import { type Lane, type Moment, momentOfAttempt, momentOfMove } from '../story.ts';

// What happened in a storm, in the order in which it happened: what customers and the shop did, and what the service
// saw. The text of a story, the verdict and the page are all made of it.

/** What gave something, as far as the moment shows it. */
export type GivenBy = 'checkout' | 'webhook' | 'other_webhook' | 'catch_up' | 'visit' | 'forgery' | 'worker';

/** A row of `fulfilments()` that was seen first now. */
export interface Gift {
  /** One of these acts, which began together. */
  readonly by: readonly GivenBy[];
  /** How many runs of the job were among them. */
  readonly jobs: number;
  /** Rows that were seen together have the same number. */
  readonly moment: number;
  readonly kind: string;
}

/** A moment of the day. */
export interface Seen {
  /** The order, the external_id of an invoice that is nobody's yet, or null for a moment of all orders. */
  readonly order: string | null;
  readonly moment: Moment;
  readonly given?: Gift;
  /** Where it stands among what has the same time. */
  readonly place?: number;
  /** The event that an attempt told the shop. */
  readonly told?: string;
  /** Of a kill of the shop: the orders that it worked for, and whether it came between two of its writes. */
  readonly struck?: { readonly orders: readonly string[]; readonly isWithin: boolean };
}

/**
 * The places within a moment. The clock stands still while the shop works, and what it did is seen when it is done:
 * what began it comes first.
 */
export const PLACES = { begins: 0, created: 1, together: 2, told: 3, given: 4 } as const;

export class Story {
  readonly #seen: Seen[] = [];
  readonly #byOrder = new Map<string | null, number[]>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** All moments, in the order in which they happened. */
  get moments(): readonly Seen[] {
    return this.#seen;
  }

  note(
    order: string | null,
    lane: Lane,
    what: string,
    text = '',
    more: Pick<Seen, 'given' | 'struck' | 'place'> = {},
  ): void {
    this.#add({ order, moment: { at: this.#now(), lane, grade: null, what, text }, ...more });
  }

  /** Notes what the service has seen of an order, or of an invoice that is nobody's yet. */
  see(event: SandboxEvent, order: string, sandbox: Sandbox): void {
    if (event.kind === 'invoice') {
      const place = event.from === null ? PLACES.created : PLACES.begins;
      this.#add({ order, moment: momentOfMove(event, sandbox.invoice(event.uuid)), place });
    } else if (event.kind === 'attempt') {
      const { at: created_at, delivery_id: delivery, event_type, attempt: number, max_attempts: of } = event;
      // How long an attempt took would differ from run to run.
      const told = { ...event, created_at, delivery, event: event_type, number, of, duration_ms: null };
      const moment = momentOfAttempt(told);
      const cause = event.cause === null || event.success ? '' : ` (${sentenceOf(event.cause)})`;
      // What an outage keeps from the shop, the shop does not see.
      const shown = isUnsent(moment)
        ? ({ lane: 'service', text: `${event_type} does not reach the shop` } as const)
        : { text: `${moment.text}${cause}` };
      this.#add({ order, moment: { ...moment, ...shown }, told: event_type, place: PLACES.told });
    }
  }

  #add(seen: Seen): void {
    const at = this.#byOrder.get(seen.order);
    if (at === undefined) this.#byOrder.set(seen.order, [this.#seen.length]);
    else at.push(this.#seen.length);
    this.#seen.push(seen);
  }

  /** Gives the moments of an invoice to the order whose it is. */
  claim(external_id: string, order: string): void {
    const own = this.#byOrder.get(external_id) ?? [];
    this.#byOrder.delete(external_id);
    this.#byOrder.set(
      order,
      [...(this.#byOrder.get(order) ?? []), ...own].sort((a, b) => a - b),
    );
    for (const at of own) {
      const seen = this.#seen[at];
      if (seen !== undefined) this.#seen[at] = { ...seen, order };
    }
  }

  /** The moments of one order, and those about all orders between its first and its last one. */
  of(order: string): readonly Seen[] {
    const own = this.#byOrder.get(order) ?? [];
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return [];
    const ofAll = (this.#byOrder.get(null) ?? []).filter((at) => at > first && at < last);
    return inOrder([...own, ...ofAll].sort((a, b) => a - b).flatMap((at) => this.#seen[at] ?? []));
  }

  /** The lines of one order. */
  textOf(order: string): string {
    return this.of(order)
      .map(({ moment }) => lineOf(moment))
      .join('\n');
  }
}

/** Whether an outage kept the webhook from the shop. */
export function isUnsent({ attempt }: Moment): boolean {
  return attempt?.fault === 'outage';
}

/** Sorts what has a place in its moment, between two rows that have none. */
function inOrder(seen: readonly Seen[]): Seen[] {
  const sorted: Seen[] = [];
  for (const each of seen) {
    let at = sorted.length;
    const isBehind = ({ place, moment }: Seen): boolean =>
      place !== undefined &&
      each.place !== undefined &&
      place > each.place &&
      moment.at?.getTime() === each.moment.at?.getTime();
    for (let before = sorted[at - 1]; before !== undefined && isBehind(before); before = sorted[at - 1]) at -= 1;
    sorted.splice(at, 0, each);
  }
  return sorted;
}

function lineOf({ at, lane, what, text }: Moment): string {
  const time = at?.toISOString() ?? '';
  const whole = [what, text].filter((part) => part !== '').join(': ');
  return `${time.slice(0, 10)} ${time.slice(11, 19)}  ${lane.padEnd(8)}  ${whole}`;
}
