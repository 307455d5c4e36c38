import type { Settings } from './options.ts';
import type { Clock } from './state/clock.ts';
import type { FaultScript } from './state/faults.ts';
import type { EventLog } from './state/log.ts';
import type { Random } from './state/random.ts';
import type { InvoiceRecord, Store } from './state/records.ts';

/** The parts of one sandbox. `create-world.ts` makes it once, and every room above works on it. */
export interface World {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly store: Store;
  readonly log: EventLog;
  readonly faults: FaultScript;
  /** Replaced by `reset()`. */
  random: Random;
  /** Base address of payment links. Changes when a server listens. */
  url: string;
  /** Aborted by `reset()` and `close()`, which ends the attempts in progress. */
  life: AbortController;
  requestCount: number;
  /** Sends the webhook of an invoice that has reached a final status. The promise ends with the first attempt. */
  readonly announce: (invoice: InvoiceRecord) => Promise<void>;
}

/** The time of the sandbox clock as ISO 8601 text. */
export function timeOf({ clock }: Pick<World, 'clock'>): string {
  return new Date(clock.now()).toISOString();
}

/** Writes a remark into the log. */
export function note(world: World, text: string): void {
  world.log.add({ kind: 'note', at: timeOf(world), text });
}
