import { configurationFail, type Fail, isBytes, kindOf } from '../../checks.ts';
import type { HmacKey } from './hmac.ts';

// The one rule for webhook secrets. The client's options use it as well, so this file stays free of everything else.

/**
 * The webhook secret of the dashboard, or the old and the new one during a rotation. Text, or bytes if the dashboard shows
 * the hex or base64 of a key.
 */
export type WebhookSecret = string | Uint8Array | readonly (string | Uint8Array)[];

/**
 * Returns copies of the secrets, each of them usable. The messages name the secret, never its text.
 *
 * @param name The option or variable that the secret comes from, for messages.
 * @throws ConfigurationError for an empty list, and for a secret that is empty or has white space around it.
 */
export function parseSecrets(secret: unknown, name = 'secret', fail: Fail = configurationFail()): readonly HmacKey[] {
  if (!Array.isArray(secret)) return [parseSecret(secret, name, fail)];
  if (secret.length === 0) fail(`${name} is an empty list: give at least one secret`);
  // Array.from reads the holes of a list, which map would skip.
  return Array.from<unknown, HmacKey>(secret, (item, index) => parseSecret(item, `${name}[${index}]`, fail));
}

function parseSecret(secret: unknown, name: string, fail: Fail): HmacKey {
  if (isBytes(secret)) {
    // Not slice(): that of a Buffer gives a view of the same memory, so that a caller who wipes it would change the key.
    return secret.byteLength > 0 ? new Uint8Array(secret) : fail(`${name} has no bytes`);
  }
  if (typeof secret !== 'string' || secret === '') {
    return fail(
      `${name} must be a string, a Uint8Array or a list of them, not ${kindOf(secret)}. Is the environment variable set? The secret is in the dashboard`,
    );
  }
  if (secret.trim() === secret) return secret;
  return fail(
    `${name} has white space around it, perhaps the line break at the end of a file. Trim it: the signature covers every character`,
  );
}

/** A shorter secret can be found by trial from one delivery that was seen. */
const WEAK_BELOW = 16;
/** The default of the sandbox: public, and never the secret of a real business. */
const SANDBOX_SECRET = 'whsec_sandbox';

/** The indexes of secrets that have fewer than 16 bytes. */
export function weakSecrets(secrets: readonly HmacKey[]): readonly number[] {
  return secrets.flatMap((secret, index) => {
    const length = typeof secret === 'string' ? utf8Length(secret) : secret.byteLength;
    return length < WEAK_BELOW && secret !== SANDBOX_SECRET ? [index] : [];
  });
}

/** Counts without a TextEncoder: jsdom has none, and a handler can be created there. */
function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}
