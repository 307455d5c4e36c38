/** Maps items with a number of calls at a time, and keeps their order. The first failure begins no further call. */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Map<number, R>();
  let next = 0;
  let hasFailed = false;
  const run = async (): Promise<void> => {
    while (next < items.length && !hasFailed) {
      const at = next;
      next += 1;
      try {
        results.set(at, await work(items[at] as T)); // within the array
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, run));
  return items.flatMap((_, at) => [results.get(at) as R]); // every call has ended
}
