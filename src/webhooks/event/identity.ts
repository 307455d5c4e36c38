import { engine } from '../crypto.ts';
import type { InvoiceEvent } from './event-types.ts';
import { rowOf } from './events.ts';
import { normalizedId } from './order-id.ts';

// What makes two deliveries the same event, and what makes a repeat differ.

/**
 * Builds the key of an event: `{namespace/}{invoice_uuid}:paid`, `…:canceled` or `…:unknown:{name}:{status}`. Two
 * deliveries are the same event exactly if their keys are equal.
 *
 * It uses signed content only: X-Webhook-Id is not signed, so a replay could change it. Each part is encoded so that it
 * contains no separator. The key is ASCII of at most 300 characters.
 */
export async function dedupeKey(event: InvoiceEvent, namespace: string | undefined): Promise<string> {
  // Another event may be about no invoice. Its whole body then says which event it is.
  const about = event.invoice_uuid === null ? JSON.stringify(event.raw) : normalizedId(event.invoice_uuid);
  const invoice = await keyPart(about);
  const start = namespace === undefined || namespace === '' ? invoice : `${await keyPart(namespace)}/${invoice}`;
  const row = rowOf(event);
  if (row !== undefined) return `${start}:${row.key}`;
  // The name is a part of the key: a requested refund and an opened dispute are two events, even if their status is the
  // same.
  const name = event.type === 'unknown' ? (event.event_name ?? '') : event.type;
  return `${start}:unknown:${await keyPart(name)}:${await keyPart(event.status ?? '')}`;
}

/** Four parts of this length and their separators make a key of 300 characters, which every database can index. */
const LONGEST_PART = 71;

/**
 * Encodes one part of a key as ASCII without `:` and `/`. Other characters become `%` and four hex digits for each
 * UTF-16 unit, so that NUL and half a surrogate pair, which databases refuse or replace, stay distinct. A long part
 * becomes `sha256=` and its digest. No other encoded part contains a `=`.
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
