import { sentenceOf } from '../sandbox/delivery/diagnose.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

/** The customer that a line is about. */
interface Subject {
  readonly plan: { readonly order: { readonly id: string } };
  /** The uuid of the invoice, once there is one. */
  readonly uuid: string | null;
}

/** A line of a story. */
interface Line {
  readonly at: string;
  /** The order, or null for a line about all of them. */
  readonly order: string | null;
  readonly text: string;
}

/** The timeline of a storm: what customers did, and what the service saw. */
export class Story {
  readonly #lines: Line[] = [];
  readonly #sandbox: Sandbox;
  /** The last event that was copied. The log of the sandbox keeps a limited number. */
  #last: object | null = null;
  readonly #orders = new Map<string, string>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  note(record: Subject | null, text: string): void {
    this.#copy();
    const at = this.#sandbox.now().toISOString();
    this.#lines.push({ at, order: record?.plan.order.id ?? null, text });
    if (record?.uuid !== null && record !== null)
      this.#orders.set(this.#sandbox.invoice(record.uuid).external_id, record.plan.order.id);
  }

  /** Copies what the service has seen since the last line. */
  #copy(): void {
    const events = this.#sandbox.events();
    const from = this.#last === null ? 0 : events.indexOf(this.#last as (typeof events)[number]) + 1; // one of them, or gone
    for (const event of events.slice(from)) {
      if (event.kind === 'invoice') {
        const paid = event.paid === null ? '' : `, ${event.paid} paid`;
        this.#add(event.at, event.external_id, `the invoice is ${event.to}${paid} (${event.why})`);
      } else if (event.kind === 'attempt') {
        const response = event.success ? `accepted with ${event.status_code}` : `not accepted: ${event.error}`;
        const cause = event.cause === null || event.success ? '' : ` (${sentenceOf(event.cause)})`;
        this.#add(event.at, event.external_id, `${event.event_type}, attempt ${event.attempt}: ${response}${cause}`);
      }
    }
    this.#last = events.at(-1) ?? this.#last;
  }

  #add(at: string, order: string, text: string): void {
    this.#lines.push({ at, order, text });
  }

  /** The lines of one order, by its id or that of its invoice, and those about all orders from its first line on. */
  of(order: string): string {
    this.#copy();
    const ids = new Set([
      order,
      ...[...this.#orders].filter(([, id]) => id === order).map(([external_id]) => external_id),
    ]);
    const first = this.#lines.findIndex((line) => line.order !== null && ids.has(line.order));
    return this.#lines
      .slice(first === -1 ? this.#lines.length : first)
      .filter((line) => line.order === null || ids.has(line.order))
      .map(({ at, text }) => `${at.slice(0, 10)} ${at.slice(11, 19)}  ${text}`)
      .join('\n');
  }
}
