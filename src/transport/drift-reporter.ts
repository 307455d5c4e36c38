import type { DriftEvent } from '../call/options.ts';
import { notify } from '../callbacks.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { payloadOf, unwrapped } from '../contract/envelope.ts';
import { isObject } from '../contract/json.ts';
import { driftsIn } from '../contract/values/drift.ts';
import { printable } from '../printable.ts';
import type { Redactor } from './secrecy/redact.ts';

/** Departures remembered; a service that answers a new name each time must not fill the memory. */
const REMEMBERED = 1_000;
const PATH_MAX = 300;

/** Tells the merchant, once each, of what the service answers beside the interface: a metric instead of a surprise. */
export class DriftReporter {
  readonly #onDrift: (event: DriftEvent) => unknown;
  readonly #redactor: Redactor;
  readonly #told = new Set<string>();

  constructor(onDrift: (event: DriftEvent) => unknown, redactor: Redactor) {
    this.#onDrift = onDrift;
    this.#redactor = redactor;
  }

  /** `body`: a success that was decoded. */
  report(endpoint: Endpoint<unknown>, body: unknown): void {
    const structure = endpoint.data.structure?.();
    if (structure === undefined) return;
    const isBare = !isObject(body) || !Object.hasOwn(body, 'data');
    if (isBare && endpoint.envelope === 'shown') this.tell(endpoint, '', 'no_envelope');
    const payload = unwrapped(payloadOf(body));
    for (const { path, kind } of driftsIn(structure, payload)) this.tell(endpoint, path, kind);
  }

  /** Tells it once. */
  tell({ operation }: Endpoint<unknown>, path: string, kind: DriftEvent['kind']): void {
    const key = `${operation} ${kind} ${path}`;
    if (this.#told.has(key) || this.#told.size >= REMEMBERED) return;
    this.#told.add(key);
    notify(() => this.#onDrift({ operation, path: printable(this.#redactor.beginning(path, PATH_MAX)), kind }));
  }
}
