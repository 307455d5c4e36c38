import { configurationFail, type Fail, isBytes, kindOf } from '../../errors/checks.ts';
import type { HmacKey } from '../crypto.ts';
import { isSandboxSecret } from './sandbox-secret.ts';

// The webhook secrets of a receiver, and the forms in which one is wrong.

/**
 * The webhook secret of the dashboard, or the old and the new one during a rotation. Text, or bytes if the dashboard
 * shows the hex or base64 of a key.
 */
export type WebhookSecret = string | Uint8Array | readonly (string | Uint8Array)[];

/**
 * Copies of the secrets, each of them usable. The messages name the secret, never its text.
 *
 * @param name The option or variable that the secret comes from, for messages.
 * @throws ConfigurationError for an empty list, and for a secret in a form that no dashboard shows.
 */
export function parseSecrets(secret: unknown, name = 'secret', fail: Fail = configurationFail()): readonly HmacKey[] {
  if (!Array.isArray(secret)) return [parseSecret(secret, name, fail)];
  if (secret.length === 0) fail(`${name} is an empty list: give at least one secret`);
  // Array.from reads the holes of a list, which map would skip.
  return Array.from<unknown, HmacKey>(secret, (item, index) => parseSecret(item, `${name}[${index}]`, fail));
}

/** A form that a secret gets on its way through files and deployments, and that no delivery would match. */
interface WrongForm {
  readonly form: RegExp;
  readonly problem: string;
  readonly remedy: string;
  /** The name of the mistake, and the secrets that it may have been made of, for a secret of bytes. */
  readonly mistake?: readonly [id: SecretMistakeId, repaired: (secret: string) => readonly string[]];
}
export type SecretMistakeId =
  | 'quotes_around_secret'
  | 'white_space_around_secret'
  | 'literal_line_break_in_secret'
  | 'character_without_width_in_secret'
  | 'two_secrets_in_one_text';

export const WRONG_FORMS: readonly WrongForm[] = [
  {
    form: /^\s|\s$/,
    problem: 'has white space around it, such as a line break at its end',
    remedy: 'Trim it',
    mistake: ['white_space_around_secret', (secret) => [secret.trim()]],
  },
  {
    form: /^(["'`]).*\1$/s,
    problem: 'has quotes around it',
    remedy: 'Remove them where the variable is set',
    mistake: ['quotes_around_secret', (secret) => /^\s*(["'`])\s*(.+?)\s*\1\s*$/s.exec(secret)?.slice(2) ?? []],
  },
  {
    form: /\\[nr]/,
    problem: 'has a literal \\n in it',
    remedy: 'Remove it where the variable is set',
    mistake: ['literal_line_break_in_secret', (secret) => [secret.replace(/(?:\\[nr])+/g, '').trim()]],
  },
  {
    form: /[\u200B-\u200F\u2060\uFEFF]/,
    problem: 'has a character without width in it, as copied text may have',
    remedy: 'Type it, or copy it again',
    mistake: [
      'character_without_width_in_secret',
      (secret) => [secret.replace(/[\u200B-\u200F\u2060\uFEFF]/g, '').trim()],
    ],
  },
  {
    form: /^(?:undefined|null)$/,
    problem: 'is the word undefined or null, which a program made of a missing value',
    remedy: 'Set the variable',
  },
  {
    form: /^\$\{.*\}$|^\$\(.*\)$|^<.*>$|^\{\{.*\}\}$/s,
    problem: 'is a template that was not filled in',
    remedy: 'Set the variable',
  },
  {
    form: /,/,
    problem: 'has a comma in it, as two secrets in one text',
    remedy: 'Give a list of secrets',
    mistake: ['two_secrets_in_one_text', (secret) => secret.split(/[,;\s]+/).slice(0, 8)],
  },
];

function parseSecret(secret: unknown, name: string, fail: Fail): HmacKey {
  if (isBytes(secret)) {
    // Not slice(): on a Buffer it returns a view of the same memory, so that a caller who wipes it would change the
    // key.
    return secret.byteLength > 0 ? new Uint8Array(secret) : fail(`${name} has no bytes`);
  }
  if (typeof secret !== 'string' || secret === '') {
    return fail(
      `${name} must be a string, a Uint8Array or a list of them, not ${kindOf(secret)}. Is the environment variable set? The secret is in the dashboard`,
    );
  }
  const wrong = WRONG_FORMS.find(({ form }) => form.test(secret));
  if (wrong === undefined) return secret;
  return fail(`${name} ${wrong.problem}. ${wrong.remedy}. Give a secret that truly has this form as bytes`);
}

/** A shorter secret can be guessed by whoever has seen one delivery. */
const WEAK_BELOW = 16;

/** The indexes of the secrets that have fewer than 16 bytes or characters. */
export function weakSecrets(secrets: readonly HmacKey[]): readonly number[] {
  return secrets.flatMap((secret, index) => {
    return secret.length < WEAK_BELOW && !isSandboxSecret(secret) ? [index] : [];
  });
}
