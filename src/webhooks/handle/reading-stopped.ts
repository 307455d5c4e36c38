const MESSAGES = {
  aborted: 'The sender closed the connection before its body was complete.',
  time_limit: 'The time limit ended before the body was complete.',
  too_many_bodies:
    'Too many large bodies are being read at the same time. A delivery of the service is small enough to be read in any case.',
} as const;

/** Thrown when the body of a request cannot be read to its end. */
export class ReadingStopped extends Error {
  override readonly name = 'ReadingStopped';
  readonly verdict: keyof typeof MESSAGES;

  constructor(verdict: keyof typeof MESSAGES) {
    super(MESSAGES[verdict]);
    this.verdict = verdict;
  }
}

/** Returns the same promise, but rejects with {@link ReadingStopped} if the signal is aborted first. */
export function untilAborted<T>(reading: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new ReadingStopped('time_limit')));
    Promise.resolve(reading).then(resolve, reject);
  });
}
