/** Who holds a record: the event's dedupe key, and a token that only the claimant knows. */
export interface Claim {
  /**
   * The event: the store's namespace if it has one, invoice_uuid and what happened, such as `018f…:paid` or
   * `shop-b/018f…:paid`. Complete and unambiguous as it is: at most 300 ASCII characters, to be compared exactly.
   */
  readonly key: string;
  /** A random token, new for each claim. Every later move names it, so that a late loser cannot touch the winner's record. */
  readonly owner: string;
}

/** A request to hold a key. */
export interface ClaimRequest extends Claim {
  /** Digest of what was signed, to be kept in the record: 64 hex characters. */
  readonly digest: string;
  /** How long the claim holds unless renewed, in milliseconds, by the store's own clock; 0 is over at once. */
  readonly lease: number;
}

/**
 * - `claimed`: there was no record. It is ours now.
 * - `taken_over`: there was a running claim whose lease is over: its process died or stalled. It is ours now, with our
 *   owner and digest; `digest` is the one that stood there.
 * - `running`: another claim holds the key. Nothing was changed.
 * - `done`: the event was completed. Nothing was changed.
 */
export type ClaimResult =
  | { readonly state: 'claimed' }
  | { readonly state: 'taken_over' | 'running' | 'done'; readonly digest: string };

/**
 * How {@link WebhookStore.run} ended.
 *
 * - `true`: committed. Also where the answer to COMMIT was lost and the record turns out to be done by this owner.
 * - `false`: rolled back, because the claim is not ours any more.
 * - `{ failedAfterCommit }`: the writes and the completion were committed, and then the work threw this. The event is done.
 */
export type RunResult = boolean | { readonly failedAfterCommit: unknown };

/**
 * Where the handler remembers which events are done. Two phases: a claim, which commits on its own before any work,
 * and the completion after it. A crash in between leaves a claim whose lease runs out, and the next delivery takes it
 * over; that is what a single "set if absent" cannot do.
 *
 * Each move must be one atomic step:
 * SQL: `INSERT … ON CONFLICT (key) DO UPDATE SET owner, digest, lease_end WHERE state = 'running' AND lease_end <= now`,
 * renewal and release `… WHERE key AND owner AND state = 'running'`, completion `… WHERE key AND owner`. Redis: one script per move. A key that expires with the lease is not
 * enough: then nobody can tell a takeover. `storeConformance` checks a store of your own.
 *
 * `Extra` is what {@link WebhookStore.run} adds to the context of the merchant's functions.
 */
export interface WebhookStore<Extra extends object = object> {
  /**
   * How long a completed record is remembered, in milliseconds; null = for ever. The service repeats for 20.6 hours,
   * and a resend by hand can come at any time.
   */
  readonly retention: number | null;
  /**
   * Whose events these are, where one table serves two businesses or two installations of the service. The handler puts
   * it into every key, so the store has nothing else to do. Default: none.
   */
  readonly namespace?: string | undefined;
  /**
   * For a store that is bounded: a sentence that says which records are missing, once it had to drop one; null before.
   * The handler then reports `store_forgot`, and `catchUp` refuses, because it would run again what was done.
   */
  forgot?(): string | null;
  /** Tries to hold a key. A rejection means that the store is down: the delivery is answered 503. */
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /** Prolongs a claim to `lease` milliseconds from now. False when it is not ours any more. */
  renew(claim: Claim, lease: number): Promise<boolean>;
  /**
   * Marks the event done. True also when this same claim has marked it before: the answer to an earlier call may have
   * been lost. False, and nothing changed, when another owner has the record, or there is none.
   */
  complete(claim: Claim): Promise<boolean>;
  /** Gives a running claim back after a failure. Does nothing when it is not ours any more, or done. */
  release(claim: Claim): Promise<void>;
  /**
   * Optional, for stores that can hold the merchant's writes and the completion in one transaction. Does the work
   * **and** the completion: calls `work` exactly once with what it adds to the context, completes with the owner
   * checked, and commits. What `work` throws is rolled back and thrown on.
   *
   * A pooled store opens a second transaction and adds it (`context.tx`): `BEGIN`, work, `UPDATE … WHERE key AND owner`,
   * `COMMIT`. A store on one shared connection adds a function (`context.commit`) that does all of that in
   * one go, and completes after `work` where it was not called. Claims and renewals must not wait for that transaction.
   */
  run?(claim: Claim, work: (extra: Extra) => Promise<void>): Promise<RunResult>;
}
