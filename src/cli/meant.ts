/** The number of letters to insert, remove, replace or swap that turn one word into another. */
function distance(from: string, to: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const costs = [(row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1)];
      next.push(Math.min(...costs, isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY));
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}

/** `. Did you mean pay?` if a known word is close to the typed one, otherwise no text. */
export function meant(typed: string, known: readonly string[]): string {
  if (typed.length > 40) return '';
  const most = typed.length <= 3 ? 1 : 2;
  const [best] = known
    .map((word) => ({ word, cost: distance(typed.toLowerCase(), word) }))
    .filter(({ cost }) => cost <= most)
    .sort((a, b) => a.cost - b.cost);
  return best === undefined ? '' : `. Did you mean ${best.word}?`;
}
