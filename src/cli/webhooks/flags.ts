import { dialectFrom } from '../../sandbox/dialect/dialects.ts';
import type { Dialect } from '../../sandbox/index.ts';
import { secretsFrom } from '../../webhooks/verify/secrets.ts';
import { dialectFromFlags } from '../dialect-flags.ts';
import type { Io } from '../io.ts';

const SANDBOX_SECRET = 'whsec_sandbox';

/** The flags that `webhooks check` and `send` have in common. */
export const WEBHOOK_FLAGS = {
  secret: { type: 'string', multiple: true },
  dialect: { type: 'string', multiple: true },
  'external-id': { type: 'string' },
  amount: { type: 'string', default: '25.00' },
  currency: { type: 'string', default: 'EUR' },
  timeout: { type: 'string', default: '15s' },
} as const;

/** The secrets to use, and where they came from. A secret itself is never shown. */
export interface Secrets {
  readonly list: readonly string[];
  readonly source: string;
}

/** Throws a ConfigurationError for an empty or padded one. */
export function secretsOf(given: readonly string[] | undefined, env: Io['env']): Secrets {
  if (given !== undefined) return { list: checked(given), source: 'the one of --secret' };
  const fromEnv = env['MERCHANT_WEBHOOK_SECRET'];
  if (fromEnv) return { list: checked([fromEnv]), source: 'the one in MERCHANT_WEBHOOK_SECRET' };
  return { list: [SANDBOX_SECRET], source: 'the one of the sandbox; give yours with --secret' };
}

function checked(list: readonly string[]): readonly string[] {
  secretsFrom(list);
  return list;
}

export function dialectOf(flags: readonly string[] | undefined, mend: string): Dialect {
  return dialectFrom(dialectFromFlags(flags ?? [], mend));
}
