/** Reads an environment variable. Returns undefined where it is not set or may not be read (Deno). */
export function environment(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name]; // not declared in every runtime
  } catch {
    return undefined;
  }
}
