import { ConfigurationError } from '../../errors/classes.ts';
import { receiverMistakes } from '../../webhooks/diagnose.ts';
import { engine, hexToBase64 } from '../../webhooks/verify/signature.ts';
import type { Dialect } from '../dialects.ts';
import { shown } from '../option-checks.ts';
import type { Settings } from '../options.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { SandboxWebhookRequest } from '../wire-types.ts';
import type { World } from '../world.ts';
import { isSearchable } from './cause.ts';
import { exchange } from './send.ts';
import { signatureText, signedRequest } from './signed-request.ts';

/** The result of the search for the cause of a refusal. @experimental */
export interface FoundCause {
  /** True if the receiver accepted a request that only a receiver with this mistake accepts. */
  readonly proven: boolean;
  /** The mistake and its remedy, or the reason why none was found. */
  readonly text: string;
  /** The number of requests that the receiver got. */
  readonly requests: number;
}

/** A mistake of a receiver, and the headers that a receiver with this mistake accepts. */
interface Suspect {
  readonly mistake: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Searches for the reason why a receiver refuses the latest delivery of an invoice.
 *
 * For each usual mistake it sends a request that only a receiver with this mistake accepts. A mistake is proven if that
 * request is accepted, and the correct one is refused before and after it. The receiver gets up to 25 requests. The
 * delivery, its attempts and its schedule stay unchanged.
 * @internal
 */
export async function searchCause(world: World, invoice: InvoiceRecord): Promise<FoundCause> {
  const delivery = world.store.deliveries(invoice).at(-1);
  const last = delivery?.log.at(-1);
  if (delivery === undefined || last === undefined) {
    throw new ConfigurationError(
      `${shown(invoice.external_id)} has no delivery that was sent, so there is nothing to explain`,
    );
  }
  if (last.request === null) throw new ConfigurationError(`Nothing was sent: ${last.error}`);
  if (!last.success && last.status_code !== null && !isSearchable(last)) {
    const failed = `It answered ${last.status_code}, which is no refusal of a signature. Its own log has the reason.`;
    return { proven: false, text: last.why ?? failed, requests: 0 };
  }
  const finding = await search(world, delivery, delivery.url);
  delivery.finding = finding.text;
  return finding;
}

function search(world: World, delivery: DeliveryRecord, url: string): Promise<FoundCause> {
  const { settings } = world;
  return findMistake({
    settings,
    apiKey: settings.apiKey,
    right: () => signedRequest(settings, delivery, url, settings.wallClock()),
    async accepts(request) {
      const { status_code, success } = await exchange(world, request);
      return status_code === null ? null : success;
    },
  });
}

/** A receiver on trial. */
interface Trial {
  readonly settings: Pick<Settings, 'webhookSecret' | 'dialect' | 'wallClock'>;
  /** Tried as the secret, because the two are mixed up. */
  readonly apiKey: string | undefined;
  /** Builds the correct request, signed now. */
  readonly right: () => Promise<SandboxWebhookRequest>;
  /** Sends a request. Null if no answer came. */
  readonly accepts: (request: SandboxWebhookRequest) => Promise<boolean | null>;
}

/** Searches for the mistake of a receiver by trial, as {@link searchCause}. @internal */
export async function findMistake({ settings, apiKey, right, accepts: ask }: Trial): Promise<FoundCause> {
  let requests = 0;
  const accepts = (request: SandboxWebhookRequest): Promise<boolean | null> => {
    requests += 1;
    return ask(request);
  };
  const first = await accepts(await right());
  if (first === null)
    return { proven: false, text: 'No answer came: this is about the connection, not the signature.', requests };
  if (first)
    return { proven: false, text: 'The same delivery is accepted now: the cause of the refusal has ended.', requests };
  const sample = await right();
  for (const { mistake, headers } of await suspects(settings, sample, apiKey)) {
    if (!(await accepts({ ...sample, headers: { ...sample.headers, ...headers } }))) continue;
    const again = await accepts(await right());
    if (again !== false) break; // it accepts and refuses the same request, so nothing is proven
    return { proven: true, text: `Proven by trial: ${mistake}`, requests };
  }
  const text =
    'None of the usual mistakes explains it. Tried were the secret, the signed text, the spacing of the body and the forms of signature and timestamp. Compare the secret first.';
  return { proven: false, text, requests };
}

/** The requests that only a receiver with one mistake accepts, or with one reading of what the interface leaves open. */
async function suspects(
  { webhookSecret, dialect, wallClock }: Trial['settings'],
  { headers, body }: SandboxWebhookRequest,
  apiKey: string | undefined,
): Promise<Suspect[]> {
  const timestamp = headers['X-Webhook-Timestamp'] ?? '';
  const hmac = async (key: string, text: string): Promise<string> => await engine().hmac(key, text, new Uint8Array());
  const signed = async (key: string, text: string): Promise<Readonly<Record<string, string>>> => {
    const hex = await hmac(key, text);
    const plain = dialect.signatureEncoding === 'hex' ? hex : hexToBase64(hex);
    return { 'X-Webhook-Signature': signatureText(plain, dialect) };
  };
  const mistakes = receiverMistakes({ secret: webhookSecret, apiKey, timestamp, body }).map(
    async ({ mistake, secret, text }): Promise<Suspect> => ({ mistake, headers: await signed(secret, text) }),
  );
  const expects = (form: string, name: keyof Dialect): string =>
    `the receiver expects ${form}. The interface does not show the form: the dialect ${name} plays all.`;
  const digest = await hmac(webhookSecret, `${timestamp}.${body}`);
  const signatures = [
    ['the signature in hex', digest, 'signatureEncoding'],
    ['the signature in base64', hexToBase64(digest), 'signatureEncoding'],
    ['"sha256=" before the signature', `sha256=${digest}`, 'signaturePrefix'],
  ] as const;
  const now = wallClock();
  const stamps = [
    ['the timestamp in seconds', String(Math.floor(now / 1000))],
    ['the timestamp in milliseconds', String(now)],
    ['the timestamp as ISO 8601', new Date(now).toISOString()],
  ] as const;
  const found = await Promise.all([
    ...mistakes,
    ...signatures.map(([form, signature, name]) => ({
      mistake: expects(form, name),
      headers: { 'X-Webhook-Signature': signature },
    })),
    ...stamps.map(async ([form, stamp]) => ({
      mistake: expects(form, 'timestampFormat'),
      headers: { ...(await signed(webhookSecret, `${stamp}.${body}`)), 'X-Webhook-Timestamp': stamp },
    })),
  ]);
  // A suspect that changes no header is the correct request.
  return found.filter(({ headers: changed }) =>
    Object.entries(changed).some(([name, value]) => headers[name] !== value),
  );
}
