import { isLoopback } from '../../contract/values/hosts.ts';

/** Why a webhook must not go to this address; null when it may. */
export function refusedHost(address: string, allowed: readonly string[]): string | null {
  const { hostname, protocol } = new URL(address);
  if (isLoopback(hostname) || allowed.includes(hostname.toLowerCase())) return null;
  return `not sent: the sandbox delivers to this machine only; allow it with deliverTo: ["${hostname}"]${protocol === 'https:' ? '' : ' (the service itself takes https only)'}`;
}
