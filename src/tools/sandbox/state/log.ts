import type { KnownInvoiceStatus } from '../../../contract/types.ts';
import { notify } from '../../../errors/notify.ts';
import type { SandboxAttempt, SandboxDelivery } from '../types.ts';

/** A request to the API, or one with an API key to another path. Never holds the key. */
export interface RequestEntry {
  readonly kind: 'request';
  /** Also the X-Request-Id of the response. */
  readonly id: string;
  /** ISO 8601, sandbox clock. */
  readonly at: string;
  /** The HTTP method, such as `POST`. */
  readonly method: string;
  /** The path, percent-encoded as it came, without the query. */
  readonly path: string;
  /** With its leading `?`, or empty. */
  readonly query: string;
  /** Such as `invoices.create`. Null if no endpoint matched. */
  readonly operation: string | null;
  /** The HTTP status of the response. Null if a fault left the request unanswered. */
  readonly status: number | null;
  /** Milliseconds of real time until the response was ready. */
  readonly duration_ms: number;
  /** `error.code` of an error response, else null. */
  readonly code: string | null;
  /** The cause of an error response, or another remark, or null. */
  readonly why: string | null;
  /** The type of the injected fault, or null. */
  readonly fault: string | null;
  /** The headers of the request without X-Api-Key, at most 30, each cut off at 200 characters. */
  readonly headers: Readonly<Record<string, string>>;
  /** Cut off at 4,000 characters. */
  readonly request_body: string;
  /** Cut off in the same way. */
  readonly response_body: string;
}

/** An invoice was created (`from` is null) or changed its status. */
export interface InvoiceMove {
  readonly kind: 'invoice';
  /** ISO 8601, sandbox clock. */
  readonly at: string;
  readonly uuid: string;
  readonly external_id: string;
  /** Null for a creation. */
  readonly from: KnownInvoiceStatus | null;
  readonly to: KnownInvoiceStatus;
  /** The ordered amount, with the code of its currency. */
  readonly amount: string;
  readonly currency: string;
  /** The paid amount if it is not the ordered one, else null. */
  readonly paid: string | null;
  /** The credited USDT. Null unless it is paid. */
  readonly credited: string | null;
  /** Why it ended unpaid, as words for people. Null for any other change. */
  readonly why: string | null;
}

/** One attempt to deliver a webhook has ended. The status and the time of the next attempt are those after it. */
export interface DeliveryMove
  extends Pick<SandboxDelivery, 'external_id' | 'event_type' | 'url' | 'max_attempts' | 'status' | 'next_retry_at'>,
    Omit<SandboxAttempt, 'created_at' | 'request' | 'response_headers'> {
  readonly kind: 'attempt';
  /** ISO 8601, sandbox clock. */
  readonly at: string;
  /** X-Webhook-Id of the delivery. */
  readonly delivery_id: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

/** A remark: the clock or a fault was changed, no webhook could be sent, or a response is not as the contract says. */
export interface SandboxNote {
  readonly kind: 'note';
  /** ISO 8601, sandbox clock. */
  readonly at: string;
  /** The order that it is about. Null if it is about none. */
  readonly external_id: string | null;
  /** One sentence for people. */
  readonly text: string;
}

/** Everything that happens in a sandbox, in order. */
export type SandboxEvent = RequestEntry | InvoiceMove | DeliveryMove | SandboxNote;

const KEPT = 2_000;

/** The start of a text, as a copy. A slice would keep the whole text in memory as long as the log holds the slice. */
export function copyOfStart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // The two classes are made here, because jsdom has neither, and there the entry must load.
  return new TextDecoder().decode(new TextEncoder().encode(text.slice(0, limit)));
}

type Listener = (event: SandboxEvent) => void;
/** An event before the log writes its time. */
type Untimed<Event> = Event extends SandboxEvent ? Omit<Event, 'at'> : never;

/** The last 2,000 events of a sandbox, newest last. Calls each listener with each new event. @internal */
export class EventLog {
  readonly #events: SandboxEvent[] = [];
  readonly #listeners = new Set<Listener>();
  readonly #now: () => number;

  /** @param now The time of the sandbox clock, in epoch milliseconds. */
  constructor(now: () => number, listener: Listener | undefined) {
    this.#now = now;
    if (listener !== undefined) this.#listeners.add(listener);
  }

  /** Calls the listener with each event from now on. Returns a function that ends it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** How many listeners there are. */
  listeners(): number {
    return this.#listeners.size;
  }

  add(untimed: Untimed<SandboxEvent>): void {
    const event = { at: new Date(this.#now()).toISOString(), ...untimed };
    this.#events.push(event);
    // In larger steps, because each one moves the whole list.
    if (this.#events.length > 2 * KEPT) this.#events.splice(0, this.#events.length - KEPT);
    for (const listener of this.#listeners) notify(() => listener(event));
  }

  note(text: string, external_id: string | null = null): void {
    this.add({ kind: 'note', external_id, text });
  }

  all(): SandboxEvent[] {
    return this.#events.slice(-KEPT);
  }

  requests(): RequestEntry[] {
    return this.all().filter((event) => event.kind === 'request');
  }

  clear(): void {
    this.#events.length = 0;
  }
}
