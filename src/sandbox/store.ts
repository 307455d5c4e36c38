import type { KnownDeliveryStatus, KnownEventType, KnownInvoiceStatus } from '../contract/types.ts';
import type { Appointment } from './clock.ts';
import type {
  SandboxAdjustment,
  SandboxAttempt,
  SandboxMethod,
  SandboxWithdrawal,
  WireCurrency,
} from './wire-types.ts';

/** An invoice as it is kept: texts as they were sent, times in epoch milliseconds. */
export interface InvoiceRecord {
  readonly uuid: string;
  readonly external_id: string;
  readonly customer_id: string;
  readonly purpose: string | null;
  readonly amount: string;
  readonly currency: WireCurrency;
  readonly callback_url: string | null;
  readonly success_url: string | null;
  readonly fail_url: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  status: KnownInvoiceStatus;
  finishedAt: number | null;
  method: SandboxMethod | null;
  amountToSend: string | null;
  rate: string | null;
  settledUsdt: string | null;
  adjustment: SandboxAdjustment | null;
  expiry: Appointment | null;
}

/** A delivery as it is kept. */
export interface DeliveryRecord {
  readonly id: string;
  readonly invoice: InvoiceRecord;
  readonly eventType: KnownEventType;
  readonly url: string | null;
  readonly body: string;
  readonly createdAt: number;
  readonly log: SandboxAttempt[];
  status: KnownDeliveryStatus;
  nextRetryAt: number | null;
  deliveredAt: number | null;
  retry: Appointment | null;
  /** The attempt that is under way. */
  attempt: Promise<void> | null;
  /** X-Webhook-Timestamp of the first attempt, as an instant. */
  firstStamp: number | null;
}

/** All state of one sandbox, in memory. */
export class Store {
  readonly #byUuid = new Map<string, InvoiceRecord>();
  readonly #byExternalId = new Map<string, InvoiceRecord>();
  readonly #deliveries = new Map<string, DeliveryRecord[]>();
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

  /** By the service's order id or the merchant's. */
  byIdent(ident: string): InvoiceRecord | undefined {
    return this.byUuid(ident) ?? this.byExternalId(ident);
  }

  /** Oldest first. */
  invoices(): InvoiceRecord[] {
    return [...this.#byUuid.values()];
  }

  addDelivery(delivery: DeliveryRecord): void {
    const list = this.#deliveries.get(delivery.invoice.uuid);
    if (list === undefined) this.#deliveries.set(delivery.invoice.uuid, [delivery]);
    else list.push(delivery);
  }

  /** Of one invoice, or all; oldest first. */
  deliveries(invoice?: InvoiceRecord): DeliveryRecord[] {
    if (invoice === undefined) return [...this.#deliveries.values()].flat();
    return [...(this.#deliveries.get(invoice.uuid) ?? [])];
  }

  clear(): void {
    this.#byUuid.clear();
    this.#byExternalId.clear();
    this.#deliveries.clear();
  }
}
