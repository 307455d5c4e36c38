import { FINAL_INVOICE_STATUSES, type FinalInvoiceStatus } from '../../contract/statuses.ts';
import type { InvalidItem } from '../../resources/list-options.ts';
import type { HandlerSettings } from '../handle/handler-options.ts';
import { Reporter } from '../handle/report.ts';
import type { CatchUpClient, CatchUpInvoice } from './catch-up-client.ts';
import { CatchUpCount, uuidOf } from './catch-up-count.ts';
import { type CatchUpSettings, refuseForgetfulStore } from './catch-up-options.ts';
import type { CatchUpCursor } from './cursor.ts';
import { LeftOut } from './left-out.ts';
import { BEGINNING, type Bounds, ListWalk, timeOf, type WalkSettings } from './lists/list-walk.ts';
import type { PendingList } from './lists/pending-list.ts';
import { playInvoice } from './play-invoice.ts';
import { PlayPool } from './play-pool.ts';
import { Totals } from './totals.ts';

/** The parts of a run. */
export interface RunParts<Extra extends object> {
  readonly merchant: CatchUpClient;
  readonly chosen: CatchUpSettings;
  readonly settings: HandlerSettings<Extra>;
  readonly cursor: CatchUpCursor | null;
  /** The earliest `finished_at` that is played. */
  readonly earliest: number;
  readonly stopIfAborted: () => void;
}

/** The list of a final status. */
export interface FinalList {
  readonly status: FinalInvoiceStatus;
  readonly walk: ListWalk;
}

/** One run: the lists that it walks, the invoices that it looks for, and how they ended. */
export class Run<Extra extends object> {
  readonly count: CatchUpCount;
  readonly leftOut = new LeftOut();
  readonly totals = new Totals();
  readonly pool: PlayPool;
  /** The lists of final invoices, as far as they were read. */
  readonly lists: FinalList[] = [];
  /** Invoices of the cursor that this run has not seen yet. */
  readonly sought = new Set<string>();
  /** Invoices of the pending list that ended during the run. */
  readonly ended = new Set<string>();
  /** When the newest invoice that was seen was created, and its ids. */
  newest: number | null;
  witness: CatchUpCursor['account'];
  pending: PendingList | null = null;
  readonly #parts: RunParts<Extra>;
  readonly #waited: ReadonlySet<string>;
  readonly #carried: ReadonlySet<string>;
  /** Invoices that were read one by one: a list that is read on may show them again. */
  readonly #readSingly = new Set<string>();
  readonly #walks: ListWalk[] = [];

  constructor(parts: RunParts<Extra>) {
    const { chosen, cursor } = parts;
    this.#parts = parts;
    this.count = new CatchUpCount(chosen.onProgress);
    this.pool = new PlayPool(chosen.concurrency, (invoice) => this.#play(invoice));
    this.newest = cursor?.newest ?? null;
    this.witness = cursor?.account ?? null;
    this.#waited = new Set(cursor?.pending ?? []);
    this.#carried = new Set([...(cursor?.retry ?? []), ...(cursor?.unreadable ?? [])]);
  }

  /** Begins to walk the list of a final status. */
  open(status: FinalInvoiceStatus, old: Bounds, next: Bounds): FinalList {
    this.count.enter(status);
    const list = { status, walk: this.#walk(status, old, next, (item) => this.#leaveOut(status, item)) };
    this.lists.push(list);
    return list;
  }

  /** Begins to walk the list of pending invoices. */
  openPending(onInvalid: WalkSettings['onInvalid']): ListWalk {
    this.count.enter('pending');
    return this.#walk('pending', BEGINNING, BEGINNING, onInvalid);
  }

  /** Sees how late it is by the invoices that were paid last, where the service sorts them so. */
  async seeNewest(): Promise<void> {
    const paid = this.#walk('success', BEGINNING, BEGINNING, () => {}, false);
    if ((await paid.serviceTime()) !== null) await paid.read();
  }

  #walk(
    status: 'pending' | FinalInvoiceStatus,
    old: Bounds,
    next: Bounds,
    onInvalid: WalkSettings['onInvalid'],
    isShown = true,
  ): ListWalk {
    const { merchant, chosen } = this.#parts;
    const { isPinned, prefetch, signal } = chosen;
    const onPage: WalkSettings['onPage'] = (page) => {
      for (const invoice of page.items ?? []) this.#see(invoice);
      if (isShown) this.count.turn(page);
    };
    const walk = new ListWalk(merchant, status, { isPinned, prefetch, signal, old, next, onPage, onInvalid });
    this.#walks.push(walk);
    return walk;
  }

  /** Looks for what the cursor names and what is not pending now. */
  seek(pending: PendingList | null): void {
    this.pending = pending;
    for (const uuid of this.#waited) if (!pending?.createdAt.has(uuid)) this.sought.add(uuid);
    for (const uuid of this.#carried) this.sought.add(uuid);
  }

  /** Looks for what the cursor and this run saw as pending, and what has left the pending list since. */
  seekEnded(createdAt: PendingList['createdAt']): void {
    for (const uuid of this.#waited) {
      if (this.pending?.createdAt.has(uuid) && !createdAt.has(uuid) && !this.ended.has(uuid)) this.sought.add(uuid);
    }
  }

  /** Reads pages until the list ends, or no later row is of these times. */
  async readTo(list: FinalList, bounds: Bounds): Promise<void> {
    while (!isDone(list, bounds)) await this.step(list);
  }

  /** Reads a page, and plays its rows. */
  async step({ status, walk }: FinalList): Promise<void> {
    const { stopIfAborted, settings } = this.#parts;
    stopIfAborted();
    const wasCounted = { old: !walk.old.get('created').isSettled, next: !walk.next.get('created').isSettled };
    const rows = await walk.read();
    for (const invoice of rows ?? []) {
      stopIfAborted();
      // A service that does not know the filter also returns invoices of other statuses.
      if (invoice.status !== status) continue;
      if (this.#readSingly.has(invoice.uuid)) continue;
      this.#note(invoice, status, wasCounted);
      if (this.#isTooOld(invoice)) continue;
      refuseForgetfulStore(settings.options.store);
      await this.pool.add(invoice);
    }
  }

  /** Takes an invoice that was read by its uuid. Returns false if it is still open. */
  async takeSingle(uuid: string, invoice: CatchUpInvoice): Promise<boolean> {
    this.#see(invoice);
    const status = FINAL_INVOICE_STATUSES.find((final) => final === invoice.status);
    if (status === undefined) return false;
    const wasPending = this.pending?.createdAt.has(uuid) ?? false;
    this.#note({ ...invoice, uuid }, status, { old: !wasPending, next: !wasPending });
    this.#readSingly.add(uuid);
    refuseForgetfulStore(this.#parts.settings.options.store);
    if (!this.#isTooOld({ ...invoice, uuid })) await this.pool.add(invoice);
    return true;
  }

  /** Counts an invoice that cannot be read by its uuid either. */
  leaveUnreadable(uuid: string, why: string): void {
    if (this.count.addInvalid({ uuid }, 0, 0)) this.report(`The invoice ${JSON.stringify(uuid)} ${why}`);
    this.leftOut.add(uuid, false);
  }

  /** Waits for the invoices that are being played, and ends the requests in flight. */
  async close(): Promise<void> {
    await this.pool.settle();
    for (const walk of this.#walks) await walk.close().catch(() => {}); // the run has its result, or its error
  }

  #see({ uuid, external_id, created_at }: CatchUpInvoice): void {
    const created = timeOf(created_at);
    if (created === null || (this.newest !== null && created <= this.newest)) return;
    this.newest = created;
    if (isText(uuid) && isText(external_id)) this.witness = { uuid, external_id };
  }

  #note(
    { uuid }: CatchUpInvoice,
    status: FinalInvoiceStatus,
    wasCounted: { readonly old: boolean; readonly next: boolean },
  ): void {
    this.sought.delete(uuid);
    const wasPending = this.pending?.createdAt.has(uuid) ?? false;
    if (this.#waited.has(uuid)) this.totals.addEnded(status, wasCounted.old || !wasPending);
    if (!wasPending) return;
    this.ended.add(uuid);
    if (!wasCounted.next) this.totals.addLate(status);
  }

  #isTooOld({ uuid, finished_at }: CatchUpInvoice): boolean {
    if (this.#carried.has(uuid)) return false;
    return finished_at instanceof Date && finished_at.getTime() < this.#parts.earliest;
  }

  async #play(invoice: CatchUpInvoice): Promise<void> {
    const { settings, chosen } = this.#parts;
    const ending = await playInvoice(invoice, settings, chosen.signal);
    const counted = this.count.add(ending);
    if (counted === 'failed' || counted === 'busy') {
      this.leftOut.add(invoice.uuid, ending.verdict !== 'malformed_payload');
    }
  }

  #leaveOut(status: FinalInvoiceStatus, { page, index, path, raw }: InvalidItem): void {
    if (!this.count.addInvalid(raw, page, index)) return; // on a page that was read again
    const uuid = uuidOf(raw);
    this.leftOut.add(uuid, false);
    if (uuid !== null) {
      this.sought.delete(uuid);
      if (this.pending?.createdAt.has(uuid)) this.ended.add(uuid);
    }
    const where = path === '' ? '' : ` at ${path}`;
    this.report(
      `An invoice of status ${status} (page ${page}, place ${index + 1}) is not as the interface says${where}. It was left out.`,
    );
  }

  /** Reports what this run leaves out, or cannot read. */
  report(message: string): void {
    new Reporter(this.#parts.settings.options.onReport).report('malformed_payload', message);
  }
}

/** True if the list has ended, or no later row is of these times. */
export function isDone({ walk }: FinalList, bounds: Bounds): boolean {
  return walk.hasEnded || walk.isPast(bounds);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
