import { engine } from '../crypto.ts';
import type { InvoiceEvent } from './event-types.ts';
import { EVENT_ROWS, rowOf } from './events.ts';
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
  const start = await startOfKey(event.invoice_uuid ?? JSON.stringify(event.raw), namespace);
  const row = rowOf(event);
  if (row !== undefined) return `${start}:${row.key}`;
  // The name is a part of the key: a requested refund and an opened dispute are two events, even if their status is the
  // same.
  const name = event.type === 'unknown' ? (event.event_name ?? '') : event.type;
  return `${start}:unknown:${await keyPart(name)}:${await keyPart(event.status ?? '')}`;
}

async function startOfKey(about: string, namespace: string | undefined): Promise<string> {
  const invoice = await keyPart(normalizedId(about));
  return namespace === undefined || namespace === '' ? invoice : `${await keyPart(namespace)}/${invoice}`;
}

/** The key of a payload that cannot be read whole, from its uuid and its status. Null if these do not say it. */
export async function keyOf(
  invoice_uuid: string | null,
  status: string | null,
  namespace: string | undefined,
): Promise<string | null> {
  const row = EVENT_ROWS.find(({ statuses }) => statuses.some((known) => known === status));
  return invoice_uuid === null || row === undefined ? null : `${await startOfKey(invoice_uuid, namespace)}:${row.key}`;
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

/** A digest in two parts of 30 and 31 hex digits: 64 characters with the version in front. */
const DIGEST = /^2\.([0-9a-f]{30})\.([0-9a-f]{31})$/;

/** The digest of the external_id, and of the values that the merchant acts on. */
export async function eventDigest(event: InvoiceEvent): Promise<string> {
  const { external_id, amount, credited_usdt, adjusted, status } = event;
  const { sha256 } = engine();
  const order = await sha256(external_id ?? '');
  const values = [amount?.toFixed() ?? null, credited_usdt?.toFixed() ?? null, adjusted, status];
  return `2.${order.slice(0, 30)}.${(await sha256(JSON.stringify(values))).slice(0, 31)}`;
}

/**
 * How an event differs from the one that was done under the same key. `order`: it is another one, so the stores of two
 * businesses or of two sandboxes are one. A digest of another version is not compared.
 */
export function digestDifference(done: string, now: string): 'order' | 'values' | null {
  const [before, after] = [DIGEST.exec(done), DIGEST.exec(now)];
  if (before === null || after === null) return null;
  if (before[1] !== after[1]) return 'order';
  return before[2] === after[2] ? null : 'values';
}
