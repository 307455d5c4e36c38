import type { Invoice } from '../contract/invoices.ts';
import type { InvoiceStatus } from '../contract/types.ts';
import type { Decimal } from '../contract/values/decimal.ts';

// The types of `reconcile`: orders, options, findings and counts.

/**
 * The state of an order, in the words of {@link reconcile}. Map the states of the shop to them.
 *
 * - `open`: waits for its payment.
 * - `paid`: the shop has booked the payment and has not delivered yet.
 * - `fulfilled`: the customer has the goods or the credit.
 * - `canceled`: ended without delivery and without a refund.
 * - `refunded`: the shop has returned the money, outside of the service.
 */
export type OrderState = 'open' | 'paid' | 'fulfilled' | 'canceled' | 'refunded';

/**
 * An order of the shop. Further members are ignored, so a row of a database will do.
 *
 * @example
 * const order = { external_id: 'order-1042', amount: '25.00', currency: 'EUR', credited_usdt: '26.86', state: 'fulfilled' };
 */
export interface ReconcileOrder {
  /** The id with which the invoice was created, or the uuid of the invoice. */
  readonly external_id: string;
  /**
   * The order that this row belongs to, for a shop that has a row for each invoice of an order: its rows are compared
   * together. Give it where your own ids may end in `-r2` to `-r50`.
   * @defaultValue the order of `external_id`: `order-7` for `order-7-r2`, as `createOrRenew` names the attempts
   */
  readonly order?: string | null | undefined;
  /** The amount that the customer owes, as decimal text or a Decimal. Never a number. */
  readonly amount: string | Decimal;
  /** Currency code, compared without case. */
  readonly currency: string;
  /** What your shop did for the order. See {@link OrderState}. */
  readonly state: OrderState;
  /** The USDT that the shop has booked. Null or absent: not compared. */
  readonly credited_usdt?: string | Decimal | null | undefined;
  /**
   * When the order was made: a Date or ISO 8601 text. With it, a young order without an invoice is left for the next
   * run.
   */
  readonly created_at?: Date | string | null | undefined;
  /**
   * When the shop last changed the state of the order: a Date or ISO 8601 text. With it, a change within `grace` is
   * left for the next run, because a replica of the service may not have the payment yet.
   */
  readonly changed_at?: Date | string | null | undefined;
  /** Where the order is in your data, for people. @defaultValue `row N`, its position from 1 */
  readonly place?: string | undefined;
}

/** A row that could not be read as an order. It becomes a {@link NotCompared}, so that nothing is dropped silently. */
export interface UnreadableOrder {
  /** What is wrong with it. */
  readonly problem: string;
  /** Its id, if it can be read. Its invoice is then not reported as one without an order. */
  readonly external_id?: string | undefined;
  /** As in {@link ReconcileOrder}. */
  readonly place?: string | undefined;
}

/** The order of a finding, as the shop gave it. */
export interface FoundOrder {
  readonly external_id: string;
  /** The order that this row belongs to, with the other rows that have the same one. */
  readonly order: string;
  readonly amount: Decimal;
  /** In upper case. */
  readonly currency: string;
  /** The USDT that the shop has booked. Null if the shop does not say. */
  readonly credited_usdt: Decimal | null;
  readonly state: OrderState;
  readonly created_at: Date | null;
  readonly changed_at: Date | null;
  /** Where the order is in your data, such as `line 17` of a file or `row 16` of an iterable. */
  readonly place: string;
}

/** The invoice of a finding, as the service returned it last. */
export interface FoundInvoice {
  /** The service's id of the invoice. */
  readonly uuid: string;
  readonly status: InvoiceStatus;
  /** The ordered amount. */
  readonly amount: Decimal;
  /** In upper case. */
  readonly currency: string;
  /** The paid amount: corrected if the invoice is adjusted. Null unless the invoice is paid. */
  readonly paid_amount: Decimal | null;
  /** USDT credited to the business. Null unless the invoice is paid. */
  readonly credited_usdt: Decimal | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  /** Time of the final state. Null while it is pending. */
  readonly finished_at: Date | null;
}

/** The members of an invoice that `reconcile` reads. */
export type ReconcileInvoice = Pick<
  Invoice,
  | 'uuid'
  | 'external_id'
  | 'status'
  | 'amount'
  | 'currency'
  | 'created_at'
  | 'expires_at'
  | 'finished_at'
  | 'settled_amount_usdt'
  | 'is_adjusted'
  | 'adjustment'
>;

/**
 * What differs.
 *
 * - `paid_not_fulfilled`: the invoice is paid, and the order is open or canceled.
 * - `fulfilled_not_paid`: the shop booked a payment, delivered or refunded, but its invoice is not paid or does not
 *   exist.
 * - `amount_differs`: the customer paid another amount than the order has.
 * - `credited_differs`: the shop booked another credit than the service.
 * - `currency_differs`: order and invoice are in different currencies. Their amounts are not compared then.
 * - `order_without_invoice`: the order is open, and no invoice has its id.
 * - `invoice_without_order`: the invoice is paid or pending, and no order has its id.
 * - `open_but_ended`: the order is open, and each of its invoices ended unpaid longer ago than `grace`.
 * - `paid_twice`: several invoices of one order are paid.
 * - `duplicate_order`: several rows have this id, or the external_id and the uuid of one invoice. They are not compared
 *   with it.
 */
export type FindingKind =
  | 'paid_not_fulfilled'
  | 'fulfilled_not_paid'
  | 'amount_differs'
  | 'credited_differs'
  | 'currency_differs'
  | 'order_without_invoice'
  | 'invoice_without_order'
  | 'open_but_ended'
  | 'paid_twice'
  | 'duplicate_order';

/** A difference between an order and its invoice. */
export interface Finding {
  /** What differs. */
  readonly kind: FindingKind;
  /** The merchant's order id. */
  readonly external_id: string;
  /** Currency of the invoice, or of the order without an invoice. In upper case. */
  readonly currency: string;
  /**
   * What the order says: an amount, a state, a currency or a number of orders, by `kind`. Null for an invoice without
   * an order.
   */
  readonly expected: Decimal | string | number | null;
  /** What the service says, in the same form. Null if there is no invoice. */
  readonly actual: Decimal | string | number | null;
  /** `actual` minus `expected` for amounts, otherwise null. */
  readonly difference: Decimal | null;
  /** The facts and the remedy, as sentences for people. */
  readonly action: string;
  /** The remedy alone: equal for findings that ask for the same thing, so that a report can group them by it. */
  readonly remedy: string;
  /**
   * True if the invoice, or its absence, was read again just before. False if that read is not possible, or if an open
   * invoice may only be late, because the order gives no `changed_at`. Always true for `duplicate_order`.
   */
  readonly confirmed: boolean;
  /** The order as the shop gave it. Null for `invoice_without_order`. */
  readonly order: FoundOrder | null;
  /** The invoice as it was read last. Null if the order has none, and for `duplicate_order`. */
  readonly invoice: FoundInvoice | null;
}

/** A page of the list of invoices. */
export interface InvoicePage {
  readonly items: readonly ReconcileInvoice[];
  /** How many invoices the service counts. */
  readonly total_items: number;
}

/** A row of the list of invoices that cannot be read. */
export interface InvalidInvoice {
  readonly page: number;
  readonly index: number;
  readonly path: string;
  readonly raw: unknown;
}

/** The part of a `MerchantClient` that `reconcile` needs. */
export interface ReconcileClient {
  readonly invoices: {
    /** Walks all invoices, page by page. */
    list(
      query: { readonly per_page: number },
      options: {
        readonly signal?: AbortSignal | undefined;
        readonly onInvalidItem: (item: InvalidInvoice) => void;
      },
    ): {
      pages(): AsyncIterable<InvoicePage>;
      /**
       * Gives the Date header of the first page, with which ages are measured. Without it, the clock of this machine is
       * used.
       */
      withResponse?(): PromiseLike<{ readonly response: { readonly headers: { get(name: string): string | null } } }>;
    };
    /** Reads one invoice by its uuid or external_id. */
    get(ident: string, options: { readonly signal?: AbortSignal | undefined }): PromiseLike<ReconcileInvoice>;
  };
}

type OrderRow = ReconcileOrder | UnreadableOrder;

/**
 * Options of {@link reconcile}.
 *
 * @example
 * const run = reconcile({ merchant, orders, since: Date.now() - 7 * 86_400_000 });
 */
export interface ReconcileOptions {
  /** A MerchantClient. */
  readonly merchant: ReconcileClient;
  /** The orders, in any order and from any source. They are held in memory, some 400 bytes each with their invoice. */
  readonly orders: Iterable<OrderRow> | AsyncIterable<OrderRow>;
  /**
   * The time since which `orders` is complete: a Date, milliseconds since 1970, or ISO 8601 text, not in the future. An
   * earlier invoice without an order is no finding. The list is read to its end in any case. Default: `orders` holds
   * every order.
   */
  readonly since?: Date | number | string | undefined;
  /**
   * Milliseconds. A difference is left for the next run if its order or invoice changed more recently: its webhook may
   * be under way, or a replica of the service may be late.
   * @defaultValue 900_000 (15 minutes)
   */
  readonly grace?: number | undefined;
  /** Ends the run. It then rejects with an AbortedError. */
  readonly signal?: AbortSignal | undefined;
  /** Single reads in flight, 1 to 32. @defaultValue 4 */
  readonly concurrency?: number | undefined;
  /**
   * The time of the run, in milliseconds since 1970. Default: the Date header of the service, or the clock of this
   * machine.
   */
  readonly now?: (() => number) | undefined;
}

/**
 * Why something could not be compared.
 *
 * - `order_malformed`: a member of the order cannot be read.
 * - `invoice_malformed`: the invoice cannot be decoded, contradicts itself or has an unknown status.
 * - `invoice_not_read`: the service did not say whether the order has an invoice, or what was paid. `problem` says why.
 * - `several_invoices`: the service has several invoices with this `external_id`, or one of the order that has no row,
 *   such as `order-7-r2` beside a row `order-7` that nobody paid.
 * - `invoices_not_listed`: the list showed fewer invoices than the service counts.
 */
export type NotComparedReason =
  | 'order_malformed'
  | 'invoice_malformed'
  | 'invoice_not_read'
  | 'several_invoices'
  | 'invoices_not_listed';

/** Something that could not be compared. It is yielded like a finding, so that nothing is dropped silently. */
export interface NotCompared {
  readonly kind: 'not_compared';
  /** Null if the row has no readable id. */
  readonly external_id: string | null;
  /** In upper case. Null if unknown. */
  readonly currency: string | null;
  /** Why. See {@link NotComparedReason}. */
  readonly reason: NotComparedReason;
  /** The problem, as a sentence. */
  readonly problem: string;
  /** Where it is, such as `line 17` or `row 16` of your data, or `the list` of the service. */
  readonly place: string;
}

/** The money of one currency that somebody has to look after. Amounts of different currencies are never added. */
export interface CurrencySummary {
  /** In upper case. */
  readonly currency: string;
  /**
   * What customers paid and did not get: of open and canceled orders, of second payments, of invoices without an order.
   */
  readonly paidNotGiven: Decimal;
  /** What the shop booked or delivered, and nobody paid. */
  readonly givenNotPaid: Decimal;
  /** What was paid for booked orders, less what they cost: negative where less was paid. */
  readonly differences: Decimal;
}

/**
 * The result of a run. Each order is counted once: `orders` is the sum of `matched`, `withinGrace`, `differing` and
 * `ordersNotCompared`.
 */
export interface ReconcileSummary {
  /** True if the run was read to its end. */
  readonly complete: boolean;
  /** Orders read, also those that cannot be compared. */
  readonly orders: number;
  /** Invoices that the list showed. */
  readonly invoices: number;
  /** Orders that agree with their invoice, or need none. */
  readonly matched: number;
  /** Orders whose difference is younger than `grace`. */
  readonly withinGrace: number;
  /** Orders with a finding. An order may have several findings. */
  readonly differing: number;
  /** Orders that could not be compared. */
  readonly ordersNotCompared: number;
  /** Invoices without an order that are findings. */
  readonly invoicesWithoutOrder: number;
  /** Findings of all kinds. */
  readonly findings: number;
  /** The number of findings of each kind that occurred. */
  readonly kinds: Readonly<Partial<Record<FindingKind, number>>>;
  /** Entries of the kind `not_compared`. */
  readonly notCompared: number;
  /** The money of the findings, sorted by currency. */
  readonly currencies: readonly CurrencySummary[];
}

/**
 * A run of {@link reconcile}. It begins when it is iterated or its summary is awaited, and a second loop is refused.
 */
export interface Reconciliation extends AsyncIterable<Finding | NotCompared> {
  /**
   * Resolves with the counts and the money so far, which are those of the whole run once the loop has ended. Without a
   * loop it reads everything itself.
   * @throws MerchantError that ended the run.
   * @example
   * const { findings, currencies } = await run.summary();
   * for (const { currency, paidNotGiven } of currencies) console.log(currency, paidNotGiven.toFixed(2));
   */
  summary(): Promise<ReconcileSummary>;
}
