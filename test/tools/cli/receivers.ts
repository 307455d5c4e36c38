import { createHmac } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import {
  createWebhookHandler,
  memoryStore,
  toNodeHandler,
  type VerifyWebhookOptions,
  type WebhookSecret,
} from '../../../src/webhooks/index.ts';
import { listen } from '../../support/fault-server.ts';

/** The address of a receiver that serves until the end of the test. */
export const serve = async (listener: RequestListener): Promise<string> =>
  `${await listen(createServer(listener))}/webhook`;

/** The package's own receiver. */
export function goodReceiver(
  secret: WebhookSecret,
  handled: string[] = [],
  pins: Pick<VerifyWebhookOptions, 'orderIdMember'> = {},
): RequestListener {
  return toNodeHandler(
    createWebhookHandler({
      secret,
      sandbox: true,
      store: memoryStore(),
      onPaid: (event) => void handled.push(event.external_id),
      onAdjusted: (event) => void handled.push(event.external_id),
      onCanceled: (event) => void handled.push(event.external_id),
      ...pins,
    }),
  );
}

export interface Mistakes {
  /** Verifies the parsed and rewritten body. */
  readonly rewritten?: boolean;
  /** Verifies the body as Python writes it again. */
  readonly asPython?: boolean;
  /** Expects base64. */
  readonly base64?: boolean;
  readonly noAge?: boolean;
  /** Leaves the timestamp out of what is verified. */
  readonly bodyOnly?: boolean;
  /** Compares as many characters as came. */
  readonly prefix?: boolean;
  /** Refuses a repeat. */
  readonly refusesRepeats?: boolean;
  readonly anyMethod?: boolean;
}

/** A receiver as people write it by hand, with one mistake or more. */
export function handWritten(secret: string, mistakes: Mistakes = {}): RequestListener {
  const seen = new Set<string>();
  return (request, response) => {
    const chunks: Buffer[] = [];
    const end = (status: number, text: string): void => void response.writeHead(status).end(text);
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST') return end(mistakes.anyMethod ? 200 : 405, 'POST only');
      const raw = Buffer.concat(chunks);
      const signature = request.headers['x-webhook-signature'];
      const timestamp = request.headers['x-webhook-timestamp'];
      if (typeof signature !== 'string' || typeof timestamp !== 'string') return end(401, 'unsigned');
      const written = mistakes.rewritten || mistakes.asPython ? JSON.stringify(JSON.parse(raw.toString())) : null;
      const spaced = mistakes.asPython ? written?.replaceAll('":', '": ').replaceAll(/,(?=")/g, ', ') : written;
      const body = typeof spaced === 'string' ? Buffer.from(spaced) : raw;
      const hmac = createHmac('sha256', secret);
      if (!mistakes.bodyOnly) hmac.update(`${timestamp}.`);
      const digest = hmac.update(body).digest(mistakes.base64 ? 'base64' : 'hex');
      const expected = mistakes.prefix ? digest.slice(0, signature.length) : digest;
      if (signature !== expected) return end(401, 'bad signature');
      if (!mistakes.noAge && !(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return end(401, 'too old');
      const { invoice_uuid } = JSON.parse(raw.toString());
      if (seen.has(invoice_uuid) && mistakes.refusesRepeats) return end(409, 'seen');
      seen.add(invoice_uuid);
      end(200, 'ok');
    });
  };
}
