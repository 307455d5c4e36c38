/** Places in a list, from 0, up to but not including `to`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Places behind the front of a walk where rows not seen yet may stand. From the front on, none is seen yet. */
export class Gaps {
  readonly #size: number;
  #spans: readonly Span[] = [];

  /** `size`: rows on a page. */
  constructor(size: number) {
    this.#size = size;
  }

  get isEmpty(): boolean {
    return this.#spans.length === 0;
  }

  /**
   * Rows not seen yet have moved: up to `lost` places forward, or, where the list has grown, backward. `front` is the
   * last page that was reached.
   */
  move(lost: number, total: number, front: number, isEnded: boolean): void {
    const end = front * this.#size;
    const moved = this.#spans.map(({ from, to }) => ({ from: from - Math.max(0, lost), to: to + Math.max(0, -lost) }));
    if (lost > 0 && !isEnded) moved.push({ from: end - lost, to: end });
    const last = isEnded ? total : Math.min(total, end);
    this.#spans = merged(moved.map(({ from, to }) => ({ from: Math.max(0, from), to: Math.min(to, last) })));
  }

  /** This page has been seen. */
  close(page: number): void {
    this.#spans = without(this.#spans, { from: (page - 1) * this.#size, to: page * this.#size });
  }

  /** The last page before this one that may hold rows not seen yet. */
  lastBefore(page: number): number | null {
    const limit = (page - 1) * this.#size;
    const gap = this.#spans.filter(({ from }) => from < limit).at(-1);
    return gap === undefined ? null : Math.ceil(Math.min(gap.to, limit) / this.#size);
  }
}

/** The same places, each once and in order: spans that only pile up would double with each page that cuts them. */
function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.filter(isSpan).sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last === undefined || span.from > last.to) result.push(span);
    else result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return result;
}

/** Returns merged spans without these places. */
function without(spans: readonly Span[], { from: start, to: end }: Span): Span[] {
  return spans
    .flatMap(({ from, to }) => [
      { from, to: Math.min(to, start) },
      { from: Math.max(from, end), to },
    ])
    .filter(isSpan);
}

function isSpan({ from, to }: Span): boolean {
  return from < to;
}
