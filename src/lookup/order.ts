import { isRenewalId, orderOf, RENEWALS_MAX, renewalId } from '../contract/orders.ts';
import { type IdentProof, type InvoiceIds, type InvoicePaths, readByPath } from './by-path.ts';

/** The members by which an invoice of another system is recognised. */
interface InvoiceOrigin {
  readonly customer_id?: string | undefined;
  readonly callback_url?: string | null | undefined;
}

/**
 * Whether another system created an invoice under an id of the order: its customer and its address of webhooks are both
 * others than those of the order's first invoice. A customer_id that cannot be read is not compared.
 */
export function isOfAnotherSystem(first: InvoiceOrigin, invoice: InvoiceOrigin): boolean {
  const plain = (text: string | null | undefined): string => (text ?? '').trim().normalize('NFC');
  const [own, other] = [plain(first.customer_id), plain(invoice.customer_id)];
  return own !== '' && other !== '' && own !== other && plain(first.callback_url) !== plain(invoice.callback_url);
}

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
 * @param isLast True for an invoice that is certain to have no renewal, so that none is read.
 */
export async function readOrder<T extends InvoiceIds>(
  ident: string,
  paths: InvoicePaths<T>,
  proof: IdentProof,
  isLast: (invoice: T) => boolean = () => false,
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
      let invoice = known.get(renewal);
      if (invoice === undefined) {
        const reading = await readByPath(renewalId({ order, renewal }), paths, proof);
        if (reading.is !== 'invoice') error = reading.error;
        if (reading.is === 'unread') return { order, invoices: all(), rest: 'unread', error };
        if (reading.is === 'invoice') invoice = reading.invoice;
      }
      if (invoice !== undefined) known.set(renewal, invoice);
      if (renewal >= furthest && (invoice === undefined || isLast(invoice))) break;
    }
    return { order, invoices: all(), rest: 'none', error };
  } catch (failure) {
    return { order, invoices: all(), rest: 'failed', error: failure };
  }
}
