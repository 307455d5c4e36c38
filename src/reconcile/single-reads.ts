import { orderOf, RENEWALS_MAX, renewalId } from '../contract/orders.ts';
import { isSameIdent } from '../contract/values/scalars.ts';
import { failsEveryCall, hasKind, isMerchantError } from '../errors/guards.ts';
import { IdentProof, type InvoicePaths, readByPath } from '../lookup/by-path.ts';
import { lacksPayment } from '../webhooks/event/invoice-event.ts';
import { type Evidence, foundInvoice, type KnownInvoice, pinned, withoutPayment } from './compare.ts';
import {
  type HeldInvoice,
  type HeldOrders,
  type HeldRow,
  heldInvoice,
  listOf,
  type OrderInvoice,
  ofThisSystem,
  type Unit,
} from './held-orders.ts';
import type { Settings } from './options.ts';
import type { NotComparedReason, ReconcileInvoice } from './types.ts';
import type { Walked } from './walk-list.ts';

// The single reads that gather the evidence for an order. The list alone accuses nobody.

/** After this many failed single reads, one after the other, the service counts as down. */
const FAILED_READS_MAX = 10;

type Unknown = Extract<Evidence, { is: 'unknown' }>;
type NoEvidence = Exclude<Evidence, { is: 'read' }>;

/** A read that gave no such invoice. `code`: how it failed, or null where it gave another invoice. */
interface NoInvoice {
  readonly is: 'none' | 'unread';
  readonly code: string | null;
}

/** The result of a single read. `isShort`: its form does not say what was paid. */
type Reading = (KnownInvoice & { readonly held: HeldInvoice; readonly isShort: boolean }) | NoInvoice | Unknown;

/** The evidence for an order, and all invoices that were found for it, those of another system too. */
export interface Gathered {
  readonly evidence: Evidence;
  readonly known: readonly OrderInvoice[];
}

function unknown(reason: NotComparedReason, problem: string): Unknown {
  return { is: 'unknown', reason, problem };
}

function notRead(why: string): Unknown {
  return unknown('invoice_not_read', `the invoice could not be read: ${why}`);
}

const SHORT = unknown('invoice_not_read', 'the single read does not say what was paid, and the list does not show it');
export const REFUSED = unknown(
  'invoice_not_read',
  'the service finds no invoice by this id, and the list does not show it. Give the uuid of the invoice',
);

export class SingleReads {
  readonly #settings: Settings;
  readonly #orders: HeldOrders;
  readonly #walked: Walked;
  readonly #proof = new IdentProof();
  readonly #paths: InvoicePaths<ReconcileInvoice> = {
    get: async (ident) => await this.#settings.merchant.invoices.get(ident, { signal: this.#settings.signal }),
    firstPage: async () => this.#walked.oldest,
  };
  /** Failed single reads since the last one that succeeded. */
  #failedInARow = 0;

  constructor(settings: Settings, orders: HeldOrders, walked: Walked) {
    this.#settings = settings;
    this.#orders = orders;
    this.#walked = walked;
  }

  /**
   * Gathers the evidence for an order: reads each listed invoice and each that a row names, the first one where a renewal
   * is known, and while none is paid the next renewal, until the service has none.
   */
  async gather(unit: Unit): Promise<Gathered> {
    const { rows } = unit;
    const known: OrderInvoice[] = [];
    const gathered = (evidence: Evidence): Gathered => ({ evidence, known });
    const isKnown = (id: string): boolean => known.some(({ held }) => isSameIdent(held.external_id, id));
    for (const held of listOf(unit.listed)) {
      const read = await this.again(held, rows);
      if ('is' in read) return gathered(read);
      if (isKnown(read.held.external_id))
        return gathered(unknown('several_invoices', 'several invoices have this external_id'));
      known.push(read);
    }
    for (const row of rows.filter(({ invoice }) => !isKnown(invoice))) {
      const read = await this.#look(row.invoice, rows);
      if ('is' in read) {
        if (read.is === 'none') continue;
        return gathered(read.is === 'unknown' ? read : REFUSED);
      }
      known.push(read);
      if (read.isShort) return gathered(SHORT);
      const { order } = orderOf(read.held.external_id);
      const other = this.#orders.of(order);
      if (other !== undefined && other !== unit)
        return gathered(
          unknown('invoice_not_read', 'the list does not show the invoice, and its order has another row'),
        );
      if (row.order === row.external_id) row.order = order;
      row.invoice = read.held.external_id;
    }
    let isEnd = true;
    for (const order of new Set(known.map(({ held }) => orderOf(held.external_id).order))) {
      const numbers = known.map(({ held }) => orderOf(held.external_id)).filter((each) => each.order === order);
      const last = Math.max(...numbers.map(({ renewal }) => renewal));
      for (let renewal = 0; renewal <= RENEWALS_MAX; renewal += 1) {
        const id = renewalId({ order, renewal });
        if (isKnown(id)) continue;
        if (renewal > 0 && ofThisSystem(known, rows).some(({ invoice }) => invoice.paid_amount !== null)) break;
        const read = await this.#look(id, rows);
        if ('is' in read) {
          if (read.is === 'unknown') return gathered(read);
          if (renewal <= last) continue;
          isEnd &&= read.is === 'none';
          break;
        }
        known.push(read);
        if (read.isShort) return gathered(SHORT);
      }
    }
    const ours = [...ofThisSystem(known, rows)];
    ours.sort((a, b) => orderOf(a.held.external_id).renewal - orderOf(b.held.external_id).renewal);
    return gathered({ is: 'read', invoices: ours, isEnd });
  }

  /**
   * Reads a listed invoice again, by its uuid, or by its external_id if the service does not accept the uuid. Where
   * neither gives it, the list alone proves nothing.
   */
  async again(listed: string | HeldInvoice, rows: readonly HeldRow[]): Promise<OrderInvoice | NoEvidence> {
    const held = typeof listed === 'string' ? null : listed;
    const shown = held === null || typeof held.found === 'string' ? null : held.found;
    const [uuid, id] = held === null ? [String(listed), rows[0]?.invoice] : [held.uuid, held.external_id];
    let code: string | null = null;
    for (const ident of [uuid, ...(id === undefined ? [] : [id])]) {
      const read = await this.#read(ident, rows);
      if ('is' in read) {
        if (read.is === 'unknown') return read;
        code ??= read.code;
        continue;
      }
      if (!isSameIdent(read.held.uuid, uuid) && uuid !== id) continue;
      // A single read in the creation form does not say what was paid, so it does not replace the listed invoice.
      if (!read.isShort) return { ...read, isListed: true };
      if (shown === null) return typeof held?.found === 'string' ? unknown('invoice_malformed', held.found) : SHORT;
      return shown.status === read.invoice.status ? { ...read, invoice: shown, isListed: true } : { is: 'moved' };
    }
    if (typeof held?.found === 'string') return unknown('invoice_malformed', held.found);
    return notRead(code ?? 'the service gave another one');
  }

  /** Reads an invoice that the list did not show. */
  async #look(id: string, rows: readonly HeldRow[]): Promise<OrderInvoice | Unknown | NoInvoice> {
    const read = await this.#read(id, rows);
    if ('is' in read) return read;
    return { ...read, isListed: false };
  }

  /** Reads one invoice. Throws after ten failed reads in a row, because the service is down. */
  async #read(ident: string, rows: readonly HeldRow[]): Promise<Reading> {
    const failed = (error: unknown) => ({ is: 'failed', error }) as const;
    const reading = await readByPath(ident, this.#paths, this.#proof).catch(failed);
    if (reading.is === 'invoice') {
      this.#failedInARow = 0;
      const { invoice } = reading;
      // Another invoice says nothing about the one that was asked for.
      const isAsked = isSameIdent(invoice.uuid, ident) || isSameIdent(invoice.external_id, ident);
      return isAsked ? this.#readingOf(invoice, rows) : { is: 'unread', code: null };
    }
    const { error } = reading;
    if (!isMerchantError(error) || this.#settings.signal?.aborted) throw error;
    const isStranger = 'answeredBy' in error && error.answeredBy === 'other';
    if (failsEveryCall(error) && !isStranger) throw error;
    this.#failedInARow = reading.is === 'failed' || error.kind === 'server' ? this.#failedInARow + 1 : 0;
    if (this.#failedInARow >= FAILED_READS_MAX) throw error;
    if (error.kind === 'unexpected_response')
      return unknown('invoice_malformed', 'the invoice is not as the interface says');
    if (reading.is === 'failed') return notRead(error.code);
    // A list that shows nothing has nothing to prove a 404 with.
    const isNone = reading.is === 'none' || (this.#walked.invoices === 0 && hasKind(error, 'not_found'));
    return { is: isNone ? 'none' : 'unread', code: error.code };
  }

  #readingOf(read: ReconcileInvoice, rows: readonly HeldRow[]): Reading {
    const raw = pinned(read, this.#settings.adjustedAbsent);
    const isShort = lacksPayment(raw);
    const found = isShort ? withoutPayment(raw) : foundInvoice(raw);
    if (typeof found === 'string') return unknown('invoice_malformed', found);
    const isOpen = found.status === 'pending' && found.expires_at.getTime() > this.#walked.horizon;
    // A replica may not have its payment yet, unless the shop says that it acted longer ago than the grace.
    const mayLag = isOpen && rows.length > 0 && rows.every(({ changed }) => changed === null);
    return { held: heldInvoice(raw, found), invoice: found, isConfirmed: !mayLag, isShort };
  }
}
