import type { EndpointName } from '../../../contract/endpoints.ts';
import { endpoints } from '../../../contract/endpoints.ts';
import { checkOptions, configurationFail, namesOf, quoted } from '../../../errors/checks.ts';
import { parseDuration } from '../duration.ts';
import { createRandom } from './random.ts';

const fail = configurationFail();

/** A failure of a request to the service. */
export type RequestFault =
  /** Refused before any work. `retryAfter` is a number of seconds, or the text of the header. Default: no header. */
  | { readonly type: 'rate_limit'; readonly retryAfter?: number | string | undefined }
  /** A failure of the service. `status` is 400 to 599, by default 503. `afterWork: true` does the work before it. */
  | {
      readonly type: 'server_error';
      readonly status?: number | undefined;
      readonly retryAfter?: number | string | undefined;
      readonly afterWork?: boolean | undefined;
    }
  /** The page of a proxy instead of the response. `status` is 400 to 599, by default 502. `afterWork` as above. */
  | { readonly type: 'html'; readonly status?: number | undefined; readonly afterWork?: boolean | undefined }
  /** No response. The connection stays open until the caller closes it. `afterWork` as above. */
  | { readonly type: 'hang'; readonly afterWork?: boolean | undefined }
  /** The connection breaks before the service has done anything. */
  | { readonly type: 'reset_before' }
  /** The work is done, then the connection breaks. */
  | { readonly type: 'reset_after' }
  /** The work is done and half of the response's body arrives before the connection breaks. */
  | { readonly type: 'truncated' }
  /** The work is done and the response is not JSON. */
  | { readonly type: 'malformed' }
  /** The work is done and the body comes in four pieces, with `delay` milliseconds before each, by default 100. */
  | { readonly type: 'slow'; readonly delay?: number | undefined };

/** A failure of a webhook delivery. */
export type DeliveryFault =
  /** Signed with another secret. */
  | { readonly type: 'wrong_signature' }
  /**
   * Signed correctly, with a timestamp `age` milliseconds in the past, by default 10 minutes. Negative: in the future.
   */
  | { readonly type: 'late_timestamp'; readonly age?: number | undefined }
  /**
   * The same request twice, the second after the first was answered, or with `atOnce: true` both at the same moment.
   */
  | { readonly type: 'duplicate'; readonly atOnce?: boolean | undefined }
  /** The JSON is written again after signing: the same data, other bytes. */
  | { readonly type: 'reserialized' }
  /** The receiver gets it, and its response is lost: the sandbox sends it again. */
  | { readonly type: 'ack_lost' }
  /** The attempt waits `for` milliseconds or `"2h"` of the sandbox clock, by default 10 minutes, while others go on. */
  | { readonly type: 'hold'; readonly for?: number | string | undefined }
  /** The endpoint cannot be reached `for` milliseconds or `"2h"` of the sandbox clock, by default 1 hour. */
  | { readonly type: 'outage'; readonly for?: number | string | undefined };

/** Another fault of requests for each request that it applies to, drawn from all but `hang`. */
export interface RandomFault {
  readonly type: 'random';
}

/** A failure that a sandbox injects, with its settings. */
export type Fault = RequestFault | DeliveryFault | RandomFault;
/** The name of a fault. Given alone, it means the fault with its defaults. */
export type FaultType = Fault['type'];

/**
 * Which requests a fault applies to, and how often.
 *
 * @example
 * sandbox.faults.next('server_error', { operation: 'invoices.create', times: 2 });
 */
export interface FaultOptions {
  /** Only this operation, such as `invoices.create`. Default: any. Deliveries have no operation. */
  readonly operation?: EndpointName | undefined;
  /** Only requests and deliveries of this order: the `external_id` of the merchant. Default: any. */
  readonly order?: string | undefined;
  /** How often it applies. `Infinity` lasts until `clear()`, and an outage until its end. @defaultValue 1 */
  readonly times?: number | undefined;
  /**
   * Probability, above 0 and up to 1, that it applies to a matching request. Otherwise it stays queued. @defaultValue 1
   */
  readonly rate?: number | undefined;
  /** The same seed makes a `rate` below 1 apply to the same requests. @defaultValue 1 */
  readonly seed?: number | string | undefined;
}

/**
 * An initial fault.
 *
 * @example
 * const sandbox = createSandbox({ faults: [{ fault: 'rate_limit', times: 3 }] });
 * @see {@link Faults.next}
 */
export interface SeedFault extends FaultOptions {
  /** The fault, or its name for the fault with its defaults. */
  readonly fault: Fault | FaultType;
}

/** A fault that waits for the requests or deliveries that it applies to, as {@link Faults.queued} returns it. */
export interface QueuedFault {
  /** The fault with its settings, also if it was queued by its name. */
  readonly fault: Fault;
  /** The operation that it waits for, such as `invoices.create`. Null: any. Deliveries have no operation. */
  readonly operation: EndpointName | null;
  /** The `external_id` of the order that it waits for. Null: any. */
  readonly order: string | null;
  /** The end of an outage, in epoch milliseconds of the sandbox clock. Null for other faults. */
  readonly until: number | null;
  /** How often it still applies: a whole number from 1, or `Infinity` until `clear()`. */
  readonly times: number;
  /** Probability that it applies to a matching request, above 0 and up to 1. */
  readonly rate: number;
}

/** The injected failures of a sandbox. They apply in the order in which they were queued. */
export interface Faults {
  /**
   * Queues a fault for the next matching request or delivery. A name means the fault with its defaults.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown fault or option.
   * @example
   * sandbox.faults.next('reset_after', { operation: 'invoices.create' });
   * sandbox.faults.next({ type: 'rate_limit', retryAfter: 2 }, { times: 3 });
   */
  next(fault: Fault | FaultType, options?: FaultOptions): void;
  /**
   * Lets requests fail at random: queues the fault `random`, which is another one for each request.
   *
   * @example
   * sandbox.faults.next({ rate: 0.2, times: Infinity, seed: 'nightly' });
   */
  next(options: FaultOptions): void;
  /** Removes all queued faults. */
  clear(): void;
  /** The queued faults, next first. */
  queued(): readonly QueuedFault[];
}

/** What is known of a fault: the words of pages and causes. */
interface FaultRow {
  /** Its members without its type. */
  readonly members: readonly string[];
  /** What it does, as a button says it. */
  readonly effect: string;
  /** What a receiver lacks that accepts the delivery, and what to change. */
  readonly accepted?: { readonly text: string; readonly remedy: string };
}

const REQUEST_FAULT_ROWS: Readonly<Record<RequestFault['type'], FaultRow>> = {
  rate_limit: { members: ['retryAfter'], effect: 'Refused with a rate limit' },
  server_error: { members: ['status', 'retryAfter', 'afterWork'], effect: '503 instead of the work' },
  html: { members: ['status', 'afterWork'], effect: 'A proxy’s page with 502' },
  hang: { members: ['afterWork'], effect: 'No response at all' },
  reset_before: { members: [], effect: 'Connection breaks before the work' },
  reset_after: { members: [], effect: 'Connection breaks after the work' },
  truncated: { members: [], effect: 'Half of the response' },
  malformed: { members: [], effect: 'A response that is not JSON' },
  slow: { members: ['delay'], effect: 'The response in slow pieces' },
};
const DELIVERY_FAULT_ROWS: Readonly<Record<DeliveryFault['type'], FaultRow>> = {
  wrong_signature: {
    members: [],
    effect: 'Signed with another secret',
    accepted: {
      text: 'It was signed with another secret on purpose, and was accepted: this endpoint does not check the signature.',
      remedy: 'Check it, or anybody can mark orders as paid.',
    },
  },
  late_timestamp: {
    members: ['age'],
    effect: 'Ten minutes old',
    accepted: {
      text: 'Its timestamp was ten minutes or more off on purpose, and was accepted: a recorded webhook can be played again.',
      remedy: 'Refuse timestamps older than 5 minutes.',
    },
  },
  duplicate: { members: ['atOnce'], effect: 'Sent twice' },
  reserialized: {
    members: [],
    effect: 'Rewritten after signing',
    accepted: {
      text: 'Its body was rewritten after signing on purpose, and was accepted: the signature is not checked over the raw bytes.',
      remedy: 'Check the bytes as they arrived.',
    },
  },
  ack_lost: { members: [], effect: 'Received, and its response lost' },
  hold: { members: ['for'], effect: 'Held for ten minutes' },
  outage: { members: ['for'], effect: 'Endpoint out of reach for an hour' },
};
/** A row for each fault. */
export const FAULTS: Readonly<Record<FaultType, FaultRow>> = {
  ...REQUEST_FAULT_ROWS,
  ...DELIVERY_FAULT_ROWS,
  random: { members: [], effect: 'Any of the faults of requests, except hang' },
};

// The keys of the tables are the types of the faults.
export const REQUEST_FAULTS = Object.keys(REQUEST_FAULT_ROWS) as readonly RequestFault['type'][];
export const DELIVERY_FAULTS = Object.keys(DELIVERY_FAULT_ROWS) as readonly DeliveryFault['type'][];

const FAULT_OPTION_NAMES = namesOf<FaultOptions>({ operation: true, order: true, times: true, rate: true, seed: true });
export const SEED_FAULT_NAMES: ReadonlySet<string> = new Set(['fault', ...FAULT_OPTION_NAMES]);

function isRequestFault({ type }: Fault): boolean {
  return type === 'random' || Object.hasOwn(REQUEST_FAULT_ROWS, type);
}

function readFault(value: Fault | FaultType): Fault {
  // A name alone is enough, because all other members of a fault are optional.
  const fault = (typeof value === 'string' ? { type: value } : value) as Fault;
  if (typeof fault !== 'object' || fault === null || !Object.hasOwn(FAULTS, fault.type)) {
    const types = Object.keys(FAULTS).join(', ');
    return fail(`A fault is one of ${types}, or an object with such a type, not ${quoted(value)}`);
  }
  const status = 'status' in fault ? fault.status : undefined;
  if (status !== undefined && !(Number.isInteger(status) && status >= 400 && status <= 599))
    fail(`The status of a fault must be from 400 to 599, not ${quoted(status)}`);
  const option = Object.keys(fault).find((name) => FAULT_OPTION_NAMES.has(name));
  if (option !== undefined)
    fail(`${option} stands beside the fault, as in faults.next({ type: '${fault.type}' }, { ${option} })`);
  checkOptions(`The fault ${fault.type}`, fault, new Set(['type', ...FAULTS[fault.type].members]), fail);
  if ('for' in fault && fault.for !== undefined) parseDuration(fault.for, `for of the fault ${fault.type}`);
  return fault;
}

/** Refuses a setting of a fault among the options beside it. */
function checkPlaces({ type }: Fault, options: object): void {
  const setting = Object.keys(Object(options)).find((name) => FAULTS[type].members.includes(name));
  if (setting !== undefined) fail(`${setting} stands in the fault, as in faults.next({ type: '${type}', ${setting} })`);
}

const DEFAULT_DURATION = { hold: 600_000, outage: 3_600_000 } as const;

/** How long a fault lasts, in milliseconds. */
export function durationOf(fault: DeliveryFault & { readonly type: 'hold' | 'outage' }): number {
  return fault.for === undefined ? DEFAULT_DURATION[fault.type] : parseDuration(fault.for, 'for');
}

interface Queued extends QueuedFault {
  times: number;
  readonly chance: () => number;
}

/** What the fault `random` is drawn from. */
const DRAWN = REQUEST_FAULTS.filter((type) => type !== 'hang');

/** {@link Faults}, and the methods by which the service takes the next one. @internal */
export class FaultScript implements Faults {
  #queue: Queued[] = [];
  readonly #now: () => number;

  /** @param now The time of the sandbox clock, in epoch milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  next(value: Fault | FaultType | FaultOptions, given: FaultOptions = {}): void {
    const isFault = typeof value !== 'object' || value === null || 'type' in value;
    const [fault, options] = isFault ? [readFault(value), given] : [{ type: 'random' } as const, value];
    checkPlaces(fault, options);
    checkOptions('faults.next', options, FAULT_OPTION_NAMES, fail);
    const isOutage = fault.type === 'outage';
    const {
      operation = null,
      order = null,
      times = isOutage ? Number.POSITIVE_INFINITY : 1,
      rate = 1,
      seed = 1,
    } = options;
    const isEndless = times === Number.POSITIVE_INFINITY;
    if (operation !== null && !isRequestFault(fault))
      fail(`operation is for faults of requests, and ${fault.type} is one of webhooks`);
    if (operation !== null && !Object.hasOwn(endpoints, operation))
      fail(`There is no operation ${operation}, only ${Object.keys(endpoints).join(', ')}`);
    if (order !== null && typeof order !== 'string') fail(`order must be an external_id, not ${quoted(order)}`);
    if (!isEndless && !(Number.isInteger(times) && times >= 1))
      fail(`times must be a whole number from 1, or Infinity, not ${quoted(times)}`);
    if (!(rate > 0 && rate <= 1)) fail(`rate must be above 0 and up to 1, not ${quoted(rate)}`);
    const until = isOutage ? this.#now() + durationOf(fault) : null;
    this.#queue.push({ fault, operation, order, until, times, rate, chance: createRandom(seed).next });
  }

  clear(): void {
    this.#queue = [];
  }

  queued(): readonly QueuedFault[] {
    this.#dropEnded();
    return this.#queue.map(({ chance: _, ...entry }) => entry);
  }

  /** Takes the fault for this request, or null. `order` finds its `external_id`. */
  forRequest(operation: EndpointName | null, order: () => string | null): RequestFault | null {
    const taken = this.#take(
      (entry) =>
        isRequestFault(entry.fault) &&
        (entry.operation ?? operation) === operation &&
        (entry.order === null || entry.order === order()),
    );
    if (taken === null) return null;
    const { fault, chance } = taken;
    if (fault.type !== 'random') return fault as RequestFault; // by the condition above
    return { type: DRAWN[Math.floor(chance() * DRAWN.length)] ?? 'server_error' };
  }

  /** Takes the fault for this attempt to deliver the webhook of an order, or null. Others than `types` stay queued. */
  forDelivery(order: string, types: readonly FaultType[]): DeliveryFault | null {
    this.#dropEnded();
    const fits = (entry: Queued): boolean => types.includes(entry.fault.type) && (entry.order ?? order) === order;
    return (this.#take(fits)?.fault ?? null) as DeliveryFault | null; // all types are those of deliveries
  }

  #dropEnded(): void {
    const now = this.#now();
    this.#queue = this.#queue.filter(({ until }) => until === null || now < until);
  }

  #take(fits: (entry: Queued) => boolean): Queued | null {
    const index = this.#queue.findIndex((entry) => fits(entry) && (entry.rate === 1 || entry.chance() < entry.rate));
    const entry = this.#queue[index];
    if (entry === undefined) return null;
    entry.times -= 1;
    if (entry.times <= 0) this.#queue.splice(index, 1);
    return entry;
  }
}
