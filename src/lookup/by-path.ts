import { isSameIdent, isUuid, plainIdent } from '../contract/values/scalars.ts';
import { hasKind, isMerchantError, isRefusedIdent } from '../errors/guards.ts';

// The interface does not show which idents the path of a single read accepts. A service may read uuids alone, and answer
// every external_id with a 404 in its own form. So a 404 says that there is no invoice only where the service has given
// some invoice by an id of this form. Otherwise the first page of its list is asked once for such an invoice. A path that
// refuses an ident, fails on it, or is answered by somebody else says nothing: the lists decide (`in-pages.ts`).

/** The ids of an invoice. */
export interface InvoiceIds {
  readonly uuid: string;
  readonly external_id: string;
}

/** How invoices are read singly. Both functions throw the errors of the client. */
export interface InvoicePaths<T extends InvoiceIds> {
  get(ident: string): Promise<T>;
  /** The first page of the list of all invoices. */
  firstPage(): Promise<readonly T[]>;
}

/**
 * The result of a single read. `none`: the service has no such invoice. `unread`: nothing is known, and the lists may
 * show it.
 */
export type Reading<T> =
  | { readonly is: 'invoice'; readonly invoice: T }
  | { readonly is: 'none' | 'unread'; readonly error: unknown };

/**
 * Reads an invoice by its uuid or external_id.
 *
 * @param proof What was seen of this service, by the same client.
 * @param exists True where the service has said that there is such an invoice: a 404 is then never taken for absence.
 * @throws The error of a read that says nothing of the ident, such as a failed connection or a refused key.
 */
export async function readByPath<T extends InvoiceIds>(
  ident: string,
  paths: InvoicePaths<T>,
  proof: IdentProof,
  { exists = false }: { readonly exists?: boolean } = {},
): Promise<Reading<T>> {
  try {
    const invoice = await paths.get(ident);
    proof.note(ident, invoice);
    return { is: 'invoice', invoice };
  } catch (error) {
    if (!saysNothing(error)) throw error;
    const isNone = !exists && hasKind(error, 'not_found') && (await proof.covers(ident, paths));
    return { is: isNone ? 'none' : 'unread', error };
  }
}

/** True for an error of a read that is about the ident or its response alone: the lists may show the invoice. */
function saysNothing(error: unknown): boolean {
  return isMerchantError(error) && (isRefusedIdent(error) || error.kind === 'unexpected_response');
}

/**
 * A kind of ident that paths may accept. A service that reads external_ids in the form of a uuid reads all external_ids,
 * and one that reads others may take those for its own uuids.
 */
type Kind = 'external_id' | 'external_id like a uuid' | 'uuid';

/** The kinds of ident by which a service has given an invoice. One for each client. */
export class IdentProof {
  readonly #proven = new Set<Kind>();
  /** The question to the list, for idents in the form of a uuid and for others. */
  readonly #asked = new Map<boolean, Promise<void>>();

  /** Notes that the service gave the invoice by this ident. */
  note(ident: string, { uuid, external_id }: InvoiceIds): void {
    if (isSameIdent(uuid, ident)) this.#proven.add('uuid');
    else if (external_id === ident) this.#proven.add(isUuid(ident) ? 'external_id like a uuid' : 'external_id');
  }

  /** Whether a 404 for this ident means that there is no invoice. Asks the service once where it is not known. */
  async covers<T extends InvoiceIds>(ident: string, paths: InvoicePaths<T>): Promise<boolean> {
    const form = isUuid(ident);
    if (this.#isProven(form)) return true;
    const asked = this.#asked.get(form) ?? this.#ask(form, plainIdent(ident), paths);
    this.#asked.set(form, asked);
    try {
      await asked;
    } catch {
      this.#asked.delete(form); // the list could not be read, so the next 404 asks again
    }
    return this.#isProven(form);
  }

  /** An ident in the form of a uuid may be the service's or the merchant's, so both must be read by path. */
  #isProven(form: boolean): boolean {
    const proven = this.#proven;
    const likeUuid = proven.has('external_id like a uuid');
    return form ? likeUuid && proven.has('uuid') : likeUuid || proven.has('external_id');
  }

  /** Reads invoices of the first page singly, by the kinds of ident that are not proven. */
  async #ask<T extends InvoiceIds>(form: boolean, ident: string, paths: InvoicePaths<T>): Promise<void> {
    const others = (await paths.firstPage()).filter(({ external_id }) => plainIdent(external_id) !== ident);
    const named = others.find(({ uuid, external_id }) => (isUuid(external_id) || !form) && external_id !== uuid);
    const idents = [named?.external_id, form ? others[0]?.uuid : undefined];
    for (const each of idents) {
      if (each === undefined) return;
      try {
        this.note(each, await paths.get(each));
      } catch (error) {
        if (!saysNothing(error)) throw error;
      }
    }
  }
}
