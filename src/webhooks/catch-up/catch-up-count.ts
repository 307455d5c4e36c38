import { notify } from '../../callbacks.ts';
import type { FinalInvoiceStatus } from '../../contract/statuses.ts';
import { isPayload, own } from '../event/payload-names.ts';
import type { Ending } from '../handle/play-event.ts';
import type { Verdict } from '../handle/replies.ts';
import type { CatchUpOptions, CatchUpProgress, CatchUpResult } from './catch-up-options.ts';

const COUNTED: Partial<Record<Verdict, keyof CatchUpResult>> = {
  done: 'played',
  failed_after_commit: 'played', // its writes are kept; the report says what threw
  duplicate: 'alreadyDone',
  duplicate_differs: 'alreadyDone',
  duplicate_running: 'busy',
  lease_lost: 'busy', // another attempt has it
};

/** Counts what became of the invoices, and tells the progress. */
export class CatchUpCount {
  readonly #counts = { played: 0, alreadyDone: 0, busy: 0, failed: 0, invalid: 0 };
  readonly #invalid = new Set<string>();
  readonly #onProgress: CatchUpOptions['onProgress'];
  #status: FinalInvoiceStatus = 'success';
  #page = 0;
  #totalPages = 0;

  constructor(onProgress: CatchUpOptions['onProgress']) {
    this.#onProgress = onProgress;
  }

  get result(): CatchUpResult {
    return { ...this.#counts };
  }

  enter(status: FinalInvoiceStatus): void {
    this.#status = status;
    this.#page = 0;
    this.#totalPages = 0;
  }

  turn({ page, total_pages }: { readonly page: number; readonly total_pages: number }): void {
    this.#page = page;
    this.#totalPages = total_pages;
    this.#tell();
  }

  add({ verdict }: Ending): void {
    this.#counts[COUNTED[verdict] ?? 'failed'] += 1;
    this.#tell();
  }

  /** False for one that was counted before: pages are read again when the list moves. */
  addInvalid(raw: unknown, page: number, index: number): boolean {
    const uuid = isPayload(raw) ? own(raw, 'uuid') : undefined;
    const known = typeof uuid === 'string' ? uuid : `${this.#status} ${page} ${index}`;
    if (this.#invalid.has(known)) return false;
    this.#invalid.add(known);
    this.#counts.invalid += 1;
    return true;
  }

  #tell(): void {
    const progress: CatchUpProgress = {
      ...this.#counts,
      status: this.#status,
      page: this.#page,
      totalPages: this.#totalPages,
    };
    notify(() => this.#onProgress?.(progress));
  }
}
