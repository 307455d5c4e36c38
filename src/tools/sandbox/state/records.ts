// state/ holds the content of one sandbox: clock, store, log, faults and random ids. It knows neither the business
// rules nor HTTP.

import { RENEWALS_MAX, renewalId } from '../../../contract/orders.ts';
import type { KnownDeliveryStatus, KnownEventType } from '../../../contract/statuses.ts';
import type { KnownInvoiceStatus } from '../../../contract/types.ts';
import { namesOf } from '../../../errors/checks.ts';
import type {
  NewInvoice,
  SandboxAdjustment,
  SandboxAttempt,
  SandboxInvoice,
  SandboxMethod,
  SandboxWithdrawal,
} from '../types.ts';
import type { ScheduledTask } from './clock.ts';

/** The checked members that a new invoice is made of. */
export type InvoiceDraft = Pick<
  SandboxInvoice,
  'external_id' | 'customer_id' | 'amount' | 'currency' | 'purpose' | 'callback_url' | 'success_url' | 'fail_url'
>;

/** The members that a new invoice may be given. */
export const NEW_INVOICE_NAMES = namesOf<NewInvoice>({
  external_id: true,
  customer_id: true,
  amount: true,
  currency: true,
  purpose: true,
  callback_url: true,
  success_url: true,
  fail_url: true,
});

/** An invoice as the sandbox keeps it: texts as they were sent, times in epoch milliseconds. */
export interface InvoiceRecord extends InvoiceDraft {
  readonly uuid: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  status: KnownInvoiceStatus;
  finishedAt: number | null;
  /** The end before a late payment. Null for any other invoice. */
  paidAfter: KnownInvoiceStatus | null;
  method: SandboxMethod | null;
  amountToSend: string | null;
  rate: string | null;
  settledUsdt: string | null;
  adjustment: SandboxAdjustment | null;
  expiry: ScheduledTask | null;
}

/** A delivery as it is kept. */
export interface DeliveryRecord {
  readonly id: string;
  readonly invoice: InvoiceRecord;
  readonly eventType: KnownEventType;
  readonly url: string;
  readonly body: string;
  readonly createdAt: number;
  /** The latest 50 attempts, the oldest first. */
  readonly log: SandboxAttempt[];
  /** The number of all attempts, dropped ones included. */
  made: number;
  status: KnownDeliveryStatus;
  nextRetryAt: number | null;
  deliveredAt: number | null;
  retry: ScheduledTask | null;
  /** The attempt in progress. */
  attempt: Promise<void> | null;
}

/** Bounds the log, because a delivery can be resent without limit. */
export const KEPT_ATTEMPTS = 50;

/** The invoices and deliveries of one sandbox, in the order of their creation. */
export class Store {
  readonly #byUuid = new Map<string, InvoiceRecord>();
  readonly #byExternalId = new Map<string, InvoiceRecord>();
  readonly #deliveries = new Map<string, DeliveryRecord>();
  readonly #deliveriesOf = new Map<InvoiceRecord, DeliveryRecord[]>();
  withdrawals: readonly SandboxWithdrawal[] = [];

  addInvoice(invoice: InvoiceRecord): void {
    this.#byUuid.set(invoice.uuid, invoice);
    this.#byExternalId.set(invoice.external_id, invoice);
  }

  byUuid(uuid: string): InvoiceRecord | undefined {
    return this.#byUuid.get(uuid.toLowerCase());
  }

  byExternalId(id: string): InvoiceRecord | undefined {
    return this.#byExternalId.get(id);
  }

  /** Finds an invoice by the uuid of the service or the `external_id` of the merchant. */
  byIdent(ident: string): InvoiceRecord | undefined {
    return this.byUuid(ident) ?? this.byExternalId(ident);
  }

  /** The invoices of an order: the first one, then its renewals. */
  ofOrder(order: string): InvoiceRecord[] {
    const ids = Array.from({ length: RENEWALS_MAX + 1 }, (_, renewal) => renewalId({ order, renewal }));
    return ids.flatMap((id) => this.byExternalId(id) ?? []);
  }

  /** All invoices, oldest first. */
  invoices(): InvoiceRecord[] {
    return [...this.#byUuid.values()];
  }

  addDelivery(delivery: DeliveryRecord): void {
    this.#deliveries.set(delivery.id, delivery);
    const others = this.#deliveriesOf.get(delivery.invoice);
    if (others === undefined) this.#deliveriesOf.set(delivery.invoice, [delivery]);
    else others.push(delivery);
  }

  deliveryById(id: string): DeliveryRecord | undefined {
    return this.#deliveries.get(id);
  }

  /** The deliveries of one invoice, or of all, oldest first. An invoice has a second one after a late payment. */
  deliveries(invoice?: InvoiceRecord): DeliveryRecord[] {
    if (invoice === undefined) return [...this.#deliveries.values()];
    return [...(this.#deliveriesOf.get(invoice) ?? [])];
  }

  latestDelivery(invoice: InvoiceRecord): DeliveryRecord | undefined {
    return this.#deliveriesOf.get(invoice)?.at(-1);
  }

  clear(): void {
    this.#byUuid.clear();
    this.#byExternalId.clear();
    this.#deliveries.clear();
    this.#deliveriesOf.clear();
  }
}
