import { isUuid } from '../contract/values/scalars.ts';
import { hasCode } from '../errors/guards.ts';
import { notCompared, pinned } from './compare.ts';
import type { HeldOrders } from './held-orders.ts';
import { fail, type Settings } from './options.ts';
import type { InvalidInvoice, NotCompared, ReconcileClient, ReconcileInvoice } from './types.ts';

// The one walk of the list of invoices. Each listed invoice is held at its order, or as one without.

const PER_PAGE = 100;
/** The Date header has whole seconds, so the time of the service is up to 999 ms later. */
const HEADER_PRECISION = 999;

/** What the walk has seen, beside what is held. */
export interface Walked {
  /** What could not be listed. */
  readonly problems: readonly NotCompared[];
  /** False if the list misses invoices. `problems` says so. */
  readonly isWhole: boolean;
  /** How many the list showed, those that cannot be read too. */
  readonly invoices: number;
  /** What changed after this time is left for the next run. */
  readonly horizon: number;
  /** The oldest listed invoice, and the oldest with an external_id in the form of a uuid: no replica lacks them. */
  readonly oldest: readonly ReconcileInvoice[];
}

export async function walkList(orders: HeldOrders, settings: Settings): Promise<Walked> {
  const { merchant, signal: stop, now, grace, since, adjustedAbsent } = settings;
  const problems: NotCompared[] = [];
  const invalid = new Set<string>();
  const oldest = new Map<boolean, ReconcileInvoice>();
  let [invoices, total, isFirst, joined] = [0, 0, true, 0];
  let [isWhole, horizon] = [true, 0];
  const onInvalidItem = ({ page, index, path, raw }: InvalidInvoice): void => {
    const { uuid, external_id } = (raw ?? {}) as Readonly<Record<string, unknown>>; // whatever the row holds
    const name = typeof uuid === 'string' ? uuid : `row ${index + 1} of page ${page}`;
    if (invalid.has(name)) return; // its page was read again
    invalid.add(name);
    const id = typeof external_id === 'string' ? external_id : null;
    const found = `it cannot be read at "${path}"`;
    if (id === null) problems.push(notCompared('invoice_malformed', found, `invoice ${name}`, id));
    else
      orders.takeUnreadable({ uuid: typeof uuid === 'string' ? uuid : id, external_id: id }, found, { since, horizon });
  };
  try {
    const list = merchant.invoices.list({ per_page: PER_PAGE }, { signal: stop, onInvalidItem });
    const time = now?.() ?? (await timeOf(list));
    if (since > Math.max(time, Date.now()))
      fail('since is in the future, so no invoice without an order would be found');
    horizon = time - grace;
    for await (const { items, total_items } of list.pages()) {
      if (!isFirst) joined += Math.max(0, total_items - total); // created meanwhile: the walk need not find them
      [total, isFirst] = [total_items, false];
      for (const listed of items) {
        const invoice = pinned(listed, adjustedAbsent);
        const isLikeUuid = isUuid(invoice.external_id);
        const known = oldest.get(isLikeUuid);
        if (known === undefined || invoice.created_at < known.created_at) oldest.set(isLikeUuid, invoice);
        orders.takeListed(invoice, { since, horizon });
      }
      invoices += items.length;
    }
  } catch (error) {
    if (!hasCode(error, 'SDK_PAGE')) throw error;
    isWhole = false;
    problems.push(notCompared('invoices_not_listed', error.message, 'the list', null));
  }
  const seen = invoices + invalid.size;
  if (isWhole && seen < total - joined) {
    isWhole = false;
    problems.push(listIsCut(`the list showed ${seen} invoices, and the service counts ${total}`));
  }
  return { problems, isWhole, invoices: seen, horizon, oldest: [...oldest.values()] };
}

/** The report that the list misses invoices. */
export function listIsCut(problem: string): NotCompared {
  return notCompared('invoices_not_listed', `${problem}: invoices without an order may be missing`, 'the list', null);
}

/** The time of the service, from the Date header of the first page: `created_at` is by the same clock. */
async function timeOf(list: ReturnType<ReconcileClient['invoices']['list']>): Promise<number> {
  const header = (await list.withResponse?.())?.response.headers.get('date') ?? '';
  const time = Date.parse(header);
  return Number.isNaN(time) ? Date.now() : time + HEADER_PRECISION;
}
