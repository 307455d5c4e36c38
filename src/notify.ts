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

const printed = new Set<string>();
const PRINTED_MAX = 100;

function print(error: unknown): void {
  try {
    const text = error instanceof Error ? error.message : String(error);
    if (printed.has(text) || printed.size >= PRINTED_MAX) return;
    printed.add(text);
    console.error('merchant-invoicing: a callback of yours failed, and the work went on:', error);
  } catch {
    // A console that throws, as some test setups make it, must not fail a call.
  }
}
