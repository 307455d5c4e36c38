import type { Claim, RunResult, WebhookStore } from './store.ts';

/** The options that the stores in SQL databases share. */
export interface SqlStoreOptions {
  /** The name of the table, in PostgreSQL also `schema.name`. @defaultValue `merchant_webhook_events` */
  readonly table?: string | undefined;
  /**
   * The owner of the events, as a part of every key: 1 to 64 letters, digits or `_ . -`. Set it from the first day if two
   * businesses, or two installations of the service, share one table. @defaultValue none
   */
  readonly namespace?: string | undefined;
  /** How long completed events are remembered, in milliseconds, at least a day, or null for no limit. @defaultValue null */
  readonly retention?: number | null | undefined;
}

/** A {@link WebhookStore} in an SQL database. */
export interface SqlStore<Extra extends object> extends WebhookStore<Extra> {
  /** The statement that creates the table, for your migrations. It is harmless to repeat. */
  readonly schema: string;
  /** The statement that deletes records older than `retention`, or null if `retention` is null. */
  readonly cleanUpStatement: string | null;
  /** Runs `schema`. Many processes may do so at the same time. */
  migrate(): Promise<void>;
  /**
   * Runs `cleanUpStatement` and returns how many records it deleted.
   *
   * @throws ConfigurationError without a `retention`.
   */
  cleanUp(): Promise<number>;
  run(claim: Claim, work: (extra: Extra) => Promise<void>): Promise<RunResult>;
}
