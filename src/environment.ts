/** Reads an environment variable. Returns undefined where it is not set or may not be read (Deno). */
export function environment(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name]; // not declared in every runtime
  } catch {
    return undefined;
  }
}

/** The credentials of every sandbox, which anybody knows. */
const SANDBOX_CREDENTIAL = /^(?:sk|whsec)_sandbox/i;

export function isSandboxCredential(value: unknown): boolean {
  const text = value instanceof Uint8Array ? String.fromCharCode(...value.subarray(0, 64)) : value;
  return typeof text === 'string' && SANDBOX_CREDENTIAL.test(text);
}

/** Refuses a sandbox's key or secret in production: with it, anybody could mark orders as paid. */
export function refuseSandboxCredential(
  name: string,
  values: readonly unknown[],
  refuse: (text: string) => void,
): void {
  if (!values.some(isSandboxCredential) || environment('NODE_ENV') !== 'production') return;
  refuse(
    `${name} is that of a sandbox, which everybody knows, and NODE_ENV is production. Use the one of the dashboard. To run a production build against a sandbox, give both others: createSandbox({ apiKey, webhookSecret }), or sandbox --key and --secret`,
  );
}
