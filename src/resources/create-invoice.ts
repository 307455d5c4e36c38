import { endpoints } from '../contract/endpoints.ts';
import {
  type CreatedInvoice,
  type CreateInvoiceParams,
  chargeDifferences,
  type Invoice,
  textDifferences,
} from '../contract/invoices.ts';
import { isRenewalId } from '../contract/orders.ts';
import { isMadeOfMissing } from '../contract/parameters.ts';
import { codePoints, isLoopback } from '../contract/values/scalars.ts';
import { hasCode, isMerchantError } from '../errors/guards.ts';
import { hideIn } from '../errors/hide.ts';
import { warnOnce } from '../errors/notify.ts';
import type { IdentProof } from '../lookup/by-path.ts';
import { finish, open } from '../transport/call.ts';
import { sentences } from '../transport/error-response.ts';
import { aborted, toError } from '../transport/failure.ts';
import { send } from '../transport/send.ts';
import type {
  ClientCore,
  CompleteOptions,
  Failure,
  OpenCall,
  Result,
  Success,
  WrongOptions,
} from '../transport/types.ts';
import { findTaken, InvoiceReader } from './order-invoices.ts';

// Creation is idempotent on external_id. Where it is taken, the existing invoice is read back and compared:
//
// | the existing invoice                                          | result                                      |
// |---------------------------------------------------------------|---------------------------------------------|
// | the same charge, pending, each text that was sent is the same | returned, if an attempt of this call ended  |
// | or null there                                                 | unknown: it may have created the invoice    |
// | the same charge                                               | the conflict, with `existing`               |
// | another charge                                                | the conflict: this call created nothing     |
//
// No times are compared.

type CreationBody = NonNullable<(typeof endpoints)['invoices.create']['body']>;

/** The check of the body of a creation for an order: its id must not be one that a renewal gets. */
export function bodyOfOrder(check: CreationBody | undefined, longest: number): CreationBody {
  return (value) => {
    const checked = check?.(value) ?? { ok: true, value: {} };
    if (!checked.ok) return checked;
    const { external_id: order = '' } = checked.value;
    const refuse = (message: string) => ({ ok: false, issues: [{ path: 'external_id', message }] }) as const;
    if (isRenewalId(order))
      return refuse(
        'must not end in -- and a number from 1 to 99: createOrRenew gives such ids to renewals of an order',
      );
    return codePoints(order) > longest
      ? refuse(`must have at most ${longest} characters, so that a renewal has room for its suffix`)
      : checked;
  };
}

const create = endpoints['invoices.create'];
const createFirst = { ...create, body: bodyOfOrder(create.body, 128) };

/** Creates an invoice, and reads it back if the order has one already. */
export async function createInvoice(
  client: ClientCore,
  proof: IdentProof,
  params: CreateInvoiceParams,
  settings: CompleteOptions | WrongOptions,
): Promise<Success<CreatedInvoice>> {
  const call = open(client, createFirst, { body: params, settings });
  warnOfTexts(call);
  return finish(call, createOrRecover(call, proof));
}

async function createOrRecover(call: OpenCall<CreatedInvoice>, proof: IdentProof): Promise<Result<CreatedInvoice>> {
  const sent = await send(call);
  return sent.ok || !isConflict(sent) ? sent : recover(call, sent, proof);
}

/** The existing invoice if this call may have created it. Throws the conflict with all known facts otherwise. */
async function recover(
  call: OpenCall<CreatedInvoice>,
  conflict: Failure,
  proof: IdentProof,
): Promise<Success<CreatedInvoice>> {
  const found = await readExisting(call, conflict, proof);
  const { value: invoice } = found;
  const others = chargeDifferences(call.sent, invoice);
  if (others.length > 0) {
    const advice = `The existing invoice has another ${others.join(' and ')}. Give each charge a separate external_id.`;
    throw toError(call, { ...conflict, outcome: 'rejected' }, { advice });
  }
  const { created, differences } = compareTexts(call, conflict, invoice);
  if (created) return { ...found, recovered: true };
  const advice = sentences(
    call.endpoint.conflict?.advice ?? '',
    conflict.outcome === 'unknown' ? whyUnknown(invoice, differences) : '',
  );
  throw toError(call, conflict, { advice, existing: hideIn(invoice, found.response.hide) });
}

/** Why it stays unknown whether an attempt of this call created the invoice. */
function whyUnknown({ status }: Invoice, differences: readonly string[]): string {
  const start = 'An attempt of this call that got no response may have created it:';
  return status === 'pending'
    ? `${start} its ${differences.join(' and ')} differs from what was sent.`
    : `${start} it may have been paid or have ended meanwhile.`;
}

/** True for the error response for an order that has an invoice already. */
export function isConflict({ facts }: Failure): boolean {
  return facts.is === 'error_response' && facts.kind === 'conflict';
}

/**
 * Reads the existing invoice. `attempts` counts the requests of the creation and of the reading.
 *
 * @throws The conflict, if the invoice cannot be read.
 */
export async function readExisting(
  call: OpenCall<CreatedInvoice>,
  conflict: Failure,
  proof: IdentProof,
): Promise<Success<Invoice>> {
  const { attempts, outcome } = conflict;
  const reader = new InvoiceReader(call);
  const { external_id = '', currency } = call.sent;
  const existing = await findTaken(reader, proof, external_id, currency).catch((error: unknown) => {
    if (!isMerchantError(error)) throw error;
    if (hasCode(error, 'SDK_ABORTED')) {
      const failure = aborted(error.reason, outcome, ' while the existing invoice was read');
      throw toError(call, { ...failure, attempts, stoppedBy: 'aborted' });
    }
    const note = `The existing invoice could not be read (${error.code}).`;
    throw toError(call, conflict, { advice: note, cause: error });
  });
  if (existing === null) {
    const note =
      'The existing invoice could not be read: it was found neither by its external_id nor in the pages of the list that were read.';
    throw toError(call, conflict, { advice: note });
  }
  return { ...existing, attempts: attempts.length + reader.requests };
}

/**
 * Compares the texts of an invoice that is the same charge. `created` is true if an attempt of this call may have made
 * the invoice.
 */
export function compareTexts(
  call: OpenCall<CreatedInvoice>,
  { outcome }: Failure,
  invoice: Invoice,
): { readonly created: boolean; readonly differences: ReturnType<typeof textDifferences> } {
  const differences = textDifferences(call.sent, invoice);
  const isPossible = outcome === 'unknown' && invoice.status === 'pending';
  if (differences.includes('callback_url') && invoice.status === 'pending') {
    const text =
      'the pending invoice of an order has another callback_url, so its webhook goes to that address. If two environments share a business, give their order ids a prefix. This is printed once.';
    warnOnce('another callback_url', text, call.client.printed);
  }
  return { created: isPossible && differences.every((name) => invoice[name] === null), differences };
}

/**
 * Warns once of texts of a creation that are allowed and probably a mistake: one that was made of a missing value, which
 * may also be the name of a customer, and a webhook address that only this machine can reach, at a service on another.
 */
export function warnOfTexts({ client, sent }: OpenCall<CreatedInvoice>): void {
  for (const name of ['customer_id', 'purpose'])
    if (isMadeOfMissing(sent[name] ?? ''))
      warnOnce(
        `${name} of nothing`,
        `${name} seems to be made of a missing value: it has a word such as undefined or [object Object] in it. This is printed once.`,
        client.printed,
      );
  const { callback_url: address } = sent;
  if (address === undefined || client.hasOwnFetch || !isLoopback(new URL(address).hostname)) return;
  const { hostname } = new URL(client.baseUrl);
  if (isLoopback(hostname) || hostname.endsWith('.invalid')) return;
  const text =
    'callback_url is on localhost, and the service is on another machine: its webhooks will not arrive. Give a public address, such as the address of a tunnel. This is printed once.';
  warnOnce('callback_url on localhost', text, client.printed);
}
