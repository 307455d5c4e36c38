/** Reads an environment variable. Returns undefined where it is not set or may not be read (Deno). */
export function environment(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name]; // not declared in every runtime
  } catch {
    return undefined;
  }
}

/** The webhook secret that the command `sandbox` has by default. Everybody knows it. */
const SANDBOX_SECRET = 'whsec_sandbox';

/** True for that exact text, also as bytes. */
export function isSandboxSecret(secret: unknown): boolean {
  const text = secret instanceof Uint8Array ? String.fromCharCode(...secret.subarray(0, 64)) : secret;
  return text === SANDBOX_SECRET;
}

/** True if deliveries signed with the secret of a sandbox count: for development. */
export function isSandboxAllowed(option: boolean | undefined): boolean {
  return option ?? environment('MERCHANT_SANDBOX') === '1';
}

const told = new Set<boolean>();

/** Says once that the secret of a sandbox is in use, however the environment is called. */
export function tellOfSandboxSecret(secrets: readonly unknown[], option: boolean | undefined): void {
  if (!secrets.some(isSandboxSecret)) return;
  const isAllowed = isSandboxAllowed(option);
  if (told.has(isAllowed)) return;
  told.add(isAllowed);
  const line = isAllowed
    ? 'SANDBOX: deliveries signed with the public secret whsec_sandbox are accepted. Anybody can make them: never in production.'
    : 'the webhook secret is whsec_sandbox, which everybody knows: deliveries signed with it are refused.\n' +
      '  In production, use the secret of the dashboard. For development, set MERCHANT_SANDBOX=1, or give sandbox: true.';
  try {
    console.warn(`merchant-invoicing: ${line}`);
  } catch {
    // A console that throws, as some test setups make it, must not fail the start.
  }
}
