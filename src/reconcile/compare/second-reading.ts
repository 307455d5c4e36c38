import { AbortedError } from '../../errors/classes.ts';
import { type AnyMerchantError, isMerchantError } from '../../errors/guards.ts';
import type { ReconcileClient } from '../client.ts';
import { invoiceRow } from '../read/invoice-row.ts';
import type { InvoiceRow } from '../rows/rows.ts';

/**
 * The result of reading one invoice. `absent`: the service has none. `unread`: it could not say. `malformed`: it has one that
 * cannot be decoded.
 */
export type Reading = InvoiceRow | 'absent' | 'unread' | 'malformed';

/** Statuses of a service that accepts only its uuids in the path, and fails on other ids. */
const NOT_AN_IDENT = new Set([500, 501]);

/**
 * Reads invoices one by one, by uuid or `external_id`. The interface does not say which of them a read accepts.
 * Therefore "not found" counts only if a known invoice can be read by the same kind of id.
 */
export class SecondReading {
  readonly #merchant: ReconcileClient;
  readonly #signal: AbortSignal;
  #known: InvoiceRow | null = null;
  #accepts: Promise<boolean> | null = null;

  constructor(merchant: ReconcileClient, signal: AbortSignal) {
    this.#merchant = merchant;
    this.#signal = signal;
  }

  /** Takes an invoice of the list, with which the service is probed. */
  know(invoice: InvoiceRow): void {
    this.#known ??= invoice;
  }

  /** Reads an invoice of the list again. */
  async again({ uuid, id }: InvoiceRow): Promise<InvoiceRow | null> {
    for (const ident of [uuid, id]) {
      const found = await this.#read(ident);
      if (typeof found !== 'string' && found.uuid === uuid) return found;
    }
    return null;
  }

  /** Looks for an invoice that the list did not have. */
  async search(id: string): Promise<Reading> {
    const found = await this.#read(id);
    if (found === 'absent') return (await this.#acceptsExternalIds()) ? found : 'unread';
    return typeof found === 'string' || found.id === id ? found : 'unread';
  }

  #acceptsExternalIds(): Promise<boolean> {
    this.#accepts ??= this.#probe();
    return this.#accepts;
  }

  async #probe(): Promise<boolean> {
    if (this.#known === null) return true; // an empty list: there is nothing to compare with
    const found = await this.#read(this.#known.id);
    return typeof found !== 'string' && found.uuid === this.#known.uuid;
  }

  async #read(ident: string): Promise<Reading> {
    try {
      return invoiceRow(await this.#merchant.invoices.get(ident, { signal: this.#signal }));
    } catch (error) {
      if (!isMerchantError(error) || error instanceof AbortedError) throw error;
      return meaningOf(error);
    }
  }
}

/** Throws the error of a service that does not answer: then nothing can be compared. */
function meaningOf(error: AnyMerchantError): Exclude<Reading, InvoiceRow> {
  switch (error.kind) {
    case 'not_found':
      return 'absent';
    case 'unexpected_response':
      return 'malformed';
    case 'validation':
    case 'request':
    case 'conflict':
    case 'configuration': // an id that no path can carry, such as ".."
      return 'unread';
    case 'server':
      if (NOT_AN_IDENT.has(error.status ?? 0)) return 'unread';
  }
  throw error;
}
