// state/ holds the content of one sandbox: clock, store, log, faults and random ids. It knows neither the business rules
// nor HTTP, and imports only the contract and the wire types.

import type { KnownDeliveryStatus, KnownEventType } from '../../contract/statuses.ts';
import type { KnownInvoiceStatus } from '../../contract/types.ts';
import type {
  SandboxAdjustment,
  SandboxAttempt,
  SandboxInvoice,
  SandboxMethod,
  SandboxWithdrawal,
} from '../wire-types.ts';
import type { ScheduledTask } from './clock.ts';
import { SortedList } from './sorted-list.ts';

/** The checked members that a new invoice is made of. */
export type InvoiceDraft = Pick<
  SandboxInvoice,
  'external_id' | 'customer_id' | 'amount' | 'currency' | 'purpose' | 'callback_url' | 'success_url' | 'fail_url'
>;

/** An invoice as the sandbox keeps it: texts as they were sent, times in epoch milliseconds. */
export interface InvoiceRecord extends InvoiceDraft {
  readonly uuid: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The number of the invoice in this sandbox. Orders invoices of the same time. */
  readonly order: number;
  status: KnownInvoiceStatus;
  finishedAt: number | null;
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
  /** The latest {@link KEPT_ATTEMPTS}. */
  readonly log: SandboxAttempt[];
  /** The number of all attempts, dropped ones included. */
  made: number;
  status: KnownDeliveryStatus;
  nextRetryAt: number | null;
  deliveredAt: number | null;
  retry: ScheduledTask | null;
  /** The attempt in progress. */
  attempt: Promise<void> | null;
  /** X-Webhook-Timestamp of the first attempt, in epoch milliseconds. */
  firstStamp: number | null;
  /** The result of the search for the cause of a refusal, or null without a search. */
  finding: string | null;
}

/** Bounds the log, because a delivery can be resent without limit. */
export const KEPT_ATTEMPTS = 50;

const byCreation = (a: InvoiceRecord, b: InvoiceRecord): boolean =>
  a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.order < b.order);

type Filter = { readonly status?: string | null; readonly currency?: string | null };

/** The invoices and deliveries of one sandbox. Beyond `limit` invoices it drops the oldest with its deliveries. */
export class Store {
  readonly #limit: number;
  readonly #byUuid = new Map<string, InvoiceRecord>();
  readonly #byExternalId = new Map<string, InvoiceRecord>();
  readonly #ordered = new SortedList<InvoiceRecord>(byCreation);
  readonly #deliveries = new Map<string, DeliveryRecord[]>();
  readonly #byDeliveryId = new Map<string, DeliveryRecord>();
  /** Deliveries with an attempt in progress. */
  readonly inProgress = new Set<DeliveryRecord>();
  #added = 0;
  forgotten = 0;
  withdrawals: readonly SandboxWithdrawal[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  nextOrder(): number {
    this.#added += 1;
    return this.#added;
  }

  addInvoice(invoice: InvoiceRecord): void {
    this.#added = Math.max(this.#added, invoice.order); // a restored invoice keeps its number
    this.#byUuid.set(invoice.uuid, invoice);
    this.#byExternalId.set(invoice.external_id, invoice);
    this.#ordered.add(invoice);
    if (this.#byUuid.size > this.#limit) this.#forgetOldest();
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

  /** All invoices in the order of their creation. */
  invoices(): InvoiceRecord[] {
    return [...this.#byUuid.values()];
  }

  /** The invoices of a status and a currency, by time of creation. Null or absent means any. */
  list({ status = null, currency = null }: Filter = {}): SortedList<InvoiceRecord> {
    if (status === null && currency === null) return this.#ordered;
    return this.#ordered.filter(
      (invoice) =>
        (status ?? invoice.status) === invoice.status && (currency ?? invoice.currency.code) === invoice.currency.code,
    );
  }

  addDelivery(delivery: DeliveryRecord): void {
    this.#byDeliveryId.set(delivery.id, delivery);
    this.#deliveries.set(delivery.invoice.uuid, [...this.deliveries(delivery.invoice), delivery]);
  }

  deliveryById(id: string): DeliveryRecord | undefined {
    return this.#byDeliveryId.get(id);
  }

  /** The deliveries of one invoice, or of all, oldest first. */
  deliveries(invoice?: InvoiceRecord): DeliveryRecord[] {
    if (invoice === undefined) return [...this.#byDeliveryId.values()];
    return [...(this.#deliveries.get(invoice.uuid) ?? [])];
  }

  clear(): void {
    this.#byUuid.clear();
    this.#byExternalId.clear();
    this.#ordered.clear();
    this.#deliveries.clear();
    this.#byDeliveryId.clear();
    this.inProgress.clear();
    this.forgotten = 0;
  }

  #forgetOldest(): void {
    const [oldest] = this.#byUuid.values();
    if (oldest === undefined) return;
    oldest.expiry?.cancel();
    this.#byUuid.delete(oldest.uuid);
    this.#byExternalId.delete(oldest.external_id);
    this.#ordered.remove(oldest);
    for (const delivery of this.deliveries(oldest)) {
      delivery.retry?.cancel();
      this.#byDeliveryId.delete(delivery.id);
    }
    this.#deliveries.delete(oldest.uuid);
    this.forgotten += 1;
  }
}
