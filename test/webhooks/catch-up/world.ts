import { type Invoices, STATUSES, type Status } from '../../../scripts/catch-up/invoices.ts';
import { LIST_ORDERS, ListService, type ListServiceOptions } from '../../../scripts/catch-up/list-service.ts';
import { Shop } from '../../../scripts/catch-up/shop.ts';

export const START = Date.UTC(2026, 0, 1);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** An invoice: minutes after START at which it is created and ends. */
export type Row = readonly [created: number, ends: number, status?: Exclude<Status, 'pending'>];

/** Invoices in the order of their creation: the index of a row is its identity. */
export function invoicesOf(rows: readonly Row[]): Invoices {
  return {
    created: Float64Array.from(rows, ([created]) => START + created * MINUTE),
    finished: Float64Array.from(rows, ([, ends]) => START + ends * MINUTE),
    ends: Uint8Array.from(rows, ([, , status = 'success']) => STATUSES.indexOf(status)),
  };
}

/** Rows created one a minute, each open for ten minutes. */
export function steadyRows(count: number, from = 0, status: Row[2] = 'success'): Row[] {
  return Array.from({ length: count }, (_, index) => [from + index, from + index + 10, status]);
}

/** A service with these invoices, and a shop that never hears a webhook. `gets` and `lists` are the requests by kind. */
export function world(rows: readonly Row[], options: Partial<ListServiceOptions> = {}) {
  const invoices = invoicesOf(rows);
  const service = new ListService({ order: LIST_ORDERS[0], now: START, ...options, invoices });
  const asked: string[] = [];
  /** Replaces an answer. */
  const answers = { of: async (_url: URL, answer: () => Promise<Response>): Promise<Response> => await answer() };
  const fetch = async (url: string): Promise<Response> => {
    const at = new URL(url);
    const status = at.searchParams.get('status');
    asked.push(status === null ? 'get' : `${status} ${at.searchParams.get('page') ?? 1}`);
    return await answers.of(at, async () => await service.fetch(url));
  };
  const shop = new Shop(service, invoices, fetch);
  const at = (minutes: number): void => service.advanceTo(START + minutes * MINUTE);
  /** What was asked since the last look. */
  const requests = (): string[] => asked.splice(0);
  return { service, shop, invoices, at, requests, answers, lost: () => shop.lost(service.now, invoices) };
}
