import { type Found, groupOf } from './words.ts';

// The fewest customers that still show a finding. Each customer does the same in a smaller storm, so customers are left
// out: at first all but the order itself, then half of the others, and half again.

const RUNS_MAX = 8;

/**
 * Searches for the first order of each group, the first group first, with at most eight runs in all.
 *
 * @param all The orders of the storm.
 * @param run Plays the storm with these customers alone, and returns its findings.
 * @returns for each group the customers that show it. A group that was not reached is not in it.
 */
export async function shortestOf(
  found: readonly Found[],
  all: readonly string[],
  run: (only: readonly string[]) => Promise<readonly Found[]>,
): Promise<Map<string, readonly string[]>> {
  const shortest = new Map<string, readonly string[]>();
  let runs = 0;
  /**
   * Whether the first finding of a group is there with these customers alone. Then they are its shortest storm until
   * now.
   */
  const shows = async (group: string, { kind, order }: Found, some: readonly string[]): Promise<boolean> => {
    const only = all.filter((id) => some.includes(id));
    if (runs >= RUNS_MAX || only.length >= all.length) return false;
    runs += 1;
    const again = await run(only).catch(() => []); // a shop that cannot be opened again
    const isShown = again.some((each) => each.kind === kind && each.order === order);
    if (isShown) shortest.set(group, only);
    return isShown;
  };
  const ofOrders = found.filter(({ order }) => order !== null);
  const groups = [...Map.groupBy(ofOrders, groupOf)].flatMap(([group, [first]]) =>
    first?.order == null ? [] : [{ group, first, order: first.order }],
  );
  for (const { group, first, order } of groups) await shows(group, first, [order]);
  for (const { group, first, order } of groups.filter((each) => !shortest.has(each.group))) {
    let others = all.filter((id) => id !== order);
    while (others.length > 1 && runs < RUNS_MAX) {
      const middle = Math.ceil(others.length / 2);
      const [early, late] = [others.slice(0, middle), others.slice(middle)];
      if (await shows(group, first, [order, ...early])) others = early;
      else if (await shows(group, first, [order, ...late])) others = late;
      else break;
    }
  }
  return shortest;
}
