/** The sender hung up while its body was read: no one waits for the answer. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
  constructor() {
    super('The sender hung up before its body was complete.');
  }
}

/** This endpoint has stopped reading a body: its time is over, or too many large ones are being read. */
export class ReadingStopped extends Error {
  override readonly name = 'ReadingStopped';
  readonly verdict: 'time_limit' | 'too_many_bodies';
  constructor(verdict: ReadingStopped['verdict']) {
    super(
      verdict === 'time_limit'
        ? 'The time limit was over before the body was complete.'
        : 'Too many large bodies are being read at the same time. A delivery of the service is small enough to be read all the same.',
    );
    this.verdict = verdict;
  }
}

/** The same promise, but one that rejects with ReadingStopped when the signal is aborted first. */
export function untilAborted<T>(reading: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new ReadingStopped('time_limit'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const settled = (): void => signal.removeEventListener('abort', stop);
    Promise.resolve(reading).then(resolve, reject).finally(settled);
  });
}
