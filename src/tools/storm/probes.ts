import { type OtherSignature, PROBES, type ProbedMistake, signedOtherwise } from '../sandbox/delivery/probes.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SandboxDelivery } from '../sandbox/types.ts';
import type { StormShop } from './options.ts';
import { pause } from './waiting.ts';
import type { StormMistake } from './words.ts';

// Deliveries that the service has not signed: forged ones, and those that only a receiver with one mistake accepts.

interface Probe extends OtherSignature {
  readonly isUnsigned?: true;
  /** It is stamped by the clock of the machine, as each delivery to an address is. */
  readonly isOfMachine?: true;
}

type Sent = Pick<SandboxDelivery, 'url' | 'body'>;

/** The forged deliveries, and what is said of them. */
export const FORGERIES: readonly (readonly [words: string, ofBody: (body: string) => Probe])[] = [
  ['it is not signed', () => ({ isUnsigned: true })],
  ['a stranger signed it', () => ({ webhookSecret: 'whsec_of_a_stranger_0123' })],
  ['its signature is that of another body', (body) => ({ body: `${body} ` })],
];

/** Milliseconds of real time for the response to a probe. */
const PROBE_LIMIT = 2_000;

/** The mistake of a receiver that refuses everything and says nothing, or null if no probe shows it. */
export async function mistakeOf(shop: StormShop, sandbox: Sandbox, delivery: Sent): Promise<StormMistake | null> {
  const isAccepting = async (probe: Probe): Promise<boolean> =>
    isAccepted((await Promise.race([send(shop, sandbox, delivery, probe), pause(PROBE_LIMIT)])) ?? 0);
  if (typeof shop.receive === 'function' && (await isAccepting({ isOfMachine: true }))) return 'now_forgotten';
  for (const mistake of Object.keys(PROBES) as ProbedMistake[]) {
    const probe = PROBES[mistake].expects(delivery.body, sandbox);
    if (probe !== null && (await isAccepting(probe))) return mistake;
  }
  return null;
}

export function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Sends a delivery, and returns the status of its response, or 0 for none: it throws, or is down. */
export async function send(
  { receive }: StormShop,
  sandbox: Sandbox,
  { url, body }: Sent,
  { isUnsigned, isOfMachine, ...signature }: Probe,
): Promise<number> {
  const stampAt = typeof receive === 'string' || isOfMachine ? Date.now() : sandbox.now().getTime();
  const delivery = { id: crypto.randomUUID(), body };
  const signed = await signedOtherwise(sandbox, signature, delivery, url, stampAt);
  const headers = new Headers(signed.headers);
  if (isUnsigned) headers.delete('X-Webhook-Signature');
  const request = new Request(url, { method: 'POST', headers, body, redirect: 'manual' });
  try {
    return (await (typeof receive === 'function' ? receive(request) : fetch(request))).status;
  } catch {
    return 0;
  }
}
