import { engine } from '../../../webhooks/crypto.ts';
import { fingerprintOf } from '../../../webhooks/verify/why.ts';
import { type DeliveryFault, FAULTS } from '../state/faults.ts';
import type { World } from '../world.ts';
import { type Diagnosis, diagnoseReply, diagnoseSuccess } from './diagnose.ts';
import type { SendResult } from './webhook-request.ts';

// Why a delivery was not accepted, from what only the sandbox knows: the faults that it injected, and how it signed.
// The response of the receiver is read by diagnose.ts.

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
  if (success) return diagnoseSuccess(url, result.response_body);
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
  const onPurpose = (text: string): Diagnosis => ({ id: 'fault_refused', text, remedy: null, isProven: true });
  if (type === 'outage') return onPurpose('Not sent: the fault outage keeps the endpoint out of reach.');
  if (type === 'ack_lost') return onPurpose('The receiver got it, and the fault ack_lost lost its response.');
  const { accepted } = FAULTS[type];
  if (accepted === undefined) return null;
  if (success) return { id: 'fault_accepted', ...accepted, isProven: true };
  if (status === null || status < 400 || status > 499) return null;
  return onPurpose(`Refused as it should be: the fault ${type} changed this webhook on purpose.`);
}
