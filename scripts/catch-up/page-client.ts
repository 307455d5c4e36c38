import { ListCallPromise } from '../../src/call/call.ts';
import type { Page } from '../../src/contract/types.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
import type { CatchUpClient, CatchUpInvoice } from '../../src/webhooks/index.ts';
import { type Invoices, indexOf, uuidOf } from './invoices.ts';
import type { ListService } from './list-service.ts';

const AMOUNT = new Decimal('25.00');
const CREDITED = new Decimal('26.91');
const ANSWER = { status: 200, receivedAt: 0, requestId: null, raw: '', cut: false, broken: false, redirected: false };

/**
 * The client of a shop without HTTP, texts and decoding. It walks the pages of the service with the code of the real
 * client. Four fifths of the time of a run pass below that, and a year has 8,760 runs.
 *
 * @param arrive Called before each answer, and awaited: the way of the request to the service.
 */
export function pageClient(
  service: ListService,
  { created, finished }: Invoices,
  arrive: () => unknown = () => service.arrive(),
): CatchUpClient {
  const invoiceOf = (index: number): CatchUpInvoice => {
    const status = service.statusOf(index);
    return {
      uuid: uuidOf(index),
      external_id: `order-${index}`,
      status,
      amount: AMOUNT,
      created_at: new Date(created[index] ?? Number.NaN),
      finished_at: status === 'pending' ? null : new Date(finished[index] ?? Number.NaN),
      settled_amount_usdt: status === 'success' ? CREDITED : null,
      is_adjusted: false,
      adjustment: null,
    };
  };
  const get = async (ident: string): Promise<CatchUpInvoice> => {
    await arrive();
    return invoiceOf(indexOf(ident));
  };
  return {
    invoices: {
      list({ status, per_page }, { signal = null, prefetch = 1, onPage }) {
        const read = async (page: number): Promise<Page<CatchUpInvoice>> => {
          await arrive();
          const found = service.pageOf(status, page, per_page);
          if (found === null) throw new Error(`no list of ${status}`);
          return { ...found, items: found.items.map(invoiceOf) };
        };
        const first = read(1).then((value) => {
          const headers = new Headers(service.date === null ? {} : { date: service.date });
          const answer = { ...ANSWER, headers, hide: (text: string) => text };
          return { value, answer, attempts: 1, durationMs: 0, recovered: false };
        });
        const key = ({ uuid }: CatchUpInvoice): string => uuid;
        return new ListCallPromise(first, {
          operation: 'invoices.list',
          startPage: 1,
          prefetch,
          signal,
          key,
          read,
          onPage,
        });
      },
      get,
    },
  };
}
