// The parts of one sandbox. seed.ts fills them with the seed data.
import type { Settings } from './sandbox-options.ts';
import { Clock } from './state/clock.ts';
import { FaultScript } from './state/faults.ts';
import { EventLog } from './state/log.ts';
import { createRandom, type Random } from './state/random.ts';
import { Store } from './state/records.ts';

/** The parts of one sandbox. Every room works on them. */
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
  /** Requests to the service that are being answered. */
  answering: number;
  /**
   * Incremented when a request or an attempt begins or ends. `settle({ quiet })` waits until it stays the same.
   */
  activity: number;
  /** The attempts to deliver a webhook that are in progress. */
  readonly attempts: Set<Promise<void>>;
  /** Calls of `advance()` and `settle()` that wait for attempts. */
  waiting: number;
  /** Tells the sandboxes of a process apart, so that each prints its own lines. */
  readonly serial: number;
}

/** The host of a sandbox without a port. Nothing can be reached there. */
const NO_HOST = 'https://sandbox.invalid';

/** The number of sandboxes so far. */
let made = 0;

export function createParts(settings: Settings): World {
  made += 1;
  const clock = new Clock(settings.clock, startTime(settings), settings.wallClock);
  return {
    settings,
    clock,
    store: new Store(),
    log: new EventLog(clock.now, settings.onEvent),
    faults: new FaultScript(clock.now),
    random: createRandom(settings.seed),
    url: settings.url ?? NO_HOST,
    life: new AbortController(),
    requestCount: 0,
    answering: 0,
    activity: 0,
    attempts: new Set(),
    waiting: 0,
    serial: made,
  };
}

/** Where the clock begins, and begins again after a reset. */
export function startTime({ now, wallClock }: Settings): number {
  return now ?? wallClock();
}
