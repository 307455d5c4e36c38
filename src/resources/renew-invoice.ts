import type { ConflictForm } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { ComparedText, CreatedInvoice, CreateInvoiceParams, OrderInvoice } from '../contract/invoices.ts';
import { ATTEMPTS_MAX, attemptId, orderOf } from '../contract/orders.ts';
import type { Check } from '../contract/values/check.ts';
import { codePoints } from '../contract/values/scalars.ts';
import type { AttemptRecord } from '../errors/codes.ts';
import { finish, open } from '../transport/call.ts';
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
import { compare, readExisting } from './create-invoice.ts';

// An order that may be tried again has an invoice for each attempt. The search always begins with the first one,
// because an earlier invoice may be paid late:
//
// | the invoice of the attempt         | result                                                       |
// |------------------------------------|--------------------------------------------------------------|
// | does not exist                     | it is created                                                |
// | fail, expired, canceled            | the next attempt, also where its amount was another          |
// | any other status, the same charge  | it is returned: pending, paid, adjusted, or not known        |
// | any other status, another charge   | InvoiceMismatchError                                         |
//
// A conflict whose details say that the invoice ended unpaid needs no read.

/** The result of {@link Invoices.createOrRenew}. */
export interface CreateOrRenewResult {
  /** The pending invoice of the order, or the one that paid it: look at its `status`. */
  readonly invoice: OrderInvoice;
  /** The id of this invoice: that of the order, or `ORDER-r2`, `ORDER-r3` … Book by it. */
  readonly external_id: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** True if this call created the invoice. */
  readonly created: boolean;
  /** The texts of an invoice that was found which differ from the parameters, as for `createOrGet`. */
  readonly differences: readonly ComparedText[];
}

/** `-r50` is the longest suffix. */
const ORDER_MAX = 124;

/** Checks the body of a creation, and that the order id has room for a suffix and has none. */
function bodyOfOrder(check: Check<Readonly<Record<string, string | undefined>>> | undefined) {
  return (value: unknown): ReturnType<NonNullable<typeof check>> => {
    const checked = check?.(value) ?? { ok: true, value: {} };
    if (!checked.ok) return checked;
    const { external_id: order = '' } = checked.value;
    const refuse = (message: string) => ({ ok: false, issues: [{ path: 'external_id', message }] }) as const;
    if (orderOf(order).attempt > 1) return refuse('must not end in -r2 to -r50: further attempts get such ids');
    return codePoints(order) > ORDER_MAX
      ? refuse(`must have at most ${ORDER_MAX} characters, so that a further attempt has room for its suffix`)
      : checked;
  };
}

const create = endpoints['invoices.create'];
const createFirst = { ...create, body: bodyOfOrder(create.body) };

/** Finds the payable or paid invoice of an order, or creates one. */
export async function renewInvoice(
  client: ClientCore,
  params: CreateInvoiceParams,
  settings: CompleteOptions | WrongOptions,
): Promise<Success<CreateOrRenewResult>> {
  const first = open(client, createFirst, { body: params, settings });
  return finish(first, findAttempt(first));
}

async function findAttempt(first: OpenCall<CreatedInvoice>): Promise<Result<CreateOrRenewResult>> {
  const { client, sent } = first;
  const order = sent['external_id'] ?? '';
  let failed: readonly AttemptRecord[] = [];
  let reads = 0;
  for (let attempt = 1; ; attempt += 1) {
    const external_id = attemptId({ order, attempt });
    const body = { ...sent, external_id };
    const call = attempt === 1 ? first : open(client, create, { body, within: first });
    const result = await send(call);
    if (result.ok) {
      const { value: invoice } = result;
      const value = { invoice, external_id, attempt, created: true, differences: [] };
      return { ...result, attempts: failed.length + reads + result.attempts, value };
    }
    failed = [...failed, ...result.attempts];
    // The service has answered for an earlier id, so the whole call was sent.
    const outcome = attempt > 1 && result.outcome === 'not_sent' ? 'rejected' : result.outcome;
    const failure = { ...result, attempts: failed, outcome };
    const said = conflictIn(result, call.endpoint.conflict);
    if (said === null) throw toError(call, failure);
    const found = isEndedUnpaid(said.status) ? null : await readExisting(call, failure, '');
    if (found !== null && !isEndedUnpaid(found.value.status)) {
      const { value: invoice } = found;
      const { created, differences } = compare(call, failure, found);
      const value = { invoice, external_id, attempt, created, differences };
      return { ...found, attempts: reads + found.attempts, recovered: created, value };
    }
    if (found !== null) reads += found.attempts - failed.length;
    if (attempt === ATTEMPTS_MAX)
      throw toError(call, failure, { advice: TRIED_OUT, ...(found !== null && { existing: found.value }) });
  }
}

const TRIED_OUT = `The order has ${ATTEMPTS_MAX} invoices that ended unpaid: use a new order id.`;

/** What a conflict says of the existing invoice, or null for any other failure. */
function conflictIn({ facts }: Failure, form: ConflictForm | undefined): { readonly status: string | null } | null {
  if (facts.is !== 'error_response' || facts.kind !== 'conflict') return null;
  return { status: form?.read(facts.body.details).existingStatus ?? null };
}

function isEndedUnpaid(status: string | null): boolean {
  return status === 'fail' || status === 'expired' || status === 'canceled';
}
