import { ConfigurationError } from '../../errors/classes.ts';
import { shown } from '../duration.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/store.ts';
import type { SandboxWebhookRequest } from '../wire-types.ts';
import type { World } from '../world.ts';
import { hmac, inBase64, inHex } from './hmac-text.ts';
import { exchange, signedRequest } from './send.ts';
import { signatureText } from './signed-headers.ts';

/** What the search for the cause of a refusal came to. @experimental */
export interface Finding {
  /** True when a receiver that makes this mistake, and no other here, answers as this one did. */
  readonly proven: boolean;
  readonly text: string;
  /** Requests that were sent for it. */
  readonly requests: number;
}

/** A mistake that a receiver may make: what it would have to be sent for the mistake to go unnoticed. */
interface Suspect {
  readonly mistake: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Finds out why a receiver refuses the latest delivery of an invoice, whatever it is written in: each mistake that
 * receivers make is tried, with a delivery that only a receiver with this mistake accepts. Proven is what is accepted
 * while the right delivery is refused before and after. The receiver sees up to 25 requests; the delivery itself, its
 * attempts and its schedule are left as they are.
 * @internal
 */
export async function searchCause(world: World, invoice: InvoiceRecord): Promise<Finding> {
  const delivery = world.store.deliveries(invoice).at(-1);
  const last = delivery?.log.at(-1);
  if (delivery === undefined || last === undefined || delivery.url === null) {
    throw new ConfigurationError(
      `${shown(invoice.external_id)} has no delivery that was sent: there is nothing to explain`,
    );
  }
  if (last.request === null) throw new ConfigurationError(`Nothing was sent: ${last.error}`);
  const finding = await search(world, delivery, delivery.url);
  delivery.finding = finding.text;
  return finding;
}

async function search(world: World, delivery: DeliveryRecord, url: string): Promise<Finding> {
  let requests = 0;
  const accepts = async (request: SandboxWebhookRequest): Promise<boolean | null> => {
    requests += 1;
    const { status_code, success } = await exchange(world, request);
    return status_code === null ? null : success;
  };
  const right = (): Promise<SandboxWebhookRequest> => signedRequest(world, delivery, url, world.settings.wallClock());
  const first = await accepts(await right());
  if (first === null)
    return { proven: false, text: 'No answer came: this is about the connection, not the signature.', requests };
  if (first) return { proven: false, text: 'The same delivery is accepted now: what refused it has passed.', requests };
  const sample = await right();
  for (const { mistake, headers } of await suspects(world, sample)) {
    if (!(await accepts({ ...sample, headers: { ...sample.headers, ...headers } }))) continue;
    const again = await accepts(await right());
    if (again !== false) break; // it accepts by turns: nothing is proven
    return { proven: true, text: `Proven by trial: ${mistake}`, requests };
  }
  const text =
    'None of the usual mistakes explains it: the secret, the signed text, the spacing of the body and the forms of signature and timestamp were tried. Compare the secret first.';
  return { proven: false, text, requests };
}

const RAW = 'Sign the bytes as they arrived.';

async function suspects(world: World, { headers, body }: SandboxWebhookRequest): Promise<Suspect[]> {
  const { webhookSecret: secret, dialect } = world.settings;
  const stamp = headers['X-Webhook-Timestamp'] ?? '';
  const written = dialect.signatureEncoding.startsWith('hex') ? inHex : inBase64;
  const signed = async (key: string, text: string): Promise<Record<string, string>> => ({
    'X-Webhook-Signature': signatureText(written(await hmac(key, text)), dialect),
  });
  const text = `${stamp}.${body}`;
  const digest = await hmac(secret, text);
  const bare = secret.replace(/^whsec_/, '');
  const now = world.settings.wallClock();
  const stamped = async (other: string): Promise<Record<string, string>> => ({
    ...(await signed(secret, `${other}.${body}`)),
    'X-Webhook-Timestamp': other,
  });
  const found: Suspect[] = [
    {
      mistake: 'the receiver’s secret ends with a line break. Trim it where it is read from a file or the environment.',
      headers: await signed(`${secret}\n`, text),
    },
    {
      mistake: 'the receiver’s secret ends with a Windows line break. Trim it where it is read.',
      headers: await signed(`${secret}\r\n`, text),
    },
    {
      mistake: 'the receiver’s secret begins with a blank. Trim it where it is read.',
      headers: await signed(` ${secret}`, text),
    },
    {
      mistake: 'the receiver’s secret ends with a blank. Trim it where it is read.',
      headers: await signed(`${secret} `, text),
    },
    { mistake: 'the receiver’s secret has quotes around it.', headers: await signed(`"${secret}"`, text) },
    { mistake: 'the receiver’s secret has single quotes around it.', headers: await signed(`'${secret}'`, text) },
    {
      mistake: 'the receiver signs the body alone. The signed text is {timestamp}.{body}.',
      headers: await signed(secret, body),
    },
    {
      mistake: 'the receiver leaves out the dot. The signed text is {timestamp}.{body}.',
      headers: await signed(secret, `${stamp}${body}`),
    },
    ...(bare === secret
      ? []
      : [
          {
            mistake: 'the receiver cuts "whsec_" off the secret. The whole secret is the key.',
            headers: await signed(bare, text),
          },
        ]),
    ...(await Promise.all(
      respelled(body).map(async ([other, how]) => ({
        mistake: `the receiver parses the body and serialises it again (${how}). ${RAW}`,
        headers: await signed(secret, `${stamp}.${other}`),
      })),
    )),
    {
      mistake:
        'the receiver expects the signature in hex. The interface does not show the form: the dialect signatureEncoding plays both.',
      headers: { 'X-Webhook-Signature': inHex(digest) },
    },
    {
      mistake:
        'the receiver expects the signature in base64. The interface does not show the form: the dialect signatureEncoding plays both.',
      headers: { 'X-Webhook-Signature': inBase64(digest) },
    },
    {
      mistake:
        'the receiver expects "sha256=" before the signature. The interface does not show the form: the dialect signaturePrefix plays all.',
      headers: { 'X-Webhook-Signature': `sha256=${inHex(digest)}` },
    },
    {
      mistake:
        'the receiver expects the timestamp in seconds. The interface does not show the form: the dialect timestampFormat plays all.',
      headers: await stamped(String(Math.floor(now / 1000))),
    },
    {
      mistake:
        'the receiver expects the timestamp in milliseconds. The interface does not show the form: the dialect timestampFormat plays all.',
      headers: await stamped(String(now)),
    },
    {
      mistake:
        'the receiver expects the timestamp as ISO 8601. The interface does not show the form: the dialect timestampFormat plays all.',
      headers: await stamped(new Date(now).toISOString()),
    },
  ];
  return found.filter(({ headers: changed }) =>
    Object.entries(changed).some(([name, value]) => headers[name] !== value),
  );
}

/** The body as other languages write the same data. JavaScript's own spelling is what was sent: it cannot be told apart. */
function respelled(body: string): (readonly [text: string, how: string])[] {
  const data: unknown = JSON.parse(body);
  const spaced = body.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) => (token.length === 1 ? `${token} ` : token));
  const ascii = (text: string): string =>
    text.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const sorted = JSON.stringify(Object.fromEntries(Object.entries(data ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))));
  const all: (readonly [string, string])[] = [
    [ascii(spaced), 'with a blank after each comma and colon, as Python does'],
    [sorted, 'with its members sorted'],
    [ascii(body).replaceAll('/', '\\/'), 'with escaped slashes and letters, as PHP does'],
    [JSON.stringify(data, null, 2), 'with line breaks and indents'],
    [`${body}\n`, 'with a line break at its end'],
  ];
  return all.filter(([text]) => text !== body);
}
