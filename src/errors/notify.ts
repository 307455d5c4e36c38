/**
 * Calls a function of the merchant that only observes, such as a hook. Nothing waits for its result, so that no payment
 * depends on it. An error is printed once for each message, up to 100 messages, and the work goes on.
 */
export function notify(callback: () => unknown): void {
  try {
    const result = callback();
    // A rejection of an async function would otherwise be unhandled.
    if (typeof result === 'object' && result !== null) Promise.resolve(result).catch(print);
  } catch (error) {
    print(error);
  }
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The same with its cause: `fetch failed` alone says nothing. */
export function messageWithCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return messageOf(error) + cause;
}

const printed = new Set<string>();
const PRINTED_MAX = 100;

function print(error: unknown): void {
  try {
    const text = messageOf(error);
    if (printed.has(text) || printed.size >= PRINTED_MAX) return;
    printed.add(text);
    console.error('merchant-invoicing: a callback of yours failed, and the work went on:', error);
  } catch {
    // A console that throws, as some test setups make it, must not fail a call.
  }
}

/** Lines that were printed once in this process. */
const warned = new Set<string>();
const WARNED_MAX = 1_000;

/**
 * Prints a line of the package to the console, the first time for each `key`. A console that throws, as some test
 * setups make it, fails nothing.
 *
 * @param seen The keys that were printed: those of the process, or of one client.
 */
export function warnOnce(key: string, text: string, seen: Set<string> = warned): void {
  if (seen.has(key)) return;
  if (seen.size < WARNED_MAX) seen.add(key);
  try {
    console.warn(`merchant-invoicing: ${text}`);
  } catch {
    // A broken console must not fail a payment.
  }
}
