import { isBytes } from '../../checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import type { HmacKey } from './hmac.ts';

/**
 * The webhook secret of the dashboard, or the old and the new one while they are rotated: text, or bytes where a secret
 * is given as the hex or base64 of a key.
 */
export type WebhookSecret = string | Uint8Array | readonly (string | Uint8Array)[];

/**
 * The secrets as a list of copies, each one usable.
 *
 * @throws ConfigurationError for none, an empty one, or one with white space around it. Says which, never its text.
 */
export function secretsFrom(secret: unknown): readonly HmacKey[] {
  // A copy, as the caller's list may change later, and one without holes, which map would skip.
  const list: readonly unknown[] = Array.isArray(secret) ? Array.from(secret) : [secret];
  if (list.length === 0) throw new ConfigurationError('The list of webhook secrets is empty: give at least one.');
  return list.map((item, index) =>
    usable(item, Array.isArray(secret) ? `Webhook secret ${index}` : 'The webhook secret'),
  );
}

function usable(secret: unknown, name: string): HmacKey {
  if (isBytes(secret)) {
    // Not slice(): that of a Buffer gives a view of the same memory, so that a caller who wipes it would change the key.
    if (secret.byteLength > 0) return new Uint8Array(secret);
    throw new ConfigurationError(`${name} is empty: it has no bytes.`);
  }
  if (typeof secret !== 'string') {
    const given = secret === null ? 'null' : typeof secret;
    throw new ConfigurationError(
      `${name} is ${given}, not text or a Uint8Array. Is the environment variable set? It is in the dashboard.`,
    );
  }
  const trimmed = secret.trim();
  if (trimmed === '') {
    throw new ConfigurationError(`${name} is empty. Is the environment variable set? It is in the dashboard.`);
  }
  if (trimmed !== secret) {
    throw new ConfigurationError(
      `${name} has white space around it, perhaps the line break at the end of a file. Trim it: the signature covers every character.`,
    );
  }
  return secret;
}

/** Shorter than this, a secret can be found by trying, from one delivery that was seen. */
const WEAK_BELOW = 16;
/** The sandbox's own default: known to everybody, and never that of a real business. */
const SANDBOX_SECRET = 'whsec_sandbox';

/** The places of secrets that have under 16 bytes. */
export function weakSecrets(secrets: readonly HmacKey[]): readonly number[] {
  return secrets.flatMap((secret, index) => {
    const length = typeof secret === 'string' ? utf8Length(secret) : secret.byteLength;
    return length < WEAK_BELOW && secret !== SANDBOX_SECRET ? [index] : [];
  });
}

/** Without a TextEncoder, which a test runner's page has not: a handler is made there too. */
function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}
