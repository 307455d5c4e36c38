import type { Case, Found } from './findings.ts';

// The fewest customers that still show a finding. Each customer does the same in a smaller storm, so customers are left out: at
// first all but the order itself, then half of the others, and half again.

const RUNS_MAX = 8;

/** A finding that belongs to a group. */
type Grouped = Found & { readonly mistake: string };

/**
 * Searches for the first order of each group, the first group first, with at most eight runs in all.
 *
 * @param run Plays the storm with these customers alone, and returns its findings.
 * @returns for each group, by kind and mistake, the customers that show it. A group that was not reached is not in it.
 */
export async function shortestOf(
  found: readonly Grouped[],
  cases: readonly Case[],
  run: (only: readonly string[]) => Promise<readonly Found[]>,
): Promise<Map<string, readonly string[]>> {
  const shortest = new Map<string, readonly string[]>();
  const groups = new Map<string, Grouped & { readonly order: string }>();
  for (const each of found) {
    const key = `${each.kind} ${each.mistake}`;
    if (each.order !== null && !groups.has(key)) groups.set(key, { ...each, order: each.order });
  }
  const all = cases.map(({ record }) => record.plan.order.id);
  let runs = 0;
  const shows = async ({ kind, order }: Found, only: readonly string[]): Promise<boolean> => {
    if (runs >= RUNS_MAX || only.length >= all.length) return false;
    runs += 1;
    try {
      return (await run(only)).some((each) => each.kind === kind && each.order === order);
    } catch {
      runs = RUNS_MAX; // a shop that cannot be opened again
      return false;
    }
  };
  const rest: [string, Grouped & { readonly order: string }][] = [];
  for (const [key, group] of groups) {
    if (await shows(group, [group.order])) shortest.set(key, [group.order]);
    else rest.push([key, group]);
  }
  for (const [key, group] of rest) {
    let others = all.filter((id) => id !== group.order);
    while (others.length > 1 && runs < RUNS_MAX) {
      const middle = Math.ceil(others.length / 2);
      const halves = [others.slice(0, middle), others.slice(middle)];
      const at = all.indexOf(group.order);
      if (all.indexOf(others[middle] ?? '') < at) halves.reverse(); // what came near it, first
      const half = await firstOf(halves, (each) => shows(group, inOrder(all, [group.order, ...each])));
      if (half === undefined) break;
      others = half;
      shortest.set(key, inOrder(all, [group.order, ...others]));
    }
  }
  return shortest;
}

function inOrder(all: readonly string[], some: readonly string[]): string[] {
  const wanted = new Set(some);
  return all.filter((id) => wanted.has(id));
}

async function firstOf<Value>(
  values: readonly Value[],
  fits: (value: Value) => Promise<boolean>,
): Promise<Value | undefined> {
  for (const value of values) if (await fits(value)) return value;
  return undefined;
}
