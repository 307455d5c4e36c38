import { parseSecrets } from '../../webhooks/verify/signature.ts';
import type { Io } from '../io.ts';

const SANDBOX_SECRET = 'whsec_sandbox';

/** The secrets to use, and where they came from. A secret itself is never shown. */
export interface Secrets {
  readonly list: readonly string[];
  readonly source: string;
}

/** @throws ConfigurationError for an empty or padded secret. */
export function readSecrets(given: readonly string[], env: Io['env']): Secrets {
  const fromEnv = env['MERCHANT_WEBHOOK_SECRET'];
  const secrets =
    given.length > 0
      ? { list: given, source: 'the secret of --secret' }
      : fromEnv
        ? { list: [fromEnv], source: 'the secret in MERCHANT_WEBHOOK_SECRET' }
        : { list: [SANDBOX_SECRET], source: 'the secret of the sandbox (--secret gives another)' };
  const name = given.length > 0 ? '--secret' : 'MERCHANT_WEBHOOK_SECRET';
  for (const secret of secrets.list) parseSecrets(secret, name);
  return secrets;
}

/** A text without the secrets in it. */
export function redacted(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}
