import { namedEvent } from '../event/event-name.ts';
import type { InvoiceEvent, UnknownInvoiceEvent } from '../event/events.ts';
import { innerPayload } from '../event/payload-names.ts';
import { plainId } from '../event/uuid-form.ts';
import { engine } from '../verify/hmac.ts';

/**
 * The key of an event: `{namespace/}{invoice_uuid}:paid`, `…:canceled` or `…:unknown:{name}:{status}`. Two deliveries
 * are the same event exactly when their keys are equal.
 *
 * Signed content only: X-Webhook-Id and X-Webhook-Event are outside the signature, so a replay could change them. Each
 * part is encoded so that it holds no separator, the whole is ASCII of at most 300 characters, and no two events share a key.
 */
export async function dedupeKey(event: InvoiceEvent, namespace: string | undefined): Promise<string> {
  const invoice = await keyPart(plainId(event.invoice_uuid));
  const start = namespace === undefined || namespace === '' ? '' : `${await keyPart(namespace)}/`;
  if (event.type === 'invoice.paid') return `${start}${invoice}:paid`;
  if (event.type === 'invoice.canceled') return `${start}${invoice}:canceled`;
  // A refund that was requested and a dispute that was opened are two events, also when both have status `pending`.
  return `${start}${invoice}:unknown:${await keyPart(signedName(event))}:${await keyPart(event.status)}`;
}

/** An event with a pinned name is not unknown, so pins change no name here. */
const NO_PINS = new Map();

function signedName({ raw }: UnknownInvoiceEvent): string {
  const named = namedEvent(raw, innerPayload(raw), NO_PINS);
  if (named === null) return '';
  return 'unknown' in named ? named.unknown : named.events.join(' ');
}

/** What a store may have to index without trouble: five parts of this length make a key of 300 characters. */
const LONGEST_PART = 71;

/**
 * One part as ASCII without `:` and `/`. Other characters become `%` and four digits for each UTF-16 unit, so that half
 * a surrogate pair and NUL, which databases refuse or replace, stay what they are. A long part becomes its digest,
 * behind a `=`, which no encoded part holds.
 */
async function keyPart(text: string): Promise<string> {
  const encoded = text.replace(/[^A-Za-z0-9._-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return encoded.length <= LONGEST_PART ? encoded : `sha256=${await engine().sha256(encoded)}`;
}

/** Digest of what the merchant acts on. A duplicate with another digest is not a duplicate to be silent about. */
export async function eventDigest(event: InvoiceEvent): Promise<string> {
  const { amount, credited_usdt, adjusted, status } = event;
  return await engine().sha256(
    JSON.stringify([amount?.toFixed() ?? null, credited_usdt?.toFixed() ?? null, adjusted, status]),
  );
}
