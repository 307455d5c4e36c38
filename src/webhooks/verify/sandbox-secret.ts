import { environment, underOtherName } from '../../errors/environment.ts';
import { warnOnce } from '../../errors/notify.ts';

/** The default webhook secret of the command `sandbox`. It is public, so anybody can sign with it. */
export const SANDBOX_SECRET = 'whsec_sandbox';

/** True for the public secret of the sandbox, as text or as bytes. */
export function isSandboxSecret(secret: unknown): boolean {
  const text = secret instanceof Uint8Array ? String.fromCharCode(...secret.subarray(0, 64)) : secret;
  return text === SANDBOX_SECRET;
}

/** True if deliveries signed with the public secret are accepted. The option decides, otherwise MERCHANT_SANDBOX. */
export function isSandboxAllowed(option: boolean | undefined): boolean {
  return option ?? environment('MERCHANT_SANDBOX') === '1';
}

/** Warns once if the public secret of the sandbox is in use. NODE_ENV is not read. */
export function warnOfSandboxSecret(secrets: readonly unknown[], option: boolean | undefined): void {
  if (!secrets.some(isSandboxSecret)) return;
  const isAllowed = isSandboxAllowed(option);
  const line = isAllowed
    ? `SANDBOX: deliveries signed with the public secret ${SANDBOX_SECRET} are accepted. Anybody can make them: never in production.`
    : `the webhook secret is ${SANDBOX_SECRET}, which everybody knows: deliveries signed with it are refused.\n` +
      '  In production, use the secret of the dashboard. For development, set MERCHANT_SANDBOX=1, or give the option sandbox: true.' +
      (underOtherName('MERCHANT_SANDBOX') ?? '');
  warnOnce(`sandbox secret ${isAllowed}`, line);
}
