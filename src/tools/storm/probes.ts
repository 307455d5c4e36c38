import { hexToBase64 } from '../../webhooks/crypto.ts';
import { signedRequest } from '../sandbox/delivery/webhook-request.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { StormShop } from './options.ts';
import { pause } from './waiting.ts';
import type { StormMistake } from './words.ts';

// Deliveries that the service has not signed: forged ones, and those that only a receiver with one mistake accepts.

interface Probe {
  /** What signs it. Default: the secret of the sandbox. */
  readonly secret?: (sandbox: Sandbox) => string;
  /** The body that is signed. Default: the one that is sent. */
  readonly signed?: (body: string) => string;
  /** Its signature as a header, or null for none. */
  readonly header?: (signature: string) => string | null;
  /** It is stamped by the clock of the machine, as each delivery to an address is. */
  readonly isOfMachine?: true;
}

/** The forged deliveries, and what is said of them. */
export const FORGERIES: readonly (readonly [words: string, Probe])[] = [
  ['it is not signed', { header: () => null }],
  ['a stranger signed it', { secret: () => 'whsec_of_a_stranger_0123' }],
  ['its signature is that of another body', { signed: (body) => `${body} ` }],
];

const MISTAKES: readonly (readonly [StormMistake, Probe])[] = [
  ['now_forgotten', { isOfMachine: true }],
  ['api_key', { secret: ({ apiKey }) => apiKey }],
  ['body_again', { signed: (body) => JSON.stringify(JSON.parse(body)) }],
  ['encoding', { header: hexToBase64 }],
];

/** Milliseconds of real time for the response to a probe. */
const PROBE_LIMIT = 2_000;

/** The mistake of a receiver that refuses everything and says nothing, or null if no probe shows it. */
export async function mistakeOf(
  shop: StormShop,
  sandbox: Sandbox,
  delivery: { readonly url: string; readonly body: string },
): Promise<StormMistake | null> {
  for (const [mistake, probe] of MISTAKES) {
    const isUsual = probe.isOfMachine === true && typeof shop.receive === 'string';
    if (isUsual) continue;
    const status = await Promise.race([send(shop, sandbox, delivery, probe), pause(PROBE_LIMIT)]);
    if (isAccepted(status ?? 0)) return mistake;
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
  { url, body }: { readonly url: string; readonly body: string },
  probe: Probe,
): Promise<number> {
  const isOfMachine = typeof receive === 'string' || probe.isOfMachine === true;
  const { headers } = await signedRequest(
    { dialect: sandbox.dialect, webhookSecret: probe.secret?.(sandbox) ?? sandbox.webhookSecret },
    { id: crypto.randomUUID(), body: probe.signed?.(body) ?? body },
    url,
    isOfMachine ? Date.now() : sandbox.now().getTime(),
  );
  const { 'X-Webhook-Signature': signature = '', ...others } = headers;
  const header = probe.header === undefined ? signature : probe.header(signature);
  const signed: Record<string, string> = header === null ? others : { ...others, 'X-Webhook-Signature': header };
  const request = new Request(url, { method: 'POST', headers: signed, body, redirect: 'manual' });
  try {
    return (await (typeof receive === 'function' ? receive(request) : fetch(request))).status;
  } catch {
    return 0;
  }
}
