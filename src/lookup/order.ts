import { isRenewalId, orderOf, RENEWALS_MAX, renewalId } from '../contract/orders.ts';
import { type IdentProof, type InvoiceIds, type InvoicePaths, readByPath } from './by-path.ts';

/** The invoices of an order that single reads gave. */
export interface OrderReading<T> {
  /** The id of the order. For an ident that could not be read it is the ident itself, or the order in it. */
  readonly order: string;
  /** The first invoice first. */
  readonly invoices: readonly T[];
  /**
   * `none`: these are all. `unread`: the lists may show more. `failed`: the read failed for a reason that has nothing to
   * do with the ident.
   */
  readonly rest: 'none' | 'unread' | 'failed';
  /** Why no more was read. */
  readonly error: unknown;
}

/**
 * Reads all invoices of an order: the first one, and each renewal until one does not exist. Never rejects.
 *
 * @param ident An external_id or a uuid. An id is what the invoice that it reads says: a uuid, and an id with `--n`,
 * stand for the order of their invoice.
 */
export async function readOrder<T extends InvoiceIds>(
  ident: string,
  paths: InvoicePaths<T>,
  proof: IdentProof,
): Promise<OrderReading<T>> {
  const known = new Map<number, T>();
  let { order } = orderOf(ident);
  let error: unknown;
  const all = (): readonly T[] => [...known.entries()].sort(([a], [b]) => a - b).map(([, invoice]) => invoice);
  try {
    const asked = await readByPath(ident, paths, proof);
    if (asked.is === 'unread') return { order, invoices: [], rest: 'unread', error: asked.error };
    if (asked.is === 'invoice') {
      const of = orderOf(asked.invoice.external_id);
      order = of.order;
      known.set(of.renewal, asked.invoice);
    } else if (!isRenewalId(ident)) return { order, invoices: [], rest: 'none', error: asked.error };
    else error = asked.error;
    const furthest = Math.max(0, ...known.keys());
    for (let renewal = 0; renewal <= RENEWALS_MAX; renewal += 1) {
      if (known.has(renewal)) continue;
      const reading = await readByPath(renewalId({ order, renewal }), paths, proof);
      if (reading.is === 'invoice') known.set(renewal, reading.invoice);
      else error = reading.error;
      if (reading.is === 'unread') return { order, invoices: all(), rest: 'unread', error };
      if (reading.is === 'none' && renewal >= furthest) break;
    }
    return { order, invoices: all(), rest: 'none', error };
  } catch (failure) {
    return { order, invoices: all(), rest: 'failed', error: failure };
  }
}
