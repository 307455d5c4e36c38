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
 * A row of the shop's orders. Further members are ignored, so a row of a database will do.
 *
 * - **One row of an order** stands for the order, with its first invoice and all renewals.
 * - **Several rows of an order** are tries of it: one paid invoice is enough, and what was paid is compared with the
 *   amount of the last row. That is the one with the highest renewal, else the last one in the data.
 * - **A row with `part: true`** is compared alone, with its own renewals.
 *
 * @example
 * const order = { external_id: 'order-1042', amount: '25.00', currency: 'EUR', credited_usdt: '26.86', state: 'fulfilled' };
 */
export interface ReconcileOrder {
  /** The id of the order, the id with which an invoice of it was created, or the uuid of that invoice. */
  readonly external_id: string;
  /**
   * The order that this row belongs to. If it is not the order of `external_id`, each row of the order says `part`.
   * @defaultValue the order of `external_id`: `order-7` for `order-7--1`, as `createOrRenew` names the renewals
   */
  readonly order?: string | null | undefined;
  /**
   * True: the row is a part of the order, such as a deposit, and has an amount and a state of its own. False: it is a
   * try of the whole order. The 0 and 1 of a database are read too.
   */
  readonly part?: boolean | null | undefined;
  /** The amount that the customer owes, as decimal text or a Decimal. Never a number. */
  readonly amount: string | Decimal;
  /** Currency code, compared without case and without white space around it. */
  readonly currency: string;
  /** What your shop did for the order. See {@link OrderState}. */
  readonly state: OrderState;
  /** The USDT that the shop has booked. Null or absent: not compared. */
  readonly credited_usdt?: string | Decimal | null | undefined;
  /**
   * What went back to the customer, in the currency of the row. The row agrees if its `amount` is what was paid, or what
   * was paid minus `refunded_amount`. In the state `refunded` everything went back, so another amount is a difference.
   */
  readonly refunded_amount?: string | Decimal | null | undefined;
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
  /** `id_changed`: a spreadsheet changed an id of the row. @defaultValue `order_malformed` */
  readonly reason?: 'order_malformed' | 'id_changed' | undefined;
  /**
   * Its id, if it can be read. Its invoice is then not reported as one without an order. For `id_changed`, such as
   * `1.04E+15`, no invoice is that may have had this id.
   */
  readonly external_id?: string | undefined;
  /** As in {@link ReconcileOrder}. */
  readonly place?: string | undefined;
}

/** A row of the shop, as `reconcile` has read it. */
export interface FoundOrder {
  readonly external_id: string;
  /** The order that this row belongs to, as the row says or by its `external_id`. */
  readonly order: string;
  /** Null if the row does not say it. */
  readonly part: boolean | null;
  readonly amount: Decimal;
  /** In upper case. */
  readonly currency: string;
  /** The USDT that the shop has booked. Null if the shop does not say. */
  readonly credited_usdt: Decimal | null;
  /** What went back to the customer. Null if the shop does not say. */
  readonly refunded_amount: Decimal | null;
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
  /** The id with which it was created: that of the order, or of a renewal. */
  readonly external_id: string;
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
  | 'customer_id'
  | 'callback_url'
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
 * - `paid_not_fulfilled`: an invoice of the order is paid, and the order is open or canceled.
 * - `fulfilled_not_paid`: the shop booked a payment, delivered or refunded, but no invoice of the order is paid.
 * - `amount_differs`: what was paid, or what was paid minus what went back, is not the amount of the order.
 * - `credited_differs`: the shop booked another credit than the service.
 * - `currency_differs`: order and invoice are in different currencies. What was paid with this invoice is not compared.
 * - `order_without_invoice`: the order is open, and has no invoice.
 * - `invoice_without_order`: the invoice is paid or pending, and its order has no row. Or it is a renewal with another
 *   customer and another `callback_url` than the first invoice: another system created it.
 * - `open_but_ended`: the order is open, and each of its invoices ended unpaid, or is pending past its end, longer ago
 *   than `grace`.
 * - `paid_twice`: several invoices of one order, or of one part, are paid.
 * - `duplicate_order`: several rows name one invoice, by its id or by its uuid. Their order is not compared.
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

/**
 * What to do about a finding.
 *
 * - `fulfil`: fulfil or refund the order. `agree`: first agree with the customer, who did not pay as ordered.
 * - `find_order`: find the order of a payment. `find_payment`: find the payment of an order without an invoice.
 * - `reclaim`: reclaim the delivery. `wait`: stop it, or wait for the payment. `look_up`: look the invoice up before you reclaim.
 * - `find_refund`: find out what went back, which does not fit what was paid.
 * - `ask`: ask for the rest. `send_back`: send the surplus back. `give_back`: give one of several payments back.
 * - `compare_payments`: compare several payments, which in sum are not above the amount of the order.
 * - `find_currency`: find out the currency. `correct_credit`: correct the booked credit.
 * - `cancel`: cancel or renew the order. `create`: create its invoice. `keep_one`: keep one of several rows.
 */
export type Advice =
  | 'fulfil'
  | 'agree'
  | 'find_order'
  | 'reclaim'
  | 'wait'
  | 'look_up'
  | 'find_payment'
  | 'find_refund'
  | 'ask'
  | 'send_back'
  | 'give_back'
  | 'compare_payments'
  | 'find_currency'
  | 'correct_credit'
  | 'cancel'
  | 'create'
  | 'keep_one';

/** The money of one order that a person has to look after. */
export interface FindingMoney {
  /** The sum of {@link CurrencySummary} that it belongs to. */
  readonly of: 'paidNotGiven' | 'givenNotPaid' | 'paidTooMuch';
  readonly amount: Decimal;
  /** In upper case. */
  readonly currency: string;
}

/** A difference between an order and its invoices. */
export interface Finding {
  /** What differs. */
  readonly kind: FindingKind;
  /** The order, as the rows name it. Without a row: the order of the invoice. */
  readonly order: string;
  /** The `external_id` of `row`, or of the invoice if it has no row. */
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
  /** The money of one currency, or null. Where an order has several findings, each currency stands in one of them. */
  readonly money: FindingMoney | null;
  /** What to do, as a word. */
  readonly advice: Advice;
  /** The facts and the remedy, as sentences for people. */
  readonly action: string;
  /** The remedy alone: the sentence of `advice`. */
  readonly remedy: string;
  /**
   * True if the invoices, or their absence, were read again just before. False if that read is not possible, or if an
   * open invoice may only be late, because the order gives no `changed_at`. Always true for `duplicate_order`.
   */
  readonly confirmed: boolean;
  /** The row of the shop. Of several tries the last one. Null for `invoice_without_order`. */
  readonly row: FoundOrder | null;
  /** The paid invoice, else the last one, as it was read last. Null if there is none, and for `duplicate_order`. */
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
  /** The rows, in any order and from any source. They are held in memory, some 500 bytes each with their invoice. */
  readonly orders: Iterable<OrderRow> | AsyncIterable<OrderRow>;
  /**
   * From when on `orders` is complete: a Date, milliseconds since 1970, or ISO 8601 text, not in the future. An older
   * invoice without an order is not reported. The list is read to its end in any case. Default: `orders` holds every
   * order.
   */
  readonly since?: Date | number | string | undefined;
  /**
   * Milliseconds. A difference is left for the next run if its order or invoice changed more recently: its webhook may
   * be under way, or a replica of the service may be late.
   * @defaultValue 900_000 (15 minutes)
   */
  readonly grace?: number | undefined;
  /**
   * For a service that leaves `is_adjusted` out of a payment as ordered: a paid invoice without it counts as paid in
   * full. By default it is not compared.
   */
  readonly adjustedAbsent?: 'as_ordered' | undefined;
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
 * - `order_malformed`: a member of the row cannot be read, or a time of it is more than a day to come.
 * - `part_not_said`: a row names an `order` that is not in its id, or another row of the order is a part. Each row of
 *   the order must say `part`.
 * - `id_changed`: the id has white space around it, or a spreadsheet has changed its zeros or made it a number such as
 *   `1.04E+15`. Nothing is said about the order.
 * - `invoice_malformed`: the invoice cannot be decoded, contradicts itself, has an unknown status, or is paid and does
 *   not say whether it is adjusted.
 * - `invoice_not_read`: the service did not say whether the order has an invoice, or what was paid. `problem` says why.
 * - `several_invoices`: the service has several invoices with this `external_id`.
 * - `invoices_not_listed`: the list showed fewer invoices than the service counts.
 */
export type NotComparedReason =
  | 'order_malformed'
  | 'part_not_said'
  | 'id_changed'
  | 'invoice_malformed'
  | 'invoice_not_read'
  | 'several_invoices'
  | 'invoices_not_listed';

/** Something that could not be compared. It is yielded like a finding, so that nothing is dropped silently. */
export interface NotCompared {
  readonly kind: 'not_compared';
  /** Null if it cannot be read. */
  readonly order: string | null;
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

/**
 * The money of one currency that a person has to look after: the sums of `money` of the findings. Amounts of different
 * currencies are never added.
 */
export interface CurrencySummary {
  /** In upper case. */
  readonly currency: string;
  /**
   * What customers paid minus what went back, for open, canceled and refunded orders and for invoices without an order.
   */
  readonly paidNotGiven: Decimal;
  /** What the shop booked, delivered or refunded without a payment: whole orders, and the missing part of others. */
  readonly givenNotPaid: Decimal;
  /** What was paid above the amount of a booked order, with second payments, and has not gone back. */
  readonly paidTooMuch: Decimal;
}

/**
 * The result of a run. Each order is counted once, whatever the number of its rows, and each part is an order of its
 * own here: `orders` is the sum of `matched`, `withinGrace`, `differing` and `ordersNotCompared`.
 */
export interface ReconcileSummary {
  /** True if the run was read to its end. */
  readonly complete: boolean;
  /** Orders read, also those that cannot be compared. */
  readonly orders: number;
  /** Invoices that the list showed. */
  readonly invoices: number;
  /** Orders that agree with their invoices, or need none. */
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
