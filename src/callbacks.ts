/**
 * Calls a function of the merchant that only observes: a hook, a logger, a report. What it throws or rejects with is
 * ignored, and nothing waits for it, so that no payment depends on it.
 */
export function notify(callback: () => unknown): void {
  try {
    const result = callback();
    // A rejection of an async function would otherwise be unhandled.
    if (typeof result === 'object' && result !== null) Promise.resolve(result).catch(() => {});
  } catch {
    // ignored, as documented
  }
}
