import { checkOptions, namesOf } from '../../checks.ts';
import type { Operation } from '../../contract/endpoint.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { fail, shown } from '../option-checks.ts';
import { createRandom } from './random.ts';

/** Something that goes wrong with a request to the service. */
export type RequestFault =
  /** Refused before any work. `retryAfter`: seconds, or the header's text as it is to be sent. */
  | { readonly type: 'rate_limit'; readonly retryAfter?: number | string }
  /** A 5xx in the failure envelope, 503 by default. With `afterWork` the work was done all the same. */
  | {
      readonly type: 'server_error';
      readonly status?: number;
      readonly retryAfter?: number | string;
      readonly afterWork?: boolean;
    }
  /** A proxy's page instead of the service's answer, 502 by default. */
  | { readonly type: 'html'; readonly status?: number; readonly afterWork?: boolean }
  /** No answer at all until the caller gives up. */
  | { readonly type: 'hang'; readonly afterWork?: boolean }
  /** The connection breaks before the service has done anything. */
  | { readonly type: 'reset_before' }
  /** The work is done, then the connection breaks. */
  | { readonly type: 'reset_after' }
  /** The work is done and half of the answer's body arrives before the connection breaks. */
  | { readonly type: 'truncated' }
  /** The work is done and the answer is not JSON. */
  | { readonly type: 'malformed' }
  /** The work is done and the body comes in pieces, `delay` milliseconds (100) before each of `pieces` (4). */
  | { readonly type: 'slow'; readonly delay?: number; readonly pieces?: number };

/** Something that goes wrong with a webhook on its way to the receiver. */
export type DeliveryFault =
  /** Signed with another secret. */
  | { readonly type: 'wrong_signature' }
  /** Rightly signed, with a timestamp that lies `age` milliseconds (10 minutes) back; negative: ahead. */
  | { readonly type: 'late_timestamp'; readonly age?: number }
  /** The same request twice, the second after the first was answered. */
  | { readonly type: 'duplicate' }
  /** The JSON is written anew after signing: the same data, other bytes. */
  | { readonly type: 'reserialized' };

export type Fault = RequestFault | DeliveryFault;
export type FaultType = Fault['type'];

/** Which requests a fault waits for, and how often it strikes. */
export interface FaultOptions {
  /** Only this operation, such as `invoices.create`; default any. Deliveries know no operation. */
  readonly operation?: Operation;
  /** Default 1. `Infinity` until `clear()`. */
  readonly times?: number;
  /** Probability, above 0 and up to 1, of striking what it fits; default 1. One that spares a request stays queued. */
  readonly rate?: number;
  /** Makes a `rate` below 1 strike the same ones again. Default 1. */
  readonly seed?: number | string;
}

/** A fault that is there from the start. @see {@link Faults.next} */
export interface SeedFault extends FaultOptions {
  readonly fault: Fault | FaultType;
}

/** A fault that waits for its turn. */
export interface QueuedFault {
  readonly fault: Fault;
  /** Null: any. */
  readonly operation: Operation | null;
  /** How often it will still strike; may be Infinity. */
  readonly times: number;
  readonly rate: number;
}

/** The script of what goes wrong. Queued faults strike first, in order; then chance, if it is on. */
export interface Faults {
  /** Queues a fault for the next request or delivery that it fits. A name stands for the fault with its defaults. */
  next(fault: Fault | FaultType, options?: FaultOptions): void;
  /**
   * Lets each request fail with a probability from 0 to 1, by one of `faults` (default: all request faults but `hang`).
   * The same seed fails the same requests.
   */
  random(rate: number, seed?: number | string, faults?: readonly (RequestFault | RequestFault['type'])[]): void;
  /** Ends everything queued, and chance. */
  clear(): void;
  /** What is still queued, next first. */
  queued(): readonly QueuedFault[];
}

/** The members of each fault, besides its type. */
const REQUEST_FAULT_MEMBERS: Readonly<Record<RequestFault['type'], readonly string[]>> = {
  rate_limit: ['retryAfter'],
  server_error: ['status', 'retryAfter', 'afterWork'],
  html: ['status', 'afterWork'],
  hang: ['afterWork'],
  reset_before: [],
  reset_after: [],
  truncated: [],
  malformed: [],
  slow: ['delay', 'pieces'],
};
const DELIVERY_FAULT_MEMBERS: Readonly<Record<DeliveryFault['type'], readonly string[]>> = {
  wrong_signature: [],
  late_timestamp: ['age'],
  duplicate: [],
  reserialized: [],
};
const FAULT_MEMBERS = { ...REQUEST_FAULT_MEMBERS, ...DELIVERY_FAULT_MEMBERS };

// The keys of the tables are the types of the faults.
export const REQUEST_FAULTS = Object.keys(REQUEST_FAULT_MEMBERS) as readonly RequestFault['type'][];
export const DELIVERY_FAULTS = Object.keys(DELIVERY_FAULT_MEMBERS) as readonly DeliveryFault['type'][];

const FAULT_OPTION_NAMES = namesOf<FaultOptions>({ operation: true, times: true, rate: true, seed: true });
export const SEED_FAULT_NAMES: ReadonlySet<string> = new Set(['fault', ...FAULT_OPTION_NAMES]);

function isRequestFault(fault: Fault): fault is RequestFault {
  return Object.hasOwn(REQUEST_FAULT_MEMBERS, fault.type);
}

function readFault(value: Fault | FaultType): Fault {
  // A name alone is a fault with all members optional: the union allows each of them.
  const fault = (typeof value === 'string' ? { type: value } : value) as Fault;
  if (typeof fault !== 'object' || fault === null || !Object.hasOwn(FAULT_MEMBERS, fault.type)) {
    const types = Object.keys(FAULT_MEMBERS).join(', ');
    throw new ConfigurationError(`A fault is one of ${types}, or an object with such a type; got ${shown(value)}`);
  }
  if (
    'status' in fault &&
    fault.status !== undefined &&
    !(Number.isInteger(fault.status) && fault.status >= 400 && fault.status <= 599)
  ) {
    throw new ConfigurationError(`The status of a fault must be from 400 to 599; got ${shown(fault.status)}`);
  }
  checkOptions(`The fault ${fault.type}`, fault, new Set(['type', ...FAULT_MEMBERS[fault.type]]), fail);
  return fault;
}

interface Queued extends QueuedFault {
  times: number;
  readonly chance: () => number;
}

/** Faults that strike at random. */
interface Chance {
  readonly rate: number;
  readonly faults: readonly RequestFault['type'][];
  readonly draw: () => RequestFault | null;
}

/** {@link Faults} with the two doors through which the service takes what is due. */
export class FaultScript implements Faults {
  readonly #queue: Queued[] = [];
  /** The chance in force; null when it is off. */
  chance: Chance | null = null;

  next(value: Fault | FaultType, options: FaultOptions = {}): void {
    checkOptions('faults.next', options, FAULT_OPTION_NAMES, fail);
    const { operation = null, times = 1, rate = 1, seed = 1 } = options;
    if (times !== Number.POSITIVE_INFINITY && !(Number.isInteger(times) && times >= 1)) {
      throw new ConfigurationError(`times must be a whole number from 1, or Infinity; got ${shown(times)}`);
    }
    if (!(rate > 0 && rate <= 1)) throw new ConfigurationError(`rate must be above 0 and up to 1; got ${shown(rate)}`);
    this.#queue.push({ fault: readFault(value), operation, times, rate, chance: createRandom(seed).next });
  }

  random(rate: number, seed: number | string = 1, faults?: readonly (RequestFault | RequestFault['type'])[]): void {
    if (!(rate >= 0 && rate <= 1)) throw new ConfigurationError(`rate must be from 0 to 1; got ${shown(rate)}`);
    const chosen = (faults ?? REQUEST_FAULTS.filter((type) => type !== 'hang')).map(readFault).filter(isRequestFault);
    if (chosen.length === 0) throw new ConfigurationError('random needs at least one request fault');
    const { next } = createRandom(seed);
    const draw = (): RequestFault | null => {
      const [strikes, which] = [next() < rate, next()];
      return strikes ? (chosen[Math.floor(which * chosen.length)] ?? null) : null;
    };
    this.chance = rate === 0 ? null : { rate, faults: chosen.map(({ type }) => type), draw };
  }

  clear(): void {
    this.#queue.length = 0;
    this.chance = null;
  }

  queued(): readonly QueuedFault[] {
    return this.#queue.map(({ chance: _, ...entry }) => entry);
  }

  /** The fault that strikes this request, if one does. */
  forRequest(operation: Operation | null): RequestFault | null {
    const fault = this.#take((entry) => isRequestFault(entry.fault) && (entry.operation ?? operation) === operation);
    if (fault !== null && isRequestFault(fault)) return fault;
    return this.chance?.draw() ?? null;
  }

  /** The fault that strikes this delivery attempt, if one does. */
  forDelivery(): DeliveryFault | null {
    const fault = this.#take((entry) => !isRequestFault(entry.fault));
    return fault === null || isRequestFault(fault) ? null : fault;
  }

  #take(fits: (entry: Queued) => boolean): Fault | null {
    const index = this.#queue.findIndex((entry) => fits(entry) && (entry.rate === 1 || entry.chance() < entry.rate));
    const entry = this.#queue[index];
    if (entry === undefined) return null;
    entry.times -= 1;
    if (entry.times <= 0) this.#queue.splice(index, 1);
    return entry.fault;
  }
}
