const MINUTE = 60_000;

/** Waits before each attempt, counted from the one before. @see [Retries](../../../docs/service-interface.md#retries) */
export const RETRY_DELAYS: readonly number[] = [0, 1, 5, 30, 120, 360, 720].map((minutes) => minutes * MINUTE);

/** Attempts that the service makes by itself. */
export const MAX_ATTEMPTS = RETRY_DELAYS.length;

/** The wait after this many attempts; null when they are used up. */
export function waitAfter(attempts: number): number | null {
  return RETRY_DELAYS[attempts] ?? null;
}
