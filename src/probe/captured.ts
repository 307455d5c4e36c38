import type { JsonObject } from '../contract/json.ts';

/** A delivery whose signature was verified, as long as it is read. It is never stored. */
export interface Captured {
  /** Method and path template, without values. */
  readonly at: string;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: JsonObject;
  /** When it arrived, in milliseconds, or null for a delivery from a file. */
  readonly arrivedAt: number | null;
  /** The captured deliveries before it with the same X-Webhook-Id. */
  readonly earlier: readonly Captured[];
  /** The merchant's order ids that the user has named, which confirm a weak name. */
  readonly knownIds: ReadonlySet<string>;
}
