import { ConfigurationError } from '../errors.ts';

/** One webhook secret, or the old and the new one while they are rotated. */
export type WebhookSecret = string | readonly string[];

/**
 * The secrets as a list, each one usable.
 *
 * @throws ConfigurationError for none, an empty one, or one with white space around it. Says which, never its text.
 */
export function secretsFrom(secret: unknown): readonly string[] {
  // A copy, as the caller's list may change later, and one without holes, which map would skip.
  const list: readonly unknown[] = Array.isArray(secret) ? Array.from(secret) : [secret];
  if (list.length === 0) throw new ConfigurationError('The list of webhook secrets is empty: give at least one.');
  return list.map((item, index) =>
    usable(item, Array.isArray(secret) ? `Webhook secret ${index}` : 'The webhook secret'),
  );
}

function usable(secret: unknown, name: string): string {
  if (typeof secret !== 'string') {
    const given = secret === null ? 'null' : typeof secret;
    throw new ConfigurationError(
      `${name} is ${given}, not text. Is the environment variable set? It is in the dashboard.`,
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
