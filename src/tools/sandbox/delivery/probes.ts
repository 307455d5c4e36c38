import type { Dialect } from '../dialects.ts';
import type { SandboxWebhookRequest } from '../types.ts';
import { signedRequest } from './webhook-request.ts';

// Deliveries that only a receiver with one mistake accepts. They find the mistake of a receiver that is not of this
// package, which refuses everything and does not say why.

/** How the service signs, with its API key if that is known. */
interface Signer {
  readonly dialect: Dialect;
  readonly webhookSecret: string;
  readonly apiKey?: string | undefined;
}

/** What a signature has in place of what the service signs with. `body`: the text that is signed, and is not sent. */
export type OtherSignature = Partial<Pick<Signer, 'dialect' | 'webhookSecret'> & { readonly body: string }>;

/** The usual mistakes, with the signature that each of them expects. Null where there is nothing to try. */
export const PROBES = {
  api_key: {
    text: 'The secret of the receiver is the API key.',
    expects: (_, { apiKey }) => (apiKey === undefined ? null : { webhookSecret: apiKey }),
  },
  body_again: {
    text: 'The receiver checks a body that was parsed and written again.',
    expects: (body) => ({ body: writtenAgain(body) }),
  },
  encoding: {
    text: 'The receiver expects the signature in the other encoding, hex or base64.',
    expects: (_, { dialect }) => ({
      dialect: { ...dialect, signatureEncoding: dialect.signatureEncoding === 'hex' ? 'base64' : 'hex' },
    }),
  },
} as const satisfies Readonly<
  Record<string, { readonly text: string; readonly expects: (body: string, signer: Signer) => OtherSignature | null }>
>;

export type ProbedMistake = keyof typeof PROBES;

/** A delivery whose signature differs. */
export async function signedOtherwise(
  signer: Signer,
  { body: signed, ...other }: OtherSignature,
  { id, body }: { readonly id: string; readonly body: string },
  url: string,
  stampAt: number,
): Promise<SandboxWebhookRequest> {
  return { ...(await signedRequest({ ...signer, ...other }, { id, body: signed ?? body }, url, stampAt)), body };
}

/** As JSON.stringify writes it, or with spaces where that is what was sent. */
function writtenAgain(body: string): string {
  const again = JSON.stringify(JSON.parse(body));
  return again === body ? spaced(body) : again;
}

/** JSON with a space after each comma and colon, as Python writes it. */
export function spaced(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|([,:])/g, (_, text, mark) => text ?? `${mark} `);
}
