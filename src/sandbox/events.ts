import type { KnownDeliveryStatus, KnownEventType, KnownInvoiceStatus } from '../contract/types.ts';

/** A request that the sandbox answered, or refused, or broke on purpose. Never holds the API key. */
export interface RequestEntry {
  readonly kind: 'request';
  /** Also the X-Request-Id of the answer. */
  readonly id: string;
  /** ISO 8601, sandbox clock. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** With its leading `?`, or empty. */
  readonly query: string;
  /** Such as `invoices.create`; `page` for the payment page and the dashboard; null where no endpoint matched. */
  readonly operation: string | null;
  /** Null where a fault left the request unanswered. */
  readonly status: number | null;
  /** `error.code` of a refusal. */
  readonly code: string | null;
  /** Why it was refused, or what is worth knowing about it; null when there is nothing to say. */
  readonly why: string | null;
  /** The injected fault that hit it. */
  readonly fault: string | null;
  /** Bodies as text, cut at 4,000 characters; page requests keep none. */
  readonly request_body: string;
  readonly response_body: string;
}

/** An invoice came to be (`from` is null) or moved. */
export interface InvoiceMove {
  readonly kind: 'invoice';
  readonly at: string;
  readonly uuid: string;
  readonly external_id: string;
  readonly from: KnownInvoiceStatus | null;
  readonly to: KnownInvoiceStatus;
  readonly why: string;
}

/** One attempt to deliver a webhook has ended. */
export interface DeliveryMove {
  readonly kind: 'attempt';
  readonly at: string;
  readonly delivery_id: string;
  readonly external_id: string;
  readonly event_type: KnownEventType;
  readonly url: string | null;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly status: KnownDeliveryStatus;
  readonly status_code: number | null;
  readonly success: boolean;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly triggered_by: 'schedule' | 'manual';
  readonly next_retry_at: string | null;
  readonly response_body: string | null;
  /** The cause of a refusal where it is known; null where it cannot be. */
  readonly why: string | null;
}

/** Something the sandbox wants known: no webhook could be sent, or it answered what the contract does not read. */
export interface SandboxNote {
  readonly kind: 'note';
  readonly at: string;
  readonly text: string;
}

/** Everything that happens in a sandbox, in order. */
export type SandboxEvent = RequestEntry | InvoiceMove | DeliveryMove | SandboxNote;

/** One plain line for a terminal: what happened, and why. @experimental */
export function describeEvent(event: SandboxEvent): string {
  const time = event.at.slice(11, 19);
  switch (event.kind) {
    case 'request': {
      const answer = event.status === null ? 'no answer' : String(event.status);
      const parts = [event.code, event.fault && `fault: ${event.fault}`, event.why && `why: ${event.why}`];
      return [`${time}  ${event.method} ${event.path}${event.query}`, answer, ...parts].filter(Boolean).join('  ');
    }
    case 'invoice':
      return `${time}  invoice ${event.external_id}  ${event.from ?? 'new'} → ${event.to}  ${event.why}`;
    case 'attempt': {
      const outcome = event.success ? `${event.status_code} delivered` : `${event.error}`;
      const next = event.next_retry_at === null ? '' : `  next try ${event.next_retry_at.slice(11, 19)}`;
      const attempt = `try ${event.attempt} of ${event.max_attempts}${event.triggered_by === 'manual' ? ', resent' : ''}`;
      return `${time}  → ${event.event_type} ${event.external_id}  ${event.url ?? 'nowhere'}  ${attempt}  ${outcome} in ${event.duration_ms} ms${next}${event.why === null ? '' : `  why: ${event.why}`}`;
    }
    case 'note':
      return `${time}  note  ${event.text}`;
  }
}

const KEPT = 2_000;

/** The log of a sandbox: bounded, newest last, told to the listener as it grows. @internal */
export class EventLog {
  readonly #events: SandboxEvent[] = [];
  readonly #listener: ((event: SandboxEvent) => void) | undefined;

  constructor(listener: ((event: SandboxEvent) => void) | undefined) {
    this.#listener = listener;
  }

  add(event: SandboxEvent): void {
    this.#events.push(event);
    if (this.#events.length > KEPT) this.#events.splice(0, this.#events.length - KEPT);
    try {
      this.#listener?.(event);
    } catch {
      // A listener that throws must not change what the service answers.
    }
  }

  all(): SandboxEvent[] {
    return [...this.#events];
  }

  requests(): RequestEntry[] {
    return this.#events.filter((event) => event.kind === 'request');
  }

  clear(): void {
    this.#events.length = 0;
  }
}
