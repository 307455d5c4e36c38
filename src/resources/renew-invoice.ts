import { endpoints } from '../contract/endpoints.ts';
import {
  type ChargeMember,
  type ComparedText,
  type CreatedInvoice,
  type CreateInvoiceParams,
  chargeDifferences,
  type OrderInvoice,
  saysNoMethod,
} from '../contract/invoices.ts';
import { RENEWALS_MAX, renewalId } from '../contract/orders.ts';
import { InvoiceMismatchError } from '../errors/classes.ts';
import type { AttemptRecord } from '../errors/codes.ts';
import { hideIn } from '../errors/hide.ts';
import { printable } from '../errors/printable.ts';
import type { IdentProof } from '../lookup/by-path.ts';
import { finish, open } from '../transport/call.ts';
import { sentences } from '../transport/error-response.ts';
import { toError } from '../transport/failure.ts';
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
import { bodyOfOrder, compareTexts, isConflict, readExisting, warnOfTexts } from './create-invoice.ts';
import type { FoundInvoice } from './order-invoices.ts';

// An order has a first invoice, and renewals of it. The search always begins with the first one, because an earlier
// invoice may be paid late:
//
// | the invoice                        | result                                                       |
// |------------------------------------|--------------------------------------------------------------|
// | does not exist                     | it is created                                                |
// | fail, expired, canceled            | the next one, also where its amount was another              |
// | pending, and over: see `isOver`    | the next one, in the same way                                |
// | any other status, the same charge  | it is returned: pending, paid, adjusted, or not known        |
// | any other status, another charge   | InvoiceMismatchError                                         |
//
// A service may answer a creation with an invoice that it had before: a status that no new invoice has says so. A conflict
// whose details say that the invoice ended unpaid needs no read.

/** The result of {@link Invoices.createOrRenew}. */
export interface CreateOrRenewResult {
  /** The pending invoice of the order, or the one that paid it: look at its `status`. */
  readonly invoice: OrderInvoice;
  /** The id of the order, as it was given. */
  readonly order: string;
  /** 0 for the first invoice of the order, 1 for its first renewal, at most 49. */
  readonly renewal: number;
  /**
   * True for an invoice that this call created, or may have created by an attempt that got no response. Two calls at the
   * same time may both say true, so do not send a mail because of it.
   */
  readonly created: boolean;
  /**
   * The texts in which an existing invoice differs from the parameters: `callback_url`, `success_url`, `fail_url`,
   * `purpose`. The webhooks of the invoice go to the `callback_url` of the invoice.
   */
  readonly differences: readonly ComparedText[];
}

/** `--49` is the longest suffix. */
const ORDER_MAX = 124;
const SETTLING = 3_600_000;

const create = { ...endpoints['invoices.create'], operation: 'invoices.createOrRenew' } as const;
const createFirst = { ...create, body: bodyOfOrder(create.body, ORDER_MAX) };
const createNext = {
  ...create,
  hint: (sent: OpenCall<unknown>['sent'], fields: readonly string[]): string =>
    sentences(
      create.hint?.(sent, fields) ?? '',
      fields.includes('external_id')
        ? `The suffix of ${printable(JSON.stringify(sent['external_id'] ?? ''))} comes from createOrRenew, which adds it to the id of a renewal. If the service accepts no such ids, give a new order id.`
        : '',
    ),
};

/** Finds the payable or paid invoice of an order, or creates one. */
export async function renewInvoice(
  client: ClientCore,
  proof: IdentProof,
  params: CreateInvoiceParams,
  settings: CompleteOptions | WrongOptions,
): Promise<Success<CreateOrRenewResult>> {
  const first = open(client, createFirst, { body: params, settings });
  warnOfTexts(first);
  return finish(first, findPayable(first, proof));
}

async function findPayable(first: OpenCall<CreatedInvoice>, proof: IdentProof): Promise<Result<CreateOrRenewResult>> {
  const { client, sent } = first;
  const order = sent['external_id'] ?? '';
  let failed: readonly AttemptRecord[] = [];
  let reads = 0;
  for (let renewal = 0; ; renewal += 1) {
    const body = { ...sent, external_id: renewalId({ order, renewal }) };
    const call = renewal === 0 ? first : open(client, createNext, { body, within: first });
    const result = await send(call);
    if (result.ok) {
      const { status } = result.value;
      const wasThere = status === 'success' || isEndedUnpaid(status);
      if (isEndedUnpaid(status) && renewal < RENEWALS_MAX) {
        reads += result.attempts;
        continue;
      }
      const value = { invoice: result.value, order, renewal, created: !wasThere, differences: [] };
      return { ...result, attempts: failed.length + reads + result.attempts, value };
    }
    failed = [...failed, ...result.attempts];
    // The service has answered for an earlier invoice, so the whole call was sent.
    const outcome = renewal > 0 && result.outcome === 'not_sent' ? 'rejected' : result.outcome;
    const failure = { ...result, attempts: failed, outcome };
    if (!isConflict(result)) throw toError(call, failure);
    const found = isEndedUnpaid(statusIn(result, call)) ? null : await readExisting(call, failure, proof);
    if (found !== null && !isEndedUnpaid(found.value.status) && !isOver(found)) {
      const { value: invoice } = found;
      const others = chargeDifferences(call.sent, invoice);
      if (others.length > 0) throw mismatch(call, failed, found, others);
      const { created, differences } = compareTexts(call, failure, invoice);
      const value = { invoice, order, renewal, created, differences };
      return { ...found, attempts: reads + found.attempts, recovered: created, value };
    }
    if (found !== null) reads += found.attempts - failed.length;
    if (renewal === RENEWALS_MAX)
      throw toError(call, failure, { advice: TRIED_OUT, ...(found !== null && { existing: found.value }) });
  }
}

const TRIED_OUT = `The order has ${RENEWALS_MAX} renewals that ended unpaid: use a new order id.`;

/** The status of the existing invoice in the details of a conflict. Null if they do not say it. */
function statusIn({ facts }: Failure, { endpoint }: OpenCall<unknown>): string | null {
  if (facts.is !== 'error_response' || facts.namesAnotherOrder) return null;
  return endpoint.conflict?.read(facts.body.details).existingStatus ?? null;
}

function isEndedUnpaid(status: string | null): boolean {
  return status === 'fail' || status === 'expired' || status === 'canceled';
}

/**
 * Whether a pending invoice can no longer be paid: its end is past, and nobody has chosen a method, or it is past by an
 * hour. Until then a payment that began before the end may settle, and a second link would charge twice. Times are the
 * service's: without a Date header of the read the end is not past, whatever the local clock says.
 */
function isOver({ value: { uuid, status, expires_at }, response }: Success<CreatedInvoice>): boolean {
  const now = Date.parse(response.headers.get('date') ?? '');
  const late = now - expires_at.getTime();
  if (status !== 'pending' || !(late > 0)) return false; // not a number without the header
  return late > SETTLING || saysNoMethod(response.raw, uuid);
}

/** The error for an invoice of the order that can be paid, or was, and is another charge. */
function mismatch(
  { endpoint, client, externalId }: OpenCall<CreatedInvoice>,
  attempts: readonly AttemptRecord[],
  { value: invoice, response }: Pick<FoundInvoice, 'value' | 'response'>,
  differences: readonly ChargeMember[],
): InvoiceMismatchError {
  const { operation } = endpoint;
  const isPast = Date.parse(response.headers.get('date') ?? '') > invoice.expires_at.getTime();
  const until = `It ${isPast ? 'may still be paid for a while after' : 'can be paid until'} ${invoice.expires_at.toISOString()}.`;
  return new InvoiceMismatchError({
    code: 'SDK_INVOICE_MISMATCH',
    operation,
    externalId: externalId === null ? null : client.hide(externalId),
    attempts,
    status: response.status,
    requestId: response.requestId,
    outcome: 'rejected', // read back and compared: this call created none
    differences,
    existing: hideIn(invoice, response.hide),
    message: sentences(
      `${operation}: another invoice has this external_id, with another ${differences.join(' and ')}.`,
      invoice.status === 'pending' ? until : '',
      'Give each charge a separate external_id.',
    ),
  });
}
