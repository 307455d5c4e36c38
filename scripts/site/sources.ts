/** Where sources are read on the web, or null while package.json names no repository. */
export function sourcesOf(manifest: {
  readonly version: string;
  readonly repository?: { readonly url?: string };
}): string | null {
  const [, address] = /^git\+(https:\/\/.+)\.git$/.exec(manifest.repository?.url ?? '') ?? [];
  return address === undefined ? null : `${address}/blob/v${manifest.version}/{path}#L{line}`;
}
