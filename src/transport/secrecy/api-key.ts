import type { Redactor } from './redact.ts';

/** The key, or a function that gives it (a vault, a rotation), called before each attempt. */
export type ApiKey = string | (() => string | Promise<string>);

/** The key of the next attempt, checked, or why there is none. */
export type ApiKeySource = () => Promise<
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly problem: string }
>;

const KEY_MAX = 1_024;

/**
 * What is wrong with a key, without quoting it; null when nothing is. Checked by our own pattern before a header sees
 * it, because the platform's error quotes the value and silently trims line breaks.
 */
export function keyProblem(key: unknown): string | null {
  if (typeof key !== 'string') return `must be a string, not ${key === null ? 'null' : typeof key}`;
  if (key === '') return 'is empty';
  if (key.length > KEY_MAX) return `is longer than ${KEY_MAX} characters`;
  if (key.trim() !== key) return 'has white space or a line break at its start or end (read from a file?): trim it';
  return /^[\x21-\x7e]+$/.test(key) ? null : 'has characters that a header cannot carry';
}

/** Reads the key before each attempt; every key ever seen is remembered for redaction. @internal */
export function apiKeySource(apiKey: ApiKey, redactor: Redactor): ApiKeySource {
  return async () => {
    let key: unknown;
    try {
      key = typeof apiKey === 'function' ? await apiKey() : apiKey;
    } catch {
      // What was thrown is not kept: the error of a vault may hold the key.
      return { ok: false, problem: 'the apiKey function failed' };
    }
    const problem = keyProblem(key);
    if (problem !== null || typeof key !== 'string')
      return { ok: false, problem: `what the apiKey function gave ${problem}` };
    if (typeof apiKey === 'function') redactor.add(key);
    return { ok: true, value: key };
  };
}
