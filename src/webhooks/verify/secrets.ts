import { configurationFail, type Fail, isBytes, kindOf } from '../../errors/checks.ts';
import { environment, SPOILT, type Spoilt, spoiltForm, underOtherName, whyMissing } from '../../errors/environment.ts';
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

/**
 * The secrets that were given, or those of MERCHANT_WEBHOOK_SECRET where no secret was written.
 *
 * @param written Null where the caller wrote none. A secret that was written and is undefined is a mistake: the
 * variable of another business could take its place.
 */
export function readSecrets(written: { readonly secret: unknown } | null, fail?: Fail): readonly HmacKey[] {
  if (written !== null) return parseSecrets(written.secret, 'secret', fail);
  const name = 'MERCHANT_WEBHOOK_SECRET';
  const value = environment(name);
  if (value === undefined)
    (fail ?? configurationFail())(`secret is missing: give it, or set ${name}${whyMissing(name)}`);
  return parseSecrets(value, name, fail);
}

const TWO: Spoilt = {
  form: /,/,
  problem: 'has a comma in it, as two secrets in one text',
  remedy: 'Give a list of secrets',
};

const COMMENTED: Spoilt = {
  form: /\s#/,
  problem: 'has a comment behind it, as in an .env file that is read by Docker',
  remedy: 'Remove the comment',
};
const BLANK: Spoilt = {
  form: /\s/,
  problem: 'has white space inside',
  remedy: 'Copy it again, or give a list if it is two secrets',
};

/** The mistakes of a secret, by the form that shows each, and the secrets that it may have been made of. */
export const SECRET_MISTAKES = {
  white_space_around_secret: [SPOILT.spaced, (secret) => [secret.trim()]],
  quotes_around_secret: [SPOILT.quoted, (secret) => /^\s*(["'`])\s*(.+?)\s*\1\s*$/s.exec(secret)?.slice(2) ?? []],
  literal_line_break_in_secret: [SPOILT.literalBreak, (secret) => [secret.replace(/(?:\\[nr])+/g, '').trim()]],
  character_without_width_in_secret: [
    SPOILT.withoutWidth,
    (secret) => [secret.replace(/[\u200B-\u200F\u2060\uFEFF]/g, '').trim()],
  ],
  comment_behind_secret: [COMMENTED, (secret) => [secret.replace(/\s+#.*$/s, '').trim()]],
  two_secrets_in_one_text: [TWO, (secret) => secret.split(/[,;\s]+/).slice(0, 8)],
} satisfies Readonly<Record<string, readonly [Spoilt, (secret: string) => readonly string[]]>>;

function parseSecret(secret: unknown, name: string, fail: Fail): HmacKey {
  if (isBytes(secret)) {
    // Not slice(): on a Buffer it returns a view of the same memory, so that a caller who wipes it would change the
    // key.
    return secret.byteLength > 0 ? new Uint8Array(secret) : fail(`${name} has no bytes`);
  }
  if (typeof secret !== 'string' || secret === '') {
    return fail(
      `${name} must be a string, a Uint8Array or a list of them, not ${kindOf(secret)}. Is the environment variable set?${underOtherName('MERCHANT_WEBHOOK_SECRET') ?? ''} The secret is in the dashboard`,
    );
  }
  const wrong = spoiltForm(secret) ?? [COMMENTED, TWO, BLANK].find(({ form }) => form.test(secret)) ?? null;
  if (wrong === null) return secret;
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
