import { dateFrom, Problem } from '../../contract/values/scalars.ts';
import { WebhookVerificationError } from '../../errors/classes.ts';
import { eventFrom, malformed } from './event-decoder.ts';
import type { NamedEvent } from './event-name.ts';
import type { InvoiceEvent } from './events.ts';
import { isPayload, own, type Payload } from './payload-names.ts';

/**
 * Gives back an event that went through JSON, for a queue between the endpoint and the work:
 * `parseInvoiceEvent(JSON.parse(JSON.stringify(event)))`. It checks no signature, so it takes our own JSON form only
 * and refuses the body of a delivery: that goes through `verifyWebhook`.
 *
 * @throws WebhookVerificationError `malformed_payload`
 */
export function parseInvoiceEvent(value: unknown): InvoiceEvent {
  try {
    return eventOf(value);
  } catch (error) {
    if (error instanceof WebhookVerificationError) throw error;
    throw malformed('it cannot be read'); // a getter or a proxy that throws
  }
}

function eventOf(value: unknown): InvoiceEvent {
  if (!isPayload(value)) throw malformed('it is not a JSON object');
  const source = own(value, 'source');
  const type = own(value, 'type');
  const raw = own(value, 'raw');
  if ((source !== 'webhook' && source !== 'catch_up') || !isPayload(raw)) {
    throw malformed('this is not the JSON of an InvoiceEvent; the body of a delivery goes through verifyWebhook');
  }
  if (type !== 'invoice.paid' && type !== 'invoice.canceled' && type !== 'unknown') {
    throw malformed('"type" is none of invoice.paid, invoice.canceled, unknown');
  }
  const status = own(value, 'status');
  if (typeof status !== 'string' || status === '') throw malformed('"status" is not text, or missing');
  const named: NamedEvent = type === 'unknown' ? { unknown: type } : { events: [type] };
  const event = eventFrom(
    { inner: value, root: value, status, named, raw },
    {
      source,
      id: textOrNull(value, 'id'),
      signed_at: dateOrNull(value, 'signed_at'),
      secretIndex: indexOrNull(value, 'secretIndex'),
      headerName: null,
    },
  );
  return event.type === 'unknown' ? { ...event, event_name: textOrNull(value, 'event_name') } : event;
}

function textOrNull(value: Payload, name: string): string | null {
  const text = own(value, name) ?? null;
  if (text !== null && typeof text !== 'string') throw malformed(`"${name}" is not text`);
  return text;
}

function dateOrNull(value: Payload, name: string): Date | null {
  const text = own(value, name) ?? null;
  const date = text === null ? null : dateFrom(text);
  if (date instanceof Problem) throw malformed(`"${name}" ${date.message}`);
  return date;
}

function indexOrNull(value: Payload, name: string): number | null {
  const index = own(value, name) ?? null;
  if (index === null) return null;
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0)
    throw malformed(`"${name}" is not an index`);
  return index;
}
