/**
 * Calls a hook, a logger or another function of the merchant that only observes. Errors and rejections are ignored.
 * Nothing waits for the result, so that no payment depends on it.
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
