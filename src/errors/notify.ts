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

const warned = new Set<string>();

/**
 * Prints a line of the package to the console, the first time for each `key` in the process. A console that throws, as
 * some test setups make it, fails nothing.
 */
export function warnOnce(key: string, text: string, print: (line: string) => void = console.warn): void {
  if (warned.has(key)) return;
  if (warned.size < WARNED_MAX) warned.add(key);
  try {
    print(`merchant-invoicing: ${text}`);
  } catch {
    // A broken console must not fail a payment.
  }
}

const WARNED_MAX = 1_000;
