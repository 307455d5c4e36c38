import { lowestTenth, type Spread, spreadOf } from './statistics.ts';

/** What one contender cost. */
export interface Entry {
  readonly name: string;
  /** What a goal is compared with: a ratio to the baseline of the row, or kB. */
  readonly figure: Spread;
  /** Median of its own cost in the unit of the row. */
  readonly each: number;
  /** The ratio of the lowest tenths of the costs, which a busy machine disturbs least. Absent for kB. */
  readonly quiet?: number;
}

/** The samples of a row. Each of a contender has its partner of the baseline, taken just before or after it. */
export class Ratios {
  readonly #ratios = new Map<string, number[]>();
  readonly #own = new Map<string, number[]>();
  readonly #baseline: string;

  constructor(baseline: string) {
    this.#baseline = baseline;
    this.#own.set(baseline, []);
  }

  add(name: string, own: number, base: number): void {
    push(this.#ratios, name, own / base);
    push(this.#own, name, own);
    push(this.#own, this.#baseline, base);
  }

  entries(): Entry[] {
    const base = lowestTenth(this.#own.get(this.#baseline) ?? []);
    return [...this.#own].map(([name, own]) => ({
      name,
      figure: spreadOf(this.#ratios.get(name) ?? [1]),
      each: spreadOf(own).median,
      quiet: lowestTenth(own) / base,
    }));
  }
}

function push(lists: Map<string, number[]>, name: string, value: number): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [value]);
  else list.push(value);
}
