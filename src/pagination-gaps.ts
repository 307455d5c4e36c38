/** Places in a list, from 0, up to but not including `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The same places, each once and in order: spans that only pile up would double with each page that cuts them. */
export function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.filter(isSpan).sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last === undefined || span.from > last.to) result.push(span);
    else result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return result;
}

/** What is left of merged spans without these places. */
export function without(spans: readonly Span[], { from: start, to: end }: Span): Span[] {
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
