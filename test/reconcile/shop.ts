import { Decimal, NotFoundError } from '../../src/index.ts';
import type { ReconcileClient, ReconcileInvoice, ReconcileOrder } from '../../src/reconcile/index.ts';
import { type Finding, type NotCompared, type ReconcileOptions, reconcile } from '../../src/reconcile/index.ts';

export const NOW = Date.parse('2026-03-10T12:00:00Z');
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A paid invoice that ended two days ago. */
export function invoice(id: string, changes: Partial<ReconcileInvoice> = {}): ReconcileInvoice {
  return {
    uuid: `uuid-of-${id}`,
    external_id: id,
    status: 'success',
    amount: new Decimal('25.00'),
    currency: { id: 1, code: 'EUR', name: 'Euro', symbol: '€' },
    created_at: new Date(NOW - 3 * DAY),
    expires_at: new Date(NOW - 3 * DAY + HOUR),
    finished_at: new Date(NOW - 2 * DAY),
    settled_amount_usdt: new Decimal('26.861298'),
    is_adjusted: false,
    adjustment: null,
    ...changes,
  };
}

export const pending = { status: 'pending', finished_at: null, settled_amount_usdt: null } as const;
export const expired = { status: 'expired', settled_amount_usdt: null } as const;

/** The members of an invoice of 25.00 EUR of which another amount was paid. */
export function corrected(paid: string, usdt: string): Partial<ReconcileInvoice> {
  return {
    is_adjusted: true,
    settled_amount_usdt: new Decimal(usdt),
    adjustment: {
      expected_amount_fiat: new Decimal('25'),
      actual_amount_fiat: new Decimal(paid),
      expected_amount_usdt: new Decimal('26.861298'),
      actual_amount_usdt: new Decimal(usdt),
    },
  };
}

/** The order that fits `invoice(id)`. */
export function order(id: string, changes: Partial<ReconcileOrder> = {}): ReconcileOrder {
  return {
    external_id: id,
    amount: '25.00',
    currency: 'EUR',
    credited_usdt: '26.861298',
    state: 'fulfilled',
    ...changes,
  };
}

/** A service whose list is this, and which counts its requests. */
export function serviceOf(invoices: readonly ReconcileInvoice[]) {
  const asked: string[] = [];
  const client: ReconcileClient = {
    invoices: {
      async list({ status, page, per_page }) {
        asked.push(`list ${status ?? 'all'} ${page}`);
        const rows = invoices.filter((each) => status === undefined || each.status === status);
        const total_pages = Math.ceil(rows.length / per_page);
        return {
          items: rows.slice((page - 1) * per_page, page * per_page),
          page,
          per_page,
          total_items: rows.length,
          total_pages,
          has_next: page < total_pages,
          has_prev: page > 1,
        };
      },
      async get(ident) {
        asked.push(`get ${ident}`);
        const found = invoices.find(({ uuid, external_id }) => uuid === ident || external_id === ident);
        if (found === undefined) throw notFound();
        return found;
      },
    },
    webhooks: {
      async deliveries(ident) {
        asked.push(`deliveries ${ident}`);
        return [];
      },
      async resend(ident) {
        asked.push(`resend ${ident}`);
      },
    },
  };
  return { client, asked };
}

export function notFound(): NotFoundError {
  return new NotFoundError({ code: 'NOT_FOUND', message: 'there is no such invoice', status: 404 });
}

/** A look-up in these orders. */
export function lookupIn(orders: readonly ReconcileOrder[]) {
  return (ids: readonly string[]) => orders.filter(({ external_id }) => ids.includes(external_id));
}

/** Runs to the end, at NOW. */
export async function found(options: ReconcileOptions) {
  const run = reconcile({ now: NOW, ...options });
  const entries: (Finding | NotCompared)[] = [];
  for await (const entry of run) entries.push(entry);
  return { entries, kinds: entries.map((entry) => `${entry.external_id} ${entry.kind}`), summary: await run.summary() };
}
