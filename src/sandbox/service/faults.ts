import type { Operation } from '../../contract/endpoint.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { shown } from '../duration.ts';
import { checkFaultNames, checkOptionNames, FAULT_OPTION_NAMES } from '../option-names.ts';
import { createRandom } from '../random.ts';

/** Something that goes wrong with a request to the service. */
export type RequestFault =
  /** Refused before any work. `retryAfter`: seconds, or the header's text as it is to be sent. */
  | { readonly type: 'rate_limit'; readonly retryAfter?: number | string | undefined }
  /** A 5xx in the failure envelope, 503 by default. With `afterWork` the work was done all the same. */
  | {
      readonly type: 'server_error';
      readonly status?: number | undefined;
      readonly retryAfter?: number | string | undefined;
      readonly afterWork?: boolean | undefined;
    }
  /** A proxy's page instead of the service's answer, 502 by default. */
  | { readonly type: 'html'; readonly status?: number | undefined; readonly afterWork?: boolean | undefined }
  /** No answer at all until the caller gives up. */
  | { readonly type: 'hang'; readonly afterWork?: boolean | undefined }
  /** The connection breaks before the service has done anything. */
  | { readonly type: 'reset_before' }
  /** The work is done, then the connection breaks. */
  | { readonly type: 'reset_after' }
  /** The work is done and half of the answer's body arrives before the connection breaks. */
  | { readonly type: 'truncated' }
  /** The work is done and the answer is not JSON. */
  | { readonly type: 'malformed' }
  /** The work is done and the body comes in pieces, `delay` milliseconds (100) before each of `pieces` (4). */
  | { readonly type: 'slow'; readonly delay?: number | undefined; readonly pieces?: number | undefined };

/** Something that goes wrong with a webhook on its way to the receiver. */
export type DeliveryFault =
  /** Signed with another secret. */
  | { readonly type: 'wrong_signature' }
  /** Rightly signed, with a timestamp that lies `age` milliseconds (10 minutes) back; negative: ahead. */
  | { readonly type: 'late_timestamp'; readonly age?: number | undefined }
  /** The same request twice, the second after the first was answered. */
  | { readonly type: 'duplicate' }
  /** The JSON is written anew after signing: the same data, other bytes. */
  | { readonly type: 'reserialized' };

export type Fault = RequestFault | DeliveryFault;
export type FaultType = Fault['type'];

/** Which requests a fault waits for, and how often it strikes. */
export interface FaultOptions {
  /** Only this operation, such as `invoices.create`; default any. Deliveries know no operation. */
  readonly operation?: Operation | undefined;
  /** Default 1. `Infinity` until `clear()`. */
  readonly times?: number | undefined;
  /** Probability, above 0 and up to 1, of striking what it fits; default 1. One that spares a request stays queued. */
  readonly rate?: number | undefined;
  /** Makes a `rate` below 1 strike the same ones again. Default 1. */
  readonly seed?: number | string | undefined;
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

export const REQUEST_FAULTS = [
  'rate_limit',
  'server_error',
  'html',
  'hang',
  'reset_before',
  'reset_after',
  'truncated',
  'malformed',
  'slow',
] as const satisfies readonly RequestFault['type'][];
export const DELIVERY_FAULTS = [
  'wrong_signature',
  'late_timestamp',
  'duplicate',
  'reserialized',
] as const satisfies readonly DeliveryFault['type'][];

function isRequestFault(fault: Fault): fault is RequestFault {
  return (REQUEST_FAULTS as readonly string[]).includes(fault.type);
}

function faultFrom(value: Fault | FaultType): Fault {
  // A name alone is a fault with all members optional: the union allows each of them.
  const fault = (typeof value === 'string' ? { type: value } : value) as Fault;
  const types: readonly string[] = [...REQUEST_FAULTS, ...DELIVERY_FAULTS];
  if (typeof fault !== 'object' || fault === null || !types.includes(fault.type)) {
    throw new ConfigurationError(
      `A fault is one of ${types.join(', ')}, or an object with such a type; got ${shown(value)}`,
    );
  }
  if (
    'status' in fault &&
    fault.status !== undefined &&
    !(Number.isInteger(fault.status) && fault.status >= 400 && fault.status <= 599)
  ) {
    throw new ConfigurationError(`The status of a fault must be from 400 to 599; got ${shown(fault.status)}`);
  }
  checkFaultNames(fault);
  return fault;
}

interface Queued extends QueuedFault {
  times: number;
  readonly chance: () => number;
}

/** {@link Faults} with the two doors through which the service takes what is due. @internal */
export class FaultScript implements Faults {
  readonly #queue: Queued[] = [];
  #chance: (() => RequestFault | null) | null = null;
  /** The chance in force, for those who look; null when it is off. */
  chance: { readonly rate: number; readonly faults: readonly RequestFault['type'][] } | null = null;

  next(value: Fault | FaultType, options: FaultOptions = {}): void {
    checkOptionNames('faults.next', options, FAULT_OPTION_NAMES);
    const { operation = null, times = 1, rate = 1, seed = 1 } = options;
    if (times !== Number.POSITIVE_INFINITY && !(Number.isInteger(times) && times >= 1)) {
      throw new ConfigurationError(`times must be a whole number from 1, or Infinity; got ${shown(times)}`);
    }
    if (!(rate > 0 && rate <= 1)) throw new ConfigurationError(`rate must be above 0 and up to 1; got ${shown(rate)}`);
    this.#queue.push({ fault: faultFrom(value), operation, times, rate, chance: createRandom(seed).next });
  }

  random(rate: number, seed: number | string = 1, faults?: readonly (RequestFault | RequestFault['type'])[]): void {
    if (!(rate >= 0 && rate <= 1)) throw new ConfigurationError(`rate must be from 0 to 1; got ${shown(rate)}`);
    const chosen = (faults ?? REQUEST_FAULTS.filter((type) => type !== 'hang')).map(faultFrom).filter(isRequestFault);
    if (chosen.length === 0) throw new ConfigurationError('random needs at least one request fault');
    const { next } = createRandom(seed);
    this.chance = rate === 0 ? null : { rate, faults: chosen.map(({ type }) => type) };
    this.#chance = () => {
      const [strikes, which] = [next() < rate, next()];
      return strikes ? (chosen[Math.floor(which * chosen.length)] ?? null) : null;
    };
  }

  clear(): void {
    this.#queue.length = 0;
    this.#chance = null;
    this.chance = null;
  }

  queued(): readonly QueuedFault[] {
    return this.#queue.map(({ chance: _, ...entry }) => entry);
  }

  /** The fault that strikes this request, if one does. */
  forRequest(operation: Operation | null): RequestFault | null {
    const fault = this.#take((entry) => isRequestFault(entry.fault) && (entry.operation ?? operation) === operation);
    if (fault !== null && isRequestFault(fault)) return fault;
    return this.#chance?.() ?? null;
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
