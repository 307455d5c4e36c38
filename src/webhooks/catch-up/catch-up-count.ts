import { notify } from '../../callbacks.ts';
import type { Callback } from '../../checks.ts';
import { isObject } from '../../contract/json.ts';
import type { FinalInvoiceStatus } from '../../contract/statuses.ts';
import { readMember } from '../event/event.ts';
import type { Ending, Verdict } from '../handle/verdict.ts';

/** Numbers of invoices. */
export interface CatchUpCounts {
  /** Handled now. */
  readonly played: number;
  /** Done before. */
  readonly alreadyDone: number;
  /** Being handled by another attempt, perhaps by a delivery. The next run sees how that ended. */
  readonly busy: number;
  /**
   * Not done: your function threw or took too long, the store failed, or the invoice lacks a needed value. `onReport`
   * says which and why.
   */
  readonly failed: number;
  /** Left out because they cannot be decoded. `onReport` says why. */
  readonly invalid: number;
}

/** The progress of `catchUp`: after each page, and after each invoice. */
export interface CatchUpProgress extends CatchUpCounts {
  /** The status of the current list: pending, then success, fail, expired, canceled. */
  readonly status: 'pending' | FinalInvoiceStatus;
  /** The last page of this list that was read, from 1, or 0 before the first. */
  readonly page: number;
  /** Pages of this list, at the time of its last answer. */
  readonly totalPages: number;
}

const COUNTED: Partial<Record<Verdict, keyof CatchUpCounts>> = {
  done: 'played',
  failed_after_commit: 'played', // its writes are kept, and the report has the error
  duplicate: 'alreadyDone',
  duplicate_differs: 'alreadyDone',
  duplicate_running: 'busy',
  lease_lost: 'busy', // another attempt has it
};

/** Counts the invoices by their ending, and reports the progress. */
export class CatchUpCount {
  readonly #counts = { played: 0, alreadyDone: 0, busy: 0, failed: 0, invalid: 0 };
  readonly #invalid = new Set<string>();
  readonly #onProgress: Callback<[progress: CatchUpProgress]> | undefined;
  #position: Omit<CatchUpProgress, keyof CatchUpCounts> = { status: 'success', page: 0, totalPages: 0 };

  constructor(onProgress: Callback<[progress: CatchUpProgress]> | undefined) {
    this.#onProgress = onProgress;
  }

  get result(): CatchUpCounts {
    return { ...this.#counts };
  }

  enter(status: CatchUpProgress['status']): void {
    this.#position = { status, page: 0, totalPages: 0 };
  }

  turn({ page, total_pages }: { readonly page: number; readonly total_pages: number }): void {
    this.#position = { ...this.#position, page, totalPages: total_pages };
    this.#reportProgress();
  }

  /** Counts an invoice, and returns where. */
  add({ verdict }: Ending): keyof CatchUpCounts {
    const counted = COUNTED[verdict] ?? 'failed';
    this.#counts[counted] += 1;
    this.#reportProgress();
    return counted;
  }

  /** Returns false for an invoice that was counted before: pages are read again when the list moves. */
  addInvalid(raw: unknown, page: number, index: number): boolean {
    const known = uuidOf(raw) ?? `${this.#position.status} ${page} ${index}`;
    if (this.#invalid.has(known)) return false;
    this.#invalid.add(known);
    this.#counts.invalid += 1;
    return true;
  }

  #reportProgress(): void {
    notify(() => this.#onProgress?.({ ...this.#counts, ...this.#position }));
  }
}

/** Returns the uuid of an invoice that cannot be decoded, or null. */
export function uuidOf(raw: unknown): string | null {
  const uuid = isObject(raw) ? readMember(raw, 'uuid') : undefined;
  return typeof uuid === 'string' && uuid !== '' ? uuid : null;
}
