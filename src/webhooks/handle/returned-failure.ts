/** A failure that a function of the merchant returned in place of throwing it. The event would count as done. */
export class ReturnedFailure extends Error {
  constructor(what: string, cause: unknown) {
    super(`Your function returned ${what}, which counts as a failure. Throw a failure, do not return it.`, { cause });
  }
}

/**
 * The failure that a result says it is: an Error, a response or an object with `ok: false` or an HTTP status from 400, a
 * rejected result of `Promise.allSettled`, or an array with one of them. Everything else is a success, `false` included.
 */
export function returnedFailure(result: unknown): ReturnedFailure | null {
  if (Array.isArray(result)) {
    for (const each of result) {
      const failure = returnedFailure(each);
      if (failure !== null) return failure;
    }
    return null;
  }
  if (typeof result !== 'object' || result === null) return null;
  if (result instanceof Error) return new ReturnedFailure('an error', result);
  try {
    const { ok, status, statusCode, reason } = result as Readonly<Record<string, unknown>>; // any object is a record of unknowns
    const isSettled = Object.keys(result).join() === 'status,reason'; // a row of a table has more
    if (isSettled && status === 'rejected') return new ReturnedFailure('a rejected result of allSettled', reason);
    const code = [status, statusCode].find((each) => typeof each === 'number' && each >= 400 && each <= 599);
    if (code !== undefined) return new ReturnedFailure(`a response with the status ${code}`, result);
    return ok === false ? new ReturnedFailure('an object with ok: false', result) : null;
  } catch {
    return null; // an assertion of a test, for one, has getters that throw
  }
}
