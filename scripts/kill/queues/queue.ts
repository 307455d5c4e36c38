import { type InvoicePaidEvent, parseInvoiceEvent } from '../../../src/webhooks/index.ts';

/** One attempt at a job. */
export interface Job {
  readonly event: InvoicePaidEvent;
  /** From 1. */
  readonly attempt: number;
  /** The right way to credit: what the engine can hold. */
  credit(): Promise<void>;
  /** The wrong way: a separate write that a repeat makes again. */
  creditAlone(): Promise<void>;
}

/** Between the receivers and the books: `Shop.credit` only enqueues, and workers write the credit. */
export interface ShopQueue {
  /** Milliseconds until another worker gets the job of a dead one. Those of the engines would take the run hours. */
  readonly lock: number;
  /** Takes jobs until the process ends. */
  work(each: (job: Job) => Promise<void>): Promise<void>;
  /** How many jobs have not ended, and how many have no attempt left. */
  jobs(): Promise<{ readonly left: number; readonly dead: number }>;
}

/** The data of a job. Text, because jsonb refuses NUL and half a surrogate pair, which JSON text may contain. */
export interface JobData {
  readonly event: string;
}

export function paidEventOf({ event }: JobData): InvoicePaidEvent {
  const parsed = parseInvoiceEvent(JSON.parse(event));
  if (parsed.type !== 'invoice.paid') throw new Error(`a job with ${parsed.type}`);
  return parsed;
}
