import { isObject, type JsonObject } from '../../contract/json.ts';
import { dateFrom, Problem } from '../../contract/values/scalars.ts';
import { buildEvent } from './decode.ts';
import type { InvoiceEvent } from './event-types.ts';
import { malformed, readMember } from './payload.ts';

/**
 * Restores an event from its JSON form, for a queue between the endpoint and the work.
 *
 * It checks no signature. It therefore takes the JSON form of an {@link InvoiceEvent} only, and refuses the body of a
 * delivery: pass that to {@link verifyWebhook}.
 *
 * @param value The parsed JSON.
 * @throws WebhookVerificationError (`SDK_WEBHOOK_MALFORMED_PAYLOAD`) for anything else.
 * @example
 * const onPaid = (event: InvoiceEvent) => queue.add(JSON.stringify(event));
 * // later, in the worker:
 * const event = parseInvoiceEvent(JSON.parse(job.data));
 */
export function parseInvoiceEvent(value: unknown): InvoiceEvent {
  if (!isObject(value)) throw malformed('it is not a JSON object');
  const source = readMember(value, 'source');
  const type = readMember(value, 'type');
  const raw = readMember(value, 'raw');
  if ((source !== 'webhook' && source !== 'catch_up') || !isObject(raw) || typeof type !== 'string') {
    throw malformed('this is not the JSON of an InvoiceEvent. Pass the body of a delivery to verifyWebhook');
  }
  const origin = {
    source,
    id: textOrNull(value, 'id'),
    signed_at: dateOrNull(value, 'signed_at'),
    secretIndex: indexOrNull(value, 'secretIndex'),
  } as const;
  // A type that this version does not know is an unknown event: a newer version may have written it.
  const event = buildEvent({ inner: value, layers: [], name: type, raw }, origin);
  return type === 'unknown' && event.type === 'unknown'
    ? { ...event, event_name: textOrNull(value, 'event_name') }
    : event;
}

function textOrNull(value: JsonObject, name: string): string | null {
  const text = readMember(value, name) ?? null;
  if (text !== null && typeof text !== 'string') throw malformed(`"${name}" is not text`);
  return text;
}

function dateOrNull(value: JsonObject, name: string): Date | null {
  const text = readMember(value, name) ?? null;
  const date = text === null ? null : dateFrom(text);
  if (date instanceof Problem) throw malformed(`"${name}" ${date.message}`);
  return date;
}

function indexOrNull(value: JsonObject, name: string): number | null {
  const index = readMember(value, name) ?? null;
  if (index === null) return null;
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0)
    throw malformed(`"${name}" is not an index`);
  return index;
}
