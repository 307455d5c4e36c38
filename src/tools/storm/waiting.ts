// Waiting for what the shop does, in real time.

const LONGEST_TIMER = 2 ** 31 - 1;
export const TIMED_OUT = Symbol('timed out');

/** Waits for work, at most so many milliseconds. Rejects at an abort during the wait. The work is not ended. */
export async function within<Value>(
  ms: number,
  signal: AbortSignal | undefined,
  work: () => Value | Promise<Value>,
): Promise<Value | typeof TIMED_OUT> {
  let onAbort = (): void => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cut = new Promise<typeof TIMED_OUT>((resolve, reject) => {
    timer = setTimeout(() => resolve(TIMED_OUT), Math.min(ms, LONGEST_TIMER));
    onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work(), cut]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  // A worker of a browser has no setImmediate.
  return new Promise((resolve) => (typeof setImmediate === 'function' ? setImmediate(resolve) : setTimeout(resolve)));
}
