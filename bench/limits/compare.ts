/** One way of doing a thing. */
export interface Contender {
  readonly name: string;
  run(): unknown;
}

const ROUNDS = 15;

/**
 * Times the contenders in turns, round by round, so that a noisy machine is noisy for all of them, and prints the
 * median of each beside the first, which is the peer.
 */
export async function compare(
  title: string,
  repeats: number,
  contenders: readonly Contender[],
  rounds = ROUNDS,
): Promise<void> {
  const times = contenders.map((): number[] => []);
  for (let round = -2; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const startedAt = performance.now();
      for (let repeat = 0; repeat < repeats; repeat += 1) await contender.run();
      if (round >= 0) times[index]?.push((performance.now() - startedAt) / repeats);
    }
  }
  report(
    title,
    contenders.map(({ name }, index) => ({ name, milliseconds: median(times[index] ?? []) })),
  );
}

/** Prints figures in comparison with the first of them. */
export function report(title: string, rows: readonly { readonly name: string; readonly milliseconds: number }[]): void {
  const peer = rows[0]?.milliseconds ?? 1;
  console.log(`\n${title}`);
  for (const { name, milliseconds } of rows) {
    console.log(`${figure(name, milliseconds, 4, 'ms')}   ${(milliseconds / peer).toFixed(2)} ×`);
  }
}

/** One line of a report: a name and its value. */
export function figure(name: string, value: number, digits: number, unit: string): string {
  return `  ${name.padEnd(50)} ${value.toFixed(digits).padStart(10)} ${unit}`;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export const SECRET = 'whsec_bench_0123456789';
