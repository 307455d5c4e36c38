/** Where a call was made, for the stack of its error. */
export interface CallSite {
  readonly stack?: string;
}

/**
 * Remembers the caller's line. An error that is made after an answer has no frame of the caller: the stack of a
 * promise ends where it was awaited first.
 *
 * @param below A function or class, which is left out with the functions that it called.
 */
export function callSite(below: object): CallSite {
  const site = {};
  // The text is written when it is read, so this costs a microsecond. Not every engine has it.
  (Error as { captureStackTrace?: (target: object, below: unknown) => void }).captureStackTrace?.(site, below);
  return site;
}

/** Puts the caller's frames into the stack of a failure, and hands the failure on. */
export function locate(failure: unknown, site: CallSite): unknown {
  // A host's Error.prepareStackTrace may give anything in place of a text.
  const stack: unknown = site.stack;
  const frames = typeof stack === 'string' ? stack.slice(stack.indexOf('\n    at ')) : '';
  if (!(failure instanceof Error) || !frames.startsWith('\n')) return failure;
  const header = `${failure.name}: ${failure.message}`;
  Object.defineProperty(failure, 'stack', { value: header + frames, configurable: true, writable: true });
  return failure;
}
