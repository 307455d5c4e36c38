import type { EventLog } from './events.ts';
import type { Settings } from './options.ts';
import type { Random } from './random.ts';
import type { FaultScript } from './service/faults.ts';
import type { Answer } from './service/respond.ts';
import type { Exchange } from './service/service.ts';
import type { Clock } from './state/clock.ts';
import type { InvoiceRecord, Store } from './state/store.ts';

/** What every part of a sandbox works on. Made once by sandbox.ts and handed around. */
export interface World {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly store: Store;
  readonly log: EventLog;
  readonly faults: FaultScript;
  /** Replaced by reset(). */
  random: Random;
  /** Base address of payment links: changes when a server listens. */
  url: string;
  /** Aborted by reset() and close(): what is under way ends. */
  life: AbortController;
  requestCount: number;
  /** Answers everything that is not the service's API. */
  pages: (exchange: Exchange) => Promise<Answer>;
  /** Called once for each invoice that has reached a terminal state; the promise ends with the first attempt. */
  announce: (invoice: InvoiceRecord) => Promise<void>;
}

/** Writes a remark into the log. */
export function note(world: World, text: string): void {
  world.log.add({ kind: 'note', at: new Date(world.clock.now()).toISOString(), text });
}
