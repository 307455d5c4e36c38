import { isMerchantError } from '../../errors/classes.ts';
import { parseSecrets } from '../../webhooks/verify/secrets.ts';
import { type Diagnosis, fine, wrong } from './diagnosis.ts';

const OLDEST = 22;

export function nodeFinding(version: string): Diagnosis {
  const major = Number(version.split('.')[0]);
  if (major >= OLDEST) return fine('node', `Node ${version}`);
  return wrong('node', `Node ${version} is older than ${OLDEST}`, `nvm install ${OLDEST}`);
}

/** Judged by the client's own check, which is loaded for it. */
export async function baseUrlFinding(baseUrl: string | undefined, allowHttp: boolean): Promise<Diagnosis> {
  const example = 'export MERCHANT_BASE_URL=https://pay.example.com   # or http://127.0.0.1:4010, the sandbox';
  if (baseUrl === undefined) return wrong('base-url', 'MERCHANT_BASE_URL is not set', example);
  try {
    const { checkBaseUrl } = await import('../../client-options.ts');
    return fine('base-url', `the address is ${new URL(checkBaseUrl(baseUrl, allowHttp)).href.replace(/\/$/, '')}`);
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    return wrong('base-url', error.message, example);
  }
}

/** The form of the key; whether it is the right one, the service will say. */
export async function keyFinding(apiKey: string | undefined): Promise<Diagnosis> {
  const example = 'export MERCHANT_API_KEY=…   # sk_sandbox for the sandbox';
  if (apiKey === undefined) return wrong('api-key', 'MERCHANT_API_KEY is not set', example);
  const { keyProblem } = await import('../../transport/secrecy/api-key.ts');
  const problem = keyProblem(apiKey);
  if (problem !== null) return wrong('api-key', `MERCHANT_API_KEY ${problem}`, example);
  return fine('api-key', `MERCHANT_API_KEY has the form of a key (${apiKey.length} characters)`);
}

/** A business that only charges needs none. */
export function secretFinding(secret: string | undefined): Diagnosis {
  if (!secret) return fine('webhook-secret', 'MERCHANT_WEBHOOK_SECRET is not set: needed only where webhooks arrive');
  try {
    parseSecrets(secret, 'MERCHANT_WEBHOOK_SECRET');
    return fine('webhook-secret', 'MERCHANT_WEBHOOK_SECRET has the form of a secret');
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    return wrong(
      'webhook-secret',
      error.message,
      'export MERCHANT_WEBHOOK_SECRET=…   # without blanks and line breaks',
    );
  }
}
