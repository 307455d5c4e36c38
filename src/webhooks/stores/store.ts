// The contract between the handler and a store, checked by `storeConformance`. The stores import it, the ground, and of
// the receiver only `time-source.ts`.

/** Identifies a record and its owner. */
export interface Claim {
  /**
   * The event: the store's namespace if it has one, invoice_uuid and what happened, such as `018f…:paid` or
   * `shop-b/018f…:paid`. At most 300 ASCII characters. Compare it exactly.
   */
  readonly key: string;
  /**
   * A random token, new for each claim. Each later operation passes it, so that a late attempt cannot change another
   * one's record.
   */
  readonly owner: string;
}

/** A request to claim a key. */
export interface ClaimRequest extends Claim {
  /** The digest of the signed content, to be kept in the record: 64 characters of ASCII. */
  readonly digest: string;
  /** How long the claim lasts unless it is extended, in milliseconds by the clock of the store. 0 expires at once. */
  readonly lease: number;
  /**
   * True for a replay: a done event is claimed as a new one, in one step, and keeps its digest. It counts as done for
   * every other claim meanwhile. `release`, and the end of the lease, leave it done.
   */
  readonly again?: boolean | undefined;
}

/**
 * The result of a claim.
 *
 * - `claimed`: there was no record, or a done one and `again`. The claim holds.
 * - `taken_over`: there was a claim with an expired lease, whose process died or stalled. The claim holds, with the new
 *   owner and digest. `digest` is the previous one.
 * - `running`: another claim holds the key, or with `again` another replay. Nothing was changed. `leaseEnd` is when that
 *   claim ends unless it is extended, in milliseconds since 1970 by the clock of the store. The report says it.
 * - `done`: the event was completed. Nothing was changed.
 */
export type ClaimResult =
  | { readonly state: 'claimed' }
  | { readonly state: 'running'; readonly digest: string; readonly leaseEnd?: number | undefined }
  | { readonly state: 'taken_over' | 'done'; readonly digest: string };

/**
 * How {@link LeaseStore.run} ended.
 *
 * - `true`: committed. This includes a COMMIT whose response was lost, if the record shows that this owner completed
 *   it.
 * - `false`: rolled back, because the claim no longer holds.
 * - `{ failedAfterCommit }`: the writes and the completion were committed, and then the work threw this error. The
 *   event is done.
 */
export type RunResult = boolean | { readonly failedAfterCommit: unknown };

/** The members that every store has. */
export interface StoreRecords {
  /**
   * How long a completed record is remembered, in milliseconds, or null for no limit. The service repeats for 20.6
   * hours, and a manual resend can come at any time.
   */
  readonly retention: number | null;
  /**
   * The owner of the events, if one table serves two businesses or two installations of the service. The handler puts
   * it into every key, so the store does nothing with it. @defaultValue none
   */
  readonly namespace?: string | undefined;
  /**
   * How many callers wait for a connection of the store's pool. A report about the time limit then says that the
   * function may wait for a connection of its own pool.
   */
  waiting?(): number;
}

/**
 * A store with leases remembers which events are done in two phases: a claim, which commits before any work, and the
 * completion after it. A crash in between leaves a claim whose lease expires, and the next delivery takes the event
 * over. A single "set if absent" cannot do that.
 *
 * Each operation must be atomic. In SQL:
 * `INSERT … ON CONFLICT (key) DO UPDATE SET owner, digest, lease_end WHERE state = 'running' AND lease_end <= now`,
 * extension and release `… WHERE key AND owner AND state = 'running'`, completion `… WHERE key AND owner`. In Redis: one
 * script for each operation. A key that expires with the lease is not enough, because a takeover would look like a new
 * event. `storeConformance` checks your store.
 *
 * `Extra` is what {@link LeaseStore.run} adds to the context of the merchant's functions.
 *
 * @example
 * // Another store, measured.
 * const measured: LeaseStore = {
 *   retention: store.retention,
 *   namespace: store.namespace,
 *   async claim(request) {
 *     const began = performance.now();
 *     const result = await store.claim(request);
 *     console.log(result.state, performance.now() - began);
 *     return result;
 *   },
 *   extend: (claim, lease) => store.extend(claim, lease),
 *   complete: (claim) => store.complete(claim),
 *   release: (claim) => store.release(claim),
 * };
 */
export interface LeaseStore<Extra extends object = object> extends StoreRecords {
  /**
   * Tries to claim a key.
   *
   * @throws Any error means that the store is down: the delivery is answered 503.
   */
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /**
   * Extends a claim to `lease` milliseconds from now. Resolves with false if the claim no longer holds.
   *
   * @throws Any error is ignored: the next extension may succeed.
   */
  extend(claim: Claim, lease: number): Promise<boolean>;
  /**
   * Marks the event done. Resolves with true also if the same claim has completed it before, because the response to an
   * earlier call may have been lost. Resolves with false, and changes nothing, if another owner has the record or there
   * is no record.
   *
   * @throws Any error leads to a second call. After another error the delivery is answered 503, and the claim is kept.
   */
  complete(claim: Claim): Promise<boolean>;
  /**
   * Releases a running claim after a failure. The event of a replay stays done. Does nothing if the claim no longer
   * holds.
   *
   * @throws Any error is ignored: the lease expires.
   */
  release(claim: Claim): Promise<void>;
  /**
   * Optional, for stores that can put the merchant's writes and the completion into one transaction. Does the work
   * **and** the completion: calls `work` exactly once with the additions to the context, completes with the owner
   * checked, and commits. If `work` throws, it rolls back and rethrows.
   *
   * A store on one shared connection instead adds a function to the context, `commit`, that does all of that. If `work`
   * did not call it, the store completes the event after `work`. Claims and extensions must not wait for the transaction.
   *
   * @param onLate Called with the error of a write that came after the work had ended. The handler reports it.
   */
  run?(claim: Claim, work: (extra: Extra) => Promise<void>, onLate?: (error: unknown) => void): Promise<RunResult>;
}

/** A request to run the work of an event once. */
export interface OnceRequest {
  /** The event, as {@link Claim.key}. */
  readonly key: string;
  /** The digest of the signed content, to be kept in the record: 64 characters of ASCII. */
  readonly digest: string;
  /** True for a replay: the work of a done event runs once more, and the record stays whatever happens. */
  readonly again?: boolean | undefined;
  /** Aborted ten minutes after the claim. The store then ends the transaction, whatever the work does. */
  readonly signal: AbortSignal;
}

/**
 * The result of {@link TransactionStore.runOnce}.
 *
 * - `committed`: the work ran, and its writes and the record were committed.
 * - `running`: another transaction holds the key. The work did not run, and the store did not wait for that
 *   transaction.
 * - `done`: the event was committed before, with this digest, and the request has no `again`. The work did not run.
 * - `failed_after_commit`: not the store, but something else committed the transaction, so the event is done, and what
 *   followed is not part of it. `error` is what the work then threw, or says who may have ended it.
 */
export type OnceResult =
  | { readonly state: 'committed' }
  | { readonly state: 'failed_after_commit'; readonly error: unknown }
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly digest: string };

/**
 * A store that holds the claim inside the transaction of the merchant's writes. The record of the event is inserted
 * first, and commits together with the writes, or not at all. There is no lease: the claim ends with the transaction,
 * so a process that dies frees its event at once, and no trace of it remains.
 *
 * Only for a database that gives each running function a connection of its own. `storeConformance` with
 * `form: 'transaction'` checks your store.
 */
export interface TransactionStore<Extra extends object = object> extends StoreRecords {
  /**
   * Claims the key, calls `work` with the additions to the context, and commits. `work` is called at most once.
   *
   * Resolves with `committed` also if the response to COMMIT was lost and the record is there.
   *
   * @throws The error of `work`, after a rollback. Any other error means that the store failed: the delivery is
   *   answered 503, and the service sends it again.
   */
  runOnce(request: OnceRequest, work: (extra: Extra) => Promise<void>): Promise<OnceResult>;
}

/**
 * Remembers which events are done, in one of two forms: a {@link LeaseStore}, or a {@link TransactionStore} for a
 * database that can hold the claim in the transaction of the merchant's writes. A store has `claim` or `runOnce`, never
 * both.
 */
export type WebhookStore<Extra extends object = object> = LeaseStore<Extra> | TransactionStore<Extra>;
