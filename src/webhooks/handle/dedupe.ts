import { EVENTS } from '../../contract/statuses.ts';
import { readEventName } from '../event/event-name.ts';
import type { InvoiceEvent, UnknownInvoiceEvent } from '../event/events.ts';
import { normalizedId } from '../event/order-id.ts';
import { innerPayload } from '../event/payload.ts';
import { NO_PINNED_NAMES } from '../event/pinned-names.ts';
import { engine } from '../verify/hmac.ts';

/**
 * Builds the key of an event: `{namespace/}{invoice_uuid}:paid`, `…:canceled` or `…:unknown:{name}:{status}`. Two
 * deliveries are the same event exactly if their keys are equal.
 *
 * It uses signed content only: X-Webhook-Id and X-Webhook-Event are not signed, so a replay could change them. Each part
 * is encoded so that it contains no separator. The key is ASCII of at most 300 characters, and no two events share one.
 */
export async function dedupeKey(event: InvoiceEvent, namespace: string | undefined): Promise<string> {
  const invoice = await keyPart(normalizedId(event.invoice_uuid));
  const start = namespace === undefined || namespace === '' ? invoice : `${await keyPart(namespace)}/${invoice}`;
  if (event.type !== 'unknown') return `${start}:${EVENTS[event.type].key}`;
  // With the name: a requested refund and an opened dispute are two events, even if both have the status `pending`.
  return `${start}:unknown:${await keyPart(signedName(event))}:${await keyPart(event.status)}`;
}

function signedName({ raw }: UnknownInvoiceEvent): string {
  const name = readEventName(raw, innerPayload(raw), NO_PINNED_NAMES); // an event with a pinned name is not unknown
  if (name === null) return '';
  return 'unknown' in name ? name.unknown : name.events.join(' ');
}

/** Four parts of this length and their separators make a key of 300 characters, which every database can index. */
const LONGEST_PART = 71;

/**
 * Encodes one part as ASCII without `:` and `/`. Other characters become `%` and four hex digits for each UTF-16 unit. Half
 * a surrogate pair and NUL, which databases refuse or replace, therefore stay distinct. A long part becomes its digest
 * after a `=`, which no encoded part contains.
 */
async function keyPart(text: string): Promise<string> {
  const encoded = text.replace(/[^A-Za-z0-9._-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return encoded.length <= LONGEST_PART ? encoded : `sha256=${await engine().sha256(encoded)}`;
}

/** The digest of the values that the merchant acts on. A duplicate with another digest is reported. */
export async function eventDigest(event: InvoiceEvent): Promise<string> {
  const { amount, credited_usdt, adjusted, status } = event;
  return await engine().sha256(
    JSON.stringify([amount?.toFixed() ?? null, credited_usdt?.toFixed() ?? null, adjusted, status]),
  );
}
