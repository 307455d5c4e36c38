import { ConfigurationError } from '../../../errors/classes.ts';
import {
  type Diagnosis,
  diagnoseReply,
  type FoundCause,
  isSearchable,
  searchMistake,
} from '../../../webhooks/diagnose.ts';
import { quoted } from '../option-checks.ts';
import type { DeliveryFault } from '../state/faults.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import { type REQUEST_CHANGES, type SendResult, sendRequest, signedRequest } from './webhook-request.ts';

// Why a delivery was not accepted, from what only the sandbox knows: the faults that it injected, and how it signed.
// The response of the receiver is read by webhooks/diagnose.ts.

/** The faults that change what the receiver gets. */
type ChangingFault = (typeof REQUEST_CHANGES)[number];

const ACCEPTED: Readonly<Record<ChangingFault, readonly [text: string, remedy: string]>> = {
  wrong_signature: [
    'It was signed with another secret on purpose, and was accepted: this endpoint does not check the signature.',
    'Check it, or anybody can mark orders as paid.',
  ],
  late_timestamp: [
    'Its timestamp was ten minutes or more off on purpose, and was accepted: a recorded webhook can be played again.',
    'Refuse timestamps older than 5 minutes.',
  ],
  reserialized: [
    'Its body was rewritten after signing on purpose, and was accepted: the signature is not checked over the raw bytes.',
    'Check the bytes as they arrived.',
  ],
};

/**
 * Why an attempt was not accepted, or what its acceptance shows. Null for an ordinary success.
 *
 * @param repeatsTimestamp True if it repeats the timestamp of an earlier attempt.
 */
export function causeOf(
  result: SendResult,
  url: string,
  fault: DeliveryFault | null,
  repeatsTimestamp: boolean,
): Diagnosis | null {
  const { success, status_code: status, request, problem } = result;
  const ofFault = fault === null ? null : causeOfFault(fault, result);
  if (ofFault !== null) return ofFault;
  if (success) return null;
  if (request === null) {
    const remedy = `Allow it with deliverTo: ["${new URL(url).hostname}"], or use an address of this machine.`;
    return { id: 'not_sent', text: 'Not sent: the sandbox delivers to this machine only.', remedy, isProven: true };
  }
  const { response_body: body, response_headers: headers } = result;
  return diagnoseReply({ url, status, problem, body, headers, repeatsTimestamp });
}

function causeOfFault({ type }: DeliveryFault, { success, status_code: status }: SendResult): Diagnosis | null {
  const onPurpose = { id: 'fault_refused', remedy: null, isProven: true } as const;
  switch (type) {
    case 'outage':
      return { ...onPurpose, text: 'Not sent: the fault outage keeps the endpoint out of reach.' };
    case 'ack_lost':
      return { ...onPurpose, text: 'The receiver got it, and the fault ack_lost lost its response.' };
    case 'duplicate':
    case 'hold':
      return null;
    default: {
      const [text, remedy] = ACCEPTED[type];
      if (success) return { id: 'fault_accepted', text, remedy, isProven: true };
      if (status === null || status < 400 || status > 499) return null;
      return { ...onPurpose, text: `Refused as it should be: the fault ${type} changed this webhook on purpose.` };
    }
  }
}

/**
 * Searches for the reason why a receiver refuses the latest webhook of an invoice, by {@link searchMistake}. The delivery, its
 * attempts and its schedule stay unchanged.
 * @internal
 */
export async function searchCause(world: World, invoice: InvoiceRecord): Promise<FoundCause> {
  const { store, settings } = world;
  const delivery = store.latestDelivery(invoice);
  const last = delivery?.log.at(-1);
  if (delivery === undefined || last === undefined) {
    throw new ConfigurationError(
      `${quoted(invoice.external_id)} has no delivery that was sent, so there is nothing to explain`,
    );
  }
  const { cause } = last;
  if (!last.success && cause !== null && !isSearchable(cause)) return { ...cause, requests: 0 };
  const { webhookSecret: secret, dialect, apiKey } = settings;
  const found = await searchMistake({
    secret,
    encoding: dialect.signatureEncoding,
    apiKey,
    now: () => world.settings.wallClock(),
    right: () => signedRequest(settings, delivery, delivery.url, world.settings.wallClock()),
    async accepts(request) {
      const { status_code, success } = await sendRequest(world, request);
      return status_code === null ? null : success;
    },
  });
  delivery.finding = found;
  return found;
}
