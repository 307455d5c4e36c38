import { engine } from '../../../webhooks/crypto.ts';
import { fingerprintOf } from '../../../webhooks/verify/why.ts';
import type { DeliveryFault } from '../state/faults.ts';
import type { World } from '../world.ts';
import { type Diagnosis, diagnoseReply } from './diagnose.ts';
import type { REQUEST_CHANGES, SendResult } from './webhook-request.ts';

// Why a delivery was not accepted, from what only the sandbox knows: the faults that it injected, and how it signed.
// The response of the receiver is read by diagnose.ts.

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
export async function causeOf(
  { settings }: Pick<World, 'settings'>,
  result: SendResult,
  url: string,
  fault: DeliveryFault | null,
  repeatsTimestamp: boolean,
): Promise<Diagnosis | null> {
  const { success, status_code: status, request, problem } = result;
  const ofFault = fault === null ? null : causeOfFault(fault, result);
  if (ofFault !== null) return ofFault;
  if (success) return null;
  if (request === null) {
    const remedy = `Allow it with deliverTo: ["${new URL(url).hostname}"], or use an address of this machine.`;
    return { id: 'not_sent', text: 'Not sent: the sandbox delivers to this machine only.', remedy, isProven: true };
  }
  const { response_body: body, response_headers: headers } = result;
  return diagnoseReply({
    url,
    status,
    problem,
    body,
    headers,
    repeatsTimestamp,
    sentSha256: await engine().sha256(request.body),
    secretFingerprint: await fingerprintOf(settings.webhookSecret),
  });
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
