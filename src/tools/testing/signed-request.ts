import { isBytes, kindOf } from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import type { InvoiceEvent } from '../../webhooks/event/event-types.ts';
import { type SignWebhookOptions, signWebhook } from '../../webhooks/verify/signature.ts';
import { type FakePaidEventOverrides, fakePaidEvent, wireOf } from './fake-data.ts';

/** The secret that {@link signedRequest} signs with. Give it to the receiver under test. */
export const FAKE_WEBHOOK_SECRET = 'whsec_sandbox_fake_0123456789';

/** The body of a delivery: an event, members of a paid event, or the exact text or bytes. */
export type DeliveryBody = InvoiceEvent | FakePaidEventOverrides | string | Uint8Array;

/**
 * Options of {@link signedRequest}.
 *
 * @example
 * const request = await signedRequest(fakePaidEvent(), { secret, url: 'https://shop.example/webhook' });
 */
export interface SignedRequestOptions extends SignWebhookOptions {
  /** The webhook secret of the receiver. @defaultValue {@link FAKE_WEBHOOK_SECRET} */
  readonly secret?: string | Uint8Array | undefined;
  /** The address of the receiver. @defaultValue `'http://localhost/webhook'` */
  readonly url?: string | undefined;
}

/**
 * A `Request` that the receiver accepts: signed with the current time, as the service signs. For receivers that
 * take a `Request`, such as a route of Next or Hono and `toFetchHandler`. Its method, headers and body also fit test
 * clients such as supertest and `app.inject`, and `handler.handle`. `signWebhook` makes the headers alone.
 *
 * The body is made of the members of the event, so an event that was changed with a spread is sent as changed.
 *
 * @param content An event, members of a paid event, or a body that is signed as it is.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable secret, option or content.
 * @example
 * const response = await receive(await signedRequest(fakePaidEvent({ external_id: 'order-1042' })));
 */
export async function signedRequest(content: DeliveryBody, options: SignedRequestOptions = {}): Promise<Request> {
  const { url = 'http://localhost/webhook', secret = FAKE_WEBHOOK_SECRET, ...signing } = options;
  const event = typeof content === 'string' || isBytes(content) ? null : eventOf(content);
  const body = event === null ? (content as string | Uint8Array) : bodyOf(event); // the other forms of the content
  const id = signing.id ?? event?.id ?? undefined;
  const headers = await signWebhook(body, secret, { ...signing, id });
  return new Request(url, { method: 'POST', headers, body: typeof body === 'string' ? body : body.slice() });
}

function eventOf(content: unknown): InvoiceEvent {
  if (typeof content !== 'object' || content === null) {
    throw new ConfigurationError(`A delivery needs an event, members of one, or a body, not ${kindOf(content)}.`);
  }
  // An event has a type, which the members of a fake do not have.
  return 'type' in content ? (content as InvoiceEvent) : fakePaidEvent(content);
}

/** The body that the receiver decodes as this event. */
function bodyOf(event: InvoiceEvent): string {
  const { type, invoice_uuid, external_id, status, amount, credited_usdt, adjusted, original_amount } = event;
  const paid = type === 'invoice.canceled' ? {} : { credited_usdt, adjusted, original_amount };
  const name = type === 'unknown' ? event.event_name : type;
  return JSON.stringify(wireOf({ type: name, invoice_uuid, external_id, status, amount, ...paid }));
}
