import type { Forgery } from '../sandbox/delivery/forgeries.ts';
import { signedRequest } from '../sandbox/delivery/webhook-request.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SandboxDelivery } from '../sandbox/types.ts';
import type { StormShop } from './options.ts';
import { pause } from './waiting.ts';

// Deliveries that the service has not sent: forged ones, and one that is stamped by the clock of the machine.

interface Probe extends Forgery {
  /** It is stamped by the clock of the machine, as each delivery to an address is. */
  readonly isOfMachine?: true;
}

type Sent = Pick<SandboxDelivery, 'url' | 'body'>;

/** Milliseconds of real time for the response to a probe. */
const PROBE_LIMIT = 2_000;

/** Whether the receiver accepts what the clock of the machine has stamped: then it has that clock, and not the day's. */
export async function hasMachineClock(shop: StormShop, sandbox: Sandbox, delivery: Sent): Promise<boolean> {
  if (typeof shop.receive !== 'function') return false;
  const status = await Promise.race([send(shop, sandbox, delivery, { isOfMachine: true }), pause(PROBE_LIMIT)]);
  return isAccepted(status ?? 0);
}

export function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Sends a delivery, and returns the status of its response, or 0 for none: it throws, or is down. */
export async function send(
  { receive }: StormShop,
  sandbox: Sandbox,
  { url, body }: Sent,
  { isOfMachine, headers: other = {}, secret = sandbox.webhookSecret, sentBody = (genuine) => genuine }: Probe,
): Promise<number> {
  const stampAt = typeof receive === 'string' || isOfMachine ? Date.now() : sandbox.now().getTime();
  const signer = { dialect: sandbox.dialect, webhookSecret: secret };
  const signed = await signedRequest(signer, { id: crypto.randomUUID(), body }, url, stampAt);
  const headers = new Headers(signed.headers);
  for (const [name, value] of Object.entries(other)) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  const request = new Request(url, { method: 'POST', headers, body: sentBody(body), redirect: 'manual' });
  try {
    return (await (typeof receive === 'function' ? receive(request) : fetch(request))).status;
  } catch {
    return 0;
  }
}

/** JSON with a space after each comma and colon, as Python writes it. */
export function spaced(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|([,:])/g, (_, text, mark) => text ?? `${mark} `);
}
