/** The default key of the command `sandbox`. It is public. */
export const SANDBOX_KEY = 'sk_sandbox';

/** Reads an environment variable. Returns undefined where it is not set or may not be read (Deno). */
export function environment(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name]; // not declared in every runtime
  } catch {
    return undefined;
  }
}

const PROXY_VARIABLES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];

/**
 * What to set where requests to this machine go through a proxy of the environment: Node sends those too. Null where no
 * proxy is set, or where this machine is left out of it.
 */
export function loopbackProxyRemedy(): string | null {
  const without = environment('NO_PROXY') || environment('no_proxy') || '';
  const isSet = PROXY_VARIABLES.some((name) => (environment(name) ?? '') !== '');
  if (!isSet || /(?:^|[\s,])(?:\*|127\.0\.0\.1|localhost)(?:$|[\s,])/.test(without)) return null;
  return 'A proxy variable such as HTTP_PROXY is set, so requests to this machine may go through the proxy: set NO_PROXY=127.0.0.1,localhost.';
}

/** True in production. Warnings of the stores depend on it, and nothing else. */
export function isProduction(): boolean {
  return /^prod/i.test(environment('NODE_ENV') ?? '');
}

/** True in a test of vitest, jest, bun or node:test, which makes many stores. The same warnings depend on it. */
export function isTest(): boolean {
  return environment('NODE_ENV') === 'test' || environment('NODE_TEST_CONTEXT') !== undefined;
}

/** Why a variable may be missing, for messages. */
export function whyMissing(name: string): string {
  return underOtherName(name) ?? ' (Node reads an .env file only with --env-file)';
}

/**
 * Says that a variable is there under another name: Node makes the byte order mark of a file a part of its first name.
 * Null if it is not there.
 */
export function underOtherName(name: string, env: Environment = allOf()): string | null {
  const isThere = Object.keys(env).some((each) => each !== name && each.replace(/^\W+/, '') === name);
  if (!isThere) return null;
  return ` (${name} is there under another name, because its file begins with a byte order mark. Save the file as UTF-8 without this mark)`;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** All variables. None where they may not be read. */
function allOf(): Environment {
  try {
    return { ...(globalThis as { process?: { env?: Environment } }).process?.env }; // not declared in every runtime
  } catch {
    return {};
  }
}

/** A form that a value gets on its way through files and deployments, with what to do. */
export interface Spoilt {
  readonly form: RegExp;
  readonly problem: string;
  readonly remedy: string;
}
export const SPOILT = {
  spaced: {
    form: /^\s|\s$/,
    problem: 'has white space around it, such as a line break at its end',
    remedy: 'Trim it',
  },
  quoted: {
    form: /^(["'`]).*\1$/s,
    problem: 'has quotes around it',
    remedy: 'Remove them where the variable is set',
  },
  literalBreak: {
    form: /\\[nr]/,
    problem: 'has a literal \\n in it',
    remedy: 'Remove it where the variable is set',
  },
  withoutWidth: {
    form: /[\u200B-\u200F\u2060\uFEFF]/,
    problem: 'has an invisible character in it, as copied text may have',
    remedy: 'Type it, or copy it again',
  },
  missing: {
    form: /^(?:undefined|null)$/,
    problem: 'is the word undefined or null: a program made text of a missing value',
    remedy: 'Set the variable',
  },
  template: {
    form: /\$\{.*\}|^\$\(.*\)$|^<.*>$|^\{\{.*\}\}$/s,
    problem: 'is a template that was not filled in',
    remedy: 'Set the variable',
  },
  bearer: { form: /^Bearer\s/i, problem: 'has the word Bearer before it', remedy: 'Give the value alone' },
} satisfies Readonly<Record<string, Spoilt>>;

/** The first form in which a key or a secret is wrong, or null. */
export function spoiltForm(value: string): Spoilt | null {
  return Object.values(SPOILT).find(({ form }) => form.test(value)) ?? null;
}
