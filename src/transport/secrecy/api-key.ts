import type { Redactor } from './redact.ts';

/** The key, or a function that gives it (a vault, a rotation), called before each attempt. */
export type ApiKey = string | (() => string | Promise<string>);

/** The key of one attempt, or why it is unusable. */
type KeyReading = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly problem: string };

/** Reads the key of the next attempt. A key that is a string is there at once. */
export type ApiKeySource = () => KeyReading | Promise<KeyReading>;

const KEY_MAX = 1_024;

/**
 * Returns the problem of a key, without quoting it, or null. The key is checked before it becomes a header, because the
 * platform's error quotes the value, and the platform removes line breaks silently.
 */
export function keyProblem(key: unknown): string | null {
  if (typeof key !== 'string') return `must be a string, not ${key === null ? 'null' : typeof key}`;
  if (key === '') return 'is empty';
  if (key.length > KEY_MAX) return `is longer than ${KEY_MAX} characters`;
  if (key.trim() !== key) return 'has white space or a line break at its start or end (read from a file?): trim it';
  return /^[\x21-\x7e]+$/.test(key) ? null : 'has characters that a header cannot carry';
}

/** Reads the key before each attempt. Keys of a function are remembered for redaction. @internal */
export function apiKeySource(apiKey: ApiKey, redactor: Redactor): ApiKeySource {
  if (typeof apiKey === 'string') return () => ({ ok: true, value: apiKey }); // the client has checked it
  return async () => {
    let key: unknown;
    try {
      key = await apiKey();
    } catch {
      // The error is not kept, because the error of a vault may hold the key.
      return { ok: false, problem: 'the apiKey function failed' };
    }
    const problem = keyProblem(key);
    if (problem !== null || typeof key !== 'string')
      return { ok: false, problem: `what the apiKey function gave ${problem}` };
    redactor.add(key);
    return { ok: true, value: key };
  };
}
