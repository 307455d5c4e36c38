import type { Endpoint } from '../../contract/endpoint.ts';
import type { Named } from '../../contract/endpoints.ts';
import { UnexpectedResponseError } from '../../errors/classes.ts';
import { printable } from '../../printable.ts';
import { seeExplain } from '../failure.ts';
import type { DriftEvent } from '../observe/events.ts';
import { type DriftSink, departuresOf } from '../observe/observer.ts';
import type { Redactor } from '../secrecy/redact.ts';

type Departure = Pick<DriftEvent, 'path' | 'kind'>;

const PATH_MAX = 300;

/**
 * Makes each deviation an error, for `onDrift: 'throw'`. `report` returns the deviations of a single answer, so that the
 * error of the call can hold the decoded data. A deviation that only several rows or pages show is thrown at once.
 */
export class StrictDrift implements DriftSink {
  readonly #redactor: Redactor;
  /** The rows that are left out while one answer is decoded. */
  #leftOut: Departure[] = [];

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  with(redactor: Redactor): StrictDrift {
    return new StrictDrift(redactor);
  }

  begin(): void {
    this.#leftOut = [];
  }

  report(endpoint: Named<Endpoint<unknown>>, body: unknown): readonly Departure[] {
    return [...this.#leftOut, ...departuresOf(endpoint, body)];
  }

  /** @throws UnexpectedResponseError for anything but a row that is left out while an answer is decoded. */
  reportOnce({ operation }: Named<Endpoint<unknown>>, path: string, kind: DriftEvent['kind']): void {
    if (kind === 'invalid_item') {
      this.#leftOut.push({ path, kind });
      return;
    }
    const code = 'SDK_CONTRACT';
    const shown = printable(this.#redactor.beginning(path, PATH_MAX));
    throw new UnexpectedResponseError({
      code,
      operation,
      outcome: 'unknown',
      status: null,
      issues: [{ path: shown, message: kind }],
      message: `${operation}: the answer deviates from the interface: ${shown} ${kind} (onDrift: 'throw'). ${seeExplain(code)}`,
    });
  }
}
