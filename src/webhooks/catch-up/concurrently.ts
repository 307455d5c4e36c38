/** How many items are worked on at once, and the signal that ends the work. */
export interface Concurrency {
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Works on several items at once. After a failure or an abort it begins no item, waits for those that run, and throws.
 */
export async function concurrently<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { concurrency, signal }: Concurrency,
  work: (item: Item) => void | Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  try {
    for await (const item of untilAborted(items, signal)) {
      const task = (async () => await work(item))()
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(task));
      running.add(task);
      if (running.size >= concurrency) await Promise.race(running);
      if (failures.length > 0) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (failures.length > 0) throw failures[0];
}

/** The cause of a run that the signal ended, for its message. `wasOver`: the signal was over before the run. */
export function abortedBy(wasOver: boolean | undefined): string {
  return wasOver ? "the caller's signal was over before the call" : "aborted by the caller's signal";
}

/** Iterates over the items. Throws the reason of the signal when it is aborted, also during the wait for an item. */
export async function* untilAborted<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item> {
  signal?.throwIfAborted();
  if (!(Symbol.asyncIterator in items)) {
    for (const item of items) {
      yield item;
      signal?.throwIfAborted();
    }
    return;
  }
  const iterator = items[Symbol.asyncIterator]();
  // A new promise for each item, because one promise for the abort would keep a reaction of every item until the end.
  let stop = (_reason: unknown): void => {};
  const onAbort = (): void => stop(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  let isOpen = true;
  try {
    for (;;) {
      const next = await new Promise<IteratorResult<Item>>((resolve, reject) => {
        stop = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done) {
        isOpen = false;
        return;
      }
      yield next.value;
      signal?.throwIfAborted();
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // Not awaited: a generator that hangs in its next() never returns.
    if (isOpen) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
