import { type FaultServer, type Step, serve } from './fault-server.ts';
import { answer } from './fault-steps.ts';
import { pendingInvoice } from './fixtures/invoices.ts';

/** A list of invoices that moves while it is read, behind a real server. */
export interface MovingList {
  /** Identifiers of the rows, first one first. Change it between reads. */
  rows: string[];
  /** The order of the rows as this read shows them: a list without stable order has another one for each. */
  arrange: (rows: readonly string[], read: number, page: number) => readonly string[];
  /** Rows on a page, whatever the query asks for; null obeys it. */
  size: number | null;
  /** What a page beyond the last is answered with; null is an empty page. */
  pastEnd: Step | null;
  /** Called before each read with its number from 1 and the page asked for. */
  beforeRead: (read: number, page: number) => void;
  /** The last word on each response. */
  edit: (page: Record<string, unknown>, asked: number) => unknown;
  /** The pages that were asked for, in order. */
  readonly asked: number[];
  readonly server: FaultServer;
}

export function uuids(count: number, prefix = 'row'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** Pages of 20 unless the query says otherwise. */
export async function movingList(rows: string[]): Promise<MovingList> {
  const step: Step = {
    play(exchange) {
      const query = new URL(exchange.request.url, 'http://list').searchParams;
      const page = Number(query.get('page') ?? 1);
      list.asked.push(page);
      list.beforeRead(list.asked.length, page);
      const perPage = list.size ?? Number(query.get('per_page') ?? 20);
      const total = list.rows.length;
      const pages = Math.ceil(total / perPage);
      if (page > Math.max(1, pages) && list.pastEnd !== null) return list.pastEnd.play(exchange);
      const rows = list.arrange(list.rows, list.asked.length, page);
      const items = rows.slice((page - 1) * perPage, page * perPage).map((uuid) => ({ ...pendingInvoice, uuid }));
      const data = {
        items,
        page,
        per_page: perPage,
        total_items: total,
        total_pages: pages,
        has_next: page < pages,
        has_prev: page > 1,
      };
      const edited = list.edit(data, page);
      (edited === data ? answer(200, { success: true, data }) : (edited as Step)).play(exchange); // a step of the test
    },
  };
  const list: MovingList = {
    rows,
    arrange: (rows) => rows,
    size: null,
    pastEnd: null,
    beforeRead: () => {},
    edit: (page) => page,
    asked: [],
    server: await serve(step),
  };
  return list;
}
