import type { DeliveryStatus } from '../../contract/types.ts';
import { Decimal } from '../../contract/values/decimal.ts';
import {
  ACTIONS,
  type Finding,
  type FindingFacts,
  type FoundInvoice,
  type FoundOrder,
  type NotCompared,
} from '../findings.ts';
import { sentence } from '../read/lookup.ts';
import type { InvoiceRow, OrderRow } from '../rows/rows.ts';
import type { Entry } from './entries.ts';
import type { Difference, Judgement, Pair } from './judge.ts';

// Turns the result of a comparison into the objects that the caller reads.

/** The findings of a pair. */
export function findingsOf(pair: Pair, differences: readonly Difference[], confirmed: boolean): Finding[] {
  return differences.map((difference) => ({
    ...difference,
    ...factsOf(pair, confirmed),
    action: ACTIONS[difference.kind],
  }));
}

/** The finding for several orders of one id. */
export function duplicateOf(entry: Pick<Entry, 'orders' | 'places'>, pair: Pair, confirmed: boolean): Finding {
  const { orders, places } = entry;
  return {
    kind: 'duplicate_order',
    ...factsOf(pair, confirmed),
    expected: 1,
    actual: orders,
    difference: orders - 1,
    places: [...places],
    action: ACTIONS.duplicate_order,
  };
}

/** The finding for a webhook that no receiver has acknowledged. */
export function undeliveredOf(
  pair: Pair,
  confirmed: boolean,
  delivery: { readonly status: DeliveryStatus; readonly last_http_status: number | null },
  resend: () => Promise<void>,
): Finding {
  return {
    kind: 'webhook_not_delivered',
    ...factsOf(pair, confirmed),
    expected: 'delivered',
    actual: delivery.status,
    difference: null,
    last_http_status: delivery.last_http_status,
    resend,
    action: ACTIONS.webhook_not_delivered,
  };
}

/** The reason why a pair is not compared. */
export function notComparedOf(pair: Pair, { reason, problem }: Extract<Judgement, { reason: unknown }>): NotCompared {
  const { id, order, invoice } = pair;
  const isOrder = reason === 'order_malformed';
  const place = isOrder || invoice === null ? (order?.place ?? 'the list') : `invoice ${invoice.uuid}`;
  const currency = currencyOf(pair);
  return { kind: 'not_compared', external_id: id, currency, reason, problem: sentence(problem), place };
}

/** The currency under which a pair is counted. Null if neither side has one. */
export function currencyOf({ order, invoice }: Pair): string | null {
  return invoice?.currency || order?.currency || null;
}

function factsOf(pair: Pair, confirmed: boolean): Omit<FindingFacts, 'action'> {
  const { id, order, invoice } = pair;
  return {
    external_id: id,
    currency: currencyOf(pair) ?? '',
    confirmed,
    order: order === null ? null : foundOrder(order),
    invoice: invoice === null ? null : foundInvoice(invoice),
  };
}

function foundOrder({ amount, currency, credited, state, place }: OrderRow): FoundOrder {
  return { amount: new Decimal(amount), currency, credited_usdt: decimalOrNull(credited), state, place };
}

function foundInvoice(row: InvoiceRow): FoundInvoice {
  return {
    uuid: row.uuid,
    status: row.status,
    amount: new Decimal(row.amount),
    currency: row.currency,
    paid_amount: decimalOrNull(row.paid),
    credited_usdt: decimalOrNull(row.credited),
    is_adjusted: row.adjusted,
    created_at: new Date(row.created),
    expires_at: new Date(row.expires),
    finished_at: row.ended === null ? null : new Date(row.ended),
  };
}

function decimalOrNull(text: string | null): Decimal | null {
  return text === null ? null : new Decimal(text);
}
