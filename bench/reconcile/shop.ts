// A shop and a service of any size that need no memory: order and invoice number n are computed when they are asked for.
import type { FindingKind, OrderState, ReconcileOrder } from '../../src/reconcile/index.ts';

export const NOW = Date.parse('2026-03-10T12:00:00Z');
const DAY = 86_400_000;
/** Findings of each kind. */
export const PLANTED = 20;
/** The newest invoices, which are paid and booked while the run reads. */
const MOVING = 1_000;

const KINDS = [
  ...([
    'paid_not_fulfilled',
    'fulfilled_not_paid',
    'underpaid',
    'overpaid',
    'credited_differs',
    'currency_differs',
  ] as const),
  ...(['corrected_after_fulfilment', 'invoice_without_order', 'order_without_invoice', 'duplicate_order'] as const),
  ...(['webhook_not_delivered', 'pending_past_expiry'] as const),
] satisfies readonly FindingKind[];

/** What must be found: a webhook that was not delivered is a payment that is not fulfilled as well. */
export const MUST_FIND: Readonly<Record<string, number>> = {
  ...Object.fromEntries(KINDS.map((kind) => [kind, PLANTED])),
  paid_not_fulfilled: 2 * PLANTED,
};

interface Terms {
  status?: string;
  state?: OrderState;
  paid?: string;
  booked?: string;
  currency?: string;
}

/** How the planted ones differ from a paid and fulfilled order of 25.00 EUR. */
const TERMS: Partial<Record<FindingKind, Terms>> = {
  paid_not_fulfilled: { state: 'open' },
  webhook_not_delivered: { state: 'open' },
  fulfilled_not_paid: { status: 'expired' },
  underpaid: { paid: '20.00', booked: '21.49' },
  overpaid: { paid: '30.00', booked: '21.49' },
  credited_differs: { booked: '26.86' },
  currency_differs: { currency: 'USD' },
  corrected_after_fulfilment: { paid: '20.00' },
  pending_past_expiry: { status: 'pending', state: 'open' },
};

export class Shop {
  readonly #count: number;
  /** Requests so far: the clock of what moves. */
  requests = 0;

  constructor(count: number) {
    this.#count = count;
  }

  #kind(n: number): FindingKind | null {
    const step = Math.floor((this.#count - MOVING) / PLANTED);
    return n < step * PLANTED ? (KINDS[n % step] ?? null) : null;
  }

  #terms(n: number): Terms {
    const kind = this.#kind(n);
    if (kind !== null) return TERMS[kind] ?? {};
    const isMoving = n >= this.#count - MOVING;
    if (!isMoving) return n % 10 === 0 ? { status: 'expired', state: 'canceled' } : {};
    const paidAt = ((this.#count - n) * this.#count) / 100 / MOVING; // in requests, spread over the run
    return {
      ...(this.requests < paidAt && { status: 'pending' }),
      ...(this.requests < paidAt + 10 && { state: 'open' as const }),
    };
  }

  /** All orders, in an order that no list has. */
  *orders(): Generator<ReconcileOrder> {
    for (let at = 0; at < this.#count; at += 1) yield* this.#ordersOf((at * 7_919 + 13) % this.#count);
  }

  lookup(ids: readonly string[]): ReconcileOrder[] {
    return ids.flatMap((id) => this.#ordersOf(Number(id.slice(6))).filter(({ external_id }) => external_id === id));
  }

  #ordersOf(n: number): ReconcileOrder[] {
    const kind = this.#kind(n);
    if (kind === 'invoice_without_order') return [];
    const { state = 'fulfilled', booked = '26.861298', currency = 'EUR' } = this.#terms(n);
    const order = { external_id: idOf(n), amount: '25.00', currency, credited_usdt: booked, state };
    if (kind === 'duplicate_order') return [order, order];
    return kind === 'order_without_invoice' ? [order, { ...order, external_id: `extra-${n}` }] : [order];
  }

  /** The service as a fetch. */
  readonly fetch = async (input: string): Promise<Response> => {
    this.requests += 1;
    const { pathname, searchParams } = new URL(input);
    const [, ident, webhooks] = /invoices(?:\/([^/]+)(\/webhooks)?)?$/.exec(pathname) ?? [];
    if (ident === undefined) return answer(this.#page(Number(searchParams.get('page'))));
    const n = Number(ident.slice(6));
    if (webhooks !== undefined) return answer(this.#kind(n) === 'webhook_not_delivered' ? DELIVERY : '[]');
    return /^(?:order-|00000-)\d+$/.test(ident)
      ? answer(this.#invoice(n))
      : new Response('{"success":false,"error":{"code":"NOT_FOUND","message":"none"}}', { status: 404 });
  };

  /** A page of 100, newest first. */
  #page(page: number): string {
    const pages = Math.ceil(this.#count / 100);
    const rows: string[] = [];
    for (let n = this.#count - (page - 1) * 100; rows.length < 100 && n > 0; n -= 1) rows.push(this.#invoice(n - 1));
    const counts = `"page":${page},"per_page":100,"total_items":${this.#count},"total_pages":${pages}`;
    return `{"items":[${rows.join(',')}],${counts},"has_next":${page < pages},"has_prev":${page > 1}}`;
  }

  #invoice(n: number): string {
    const { status = 'success', paid = '25.00' } = this.#terms(n);
    const isMoving = n >= this.#count - MOVING;
    const created = new Date(isMoving ? NOW - DAY / 24 : NOW - 30 * DAY + (n / this.#count) * 27 * DAY).toISOString();
    const expires = new Date(Date.parse(created) + DAY / 12).toISOString();
    const usdt = paid === '25.00' ? '26.861298' : '21.49';
    const isPaid = status === 'success';
    const adjustment = `{"expected_amount_fiat":"25.00","actual_amount_fiat":"${paid}","expected_amount_usdt":"26.86","actual_amount_usdt":"${usdt}"}`;
    const isAdjusted = paid !== '25.00';
    return `{"uuid":"00000-${n}","external_id":"${idOf(n)}","customer_id":"customer-${n}","purpose":null,"amount":"25.00","amount_to_send":"25.50","currency":{"id":1,"code":"EUR","name":"Euro","symbol":"€"},"status":"${status}","callback_url":null,"success_url":null,"fail_url":null,"payment_url":"https://pay.example.com/${n}","created_at":"${created}","expires_at":"${expires}","finished_at":${status === 'pending' ? null : `"${isMoving ? new Date(NOW).toISOString() : expires}"`},"payment_method":null,"rate":"0.93","settled_amount_usdt":${isPaid ? `"${usdt}"` : null},"is_adjusted":${isAdjusted},"adjustment":${isAdjusted ? adjustment : null}}`;
  }
}

const DELIVERY =
  '[{"id":"d","event_type":"invoice.paid","status":"failed","attempts":7,"max_attempts":7,"last_http_status":500,"next_retry_at":null,"delivered_at":null,"attempt_log":[]}]';

function idOf(n: number): string {
  return `order-${n}`;
}

function answer(data: string): Response {
  return new Response(`{"success":true,"data":${data}}`, { headers: { 'Content-Type': 'application/json' } });
}
