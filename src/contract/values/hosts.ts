const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * True for a host name of the machine itself. `shop.localhost` does not count, because DNS decides where such a name leads.
 */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname.toLowerCase());
}

/** True for an absolute http or https address. */
export function isHttpAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
}
