import { orderOf } from '../../contract/orders.ts';
import { plainIdent } from '../../contract/values/scalars.ts';
import type { SandboxInvoice } from '../sandbox/types.ts';
import type { PlannedCustomer } from './customers.ts';
import type { Found, StormFindingKind, StormMistake } from './words.ts';

// What the storm has seen of each customer, and whose order an id is.

/** What the storm has seen of a customer, beside what the sandbox knows. */
export class CustomerRecord {
  readonly plan: PlannedCustomer;
  /** Whether the customer came to the shop before the storm was ended. */
  hasArrived = false;
  /** The shop said that it does not sell. */
  isRefused = false;
  /** The uuid of the invoice that the customer was sent to last, or null if there was none. */
  uuid: string | null = null;
  /** The one that the customer was sent to first, which may be open in an old tab. */
  firstUuid: string | null = null;
  /** The uuids of the invoices of this order, the oldest first. */
  readonly uuids: string[] = [];
  /** The paid invoices as they were when they were paid: the service may correct them later. */
  readonly payments = new Map<string, SandboxInvoice>();
  /** What met the webhook of the payment: that of another payment, that of the first invoice's end, or a press. */
  paidWith: 'payment' | 'end' | 'press' | null = null;
  /** Whether the last read of the job about this order failed, after a payment. */
  isUnread = false;
  /** The uuids of the paid invoices that the job has asked for. */
  readonly readByJob = new Set<string>();
  /** Whether the customer opened the success_url without having paid. */
  hasVisitedUnpaid = false;
  /** What was wrong before the eyes of this customer. */
  readonly met = new Map<StormFindingKind, Found>();

  constructor(plan: PlannedCustomer) {
    this.plan = plan;
  }

  /** Notes what is wrong, once for each kind. */
  meets(kind: StormFindingKind, problem: string, mistake?: StormMistake): void {
    if (!this.met.has(kind)) this.met.set(kind, { kind, order: this.plan.order.id, problem, mistake });
  }
}

/** The customers of a storm, by their orders and invoices. */
export class Records {
  readonly all: readonly CustomerRecord[];
  /** The customers whose checkouts run. */
  readonly pressing: CustomerRecord[] = [];
  readonly #byId = new Map<string, CustomerRecord>();
  readonly #ofCustomer: ReadonlyMap<string, readonly CustomerRecord[]>;
  /** Invoices of checkouts that ran at the same moment, of which no id says whose they are: the link that a customer gets does. */
  readonly #unowned = new Map<string, SandboxInvoice>();

  constructor(plans: readonly PlannedCustomer[]) {
    this.all = plans.map((plan) => new CustomerRecord(plan));
    this.#ofCustomer = Map.groupBy(this.all, ({ plan }) => plan.order.customer_id);
    for (const record of this.all) this.#byId.set(plainIdent(record.plan.order.id), record);
  }

  /** The order of an id: its own, or that of one of its invoices. */
  of(id: string): CustomerRecord | undefined {
    return this.#byId.get(plainIdent(id)) ?? this.#byId.get(plainIdent(orderOf(id).order));
  }

  /**
   * Takes a new invoice. A shop may create it outside of a checkout, such as in its handler: then the ids say whose it
   * is.
   */
  own(invoice: SandboxInvoice): void {
    const { external_id, customer_id } = invoice;
    const pressing = [...new Set(this.pressing)];
    const byId = this.of(external_id);
    const ofCustomer = pressing.filter(({ plan }) => plan.order.customer_id === customer_id);
    const fitting = pressing.length <= 1 ? pressing : ofCustomer;
    const pressed = pressing.find((each) => each === byId) ?? (fitting.length === 1 ? fitting[0] : undefined);
    // A shop that renews in its handler may do so while somebody else presses.
    const renewed = orderOf(external_id).renewal > 0 && byId !== undefined && byId.uuids.length > 0 ? byId : undefined;
    const record =
      renewed ?? pressed ?? byId ?? (pressing.length > 1 ? undefined : this.#guess(external_id, customer_id));
    if (record === undefined) this.#unowned.set(invoice.uuid, invoice);
    else this.#give(invoice, record);
  }

  /** The order of a further charge of a customer, such as the rest of a deposit: its id begins with that of the order. */
  #guess(external_id: string, customer: string): CustomerRecord | undefined {
    const all = this.#ofCustomer.get(customer) ?? [];
    const begins = ({ plan: { order } }: CustomerRecord): boolean =>
      external_id.startsWith(order.id) && !/^\d/.test(external_id.slice(order.id.length));
    return all.find(begins) ?? all.at(-1);
  }

  /** Gives an invoice to the customer who got its link, if it is nobody's yet. */
  claim(uuid: string, record: CustomerRecord): boolean {
    const invoice = this.#unowned.get(uuid);
    if (invoice === undefined) return false;
    this.#unowned.delete(uuid);
    this.#give(invoice, record);
    return true;
  }

  #give({ uuid, external_id }: SandboxInvoice, record: CustomerRecord): void {
    record.uuids.push(uuid);
    for (const id of [uuid, external_id]) this.#byId.set(plainIdent(id), record);
  }
}
