import type { WireRecord } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import { lenientPage } from '../contract/envelope.ts';
import {
  type CreatedInvoice,
  type CreateInvoiceParams,
  createInvoiceBodyWithHttp,
  type Invoice,
} from '../contract/invoices.ts';
import { Decimal } from '../contract/values/decimal.ts';
import {
  AbortedError,
  type ComparedField,
  InvoiceAlreadyExistsError,
  InvoiceMismatchError,
} from '../errors/classes.ts';
import type { Outcome } from '../errors/codes.ts';
import { hasCode, isMerchantError, isRefusedIdent } from '../errors/guards.ts';
import type { CallOptions } from '../options.ts';
import { afterUnknown } from '../transport/failure.ts';
import { hideIn } from '../transport/hide.ts';
import { CREATE_OR_GET } from '../transport/refusal.ts';
import { type CallScope, type ClientCore, openCall, runCall, type Success, sendCall } from '../transport/send.ts';

// Creation is idempotent on external_id, so a repeat is answered INVOICE_ALREADY_EXISTS where an attempt without an
// answer has created the invoice. It is read back then, compared, and returned if it is plainly the one of this call.

/** `created` is true also for an invoice that one of the call's attempts made before its answer was lost. */
export type Creation =
  | (Success<CreatedInvoice> & { readonly created: true })
  | (Success<Invoice> & { readonly created: false; readonly differences: readonly ComparedText[] });

const TEXTS = ['callback_url', 'success_url', 'fail_url', 'purpose'] as const;

/** A text of an invoice that does not decide whether it is the same charge. */
export type ComparedText = (typeof TEXTS)[number];

/** Returns the texts that were asked for and that the invoice does not have. */
function textDifferences(sent: WireRecord, found: Invoice): ComparedText[] {
  return TEXTS.filter((name) => sent[name] !== undefined && found[name] !== sent[name]);
}

const create = endpoints['invoices.create'];
const createWithHttp = { ...create, body: createInvoiceBodyWithHttp };
const get = endpoints['invoices.get'];
const list = endpoints['invoices.list'];

/**
 * Creates an invoice, and reads it back where that decides whether it was created. `orGet` also returns an invoice that
 * the call did not create.
 */
export function createInvoice(
  client: ClientCore,
  params: CreateInvoiceParams,
  options: CallOptions | undefined,
  orGet: boolean,
): Promise<Creation> {
  const spec = () => ({ body: params, externalId: params?.external_id, differences: creationDifferences, options });
  return runCall(client, client.allowHttp ? createWithHttp : create, spec, {
    async send(scope): Promise<Creation> {
      try {
        return { ...(await sendCall(scope)), created: true };
      } catch (error) {
        // Only after an attempt with an unknown outcome can this call have created the existing invoice.
        if (!hasCode(error, 'INVOICE_ALREADY_EXISTS') || (error.outcome !== 'unknown' && !orGet)) throw error;
        return recover(scope, error, orGet);
      }
    },
  });
}

/** Returns the members in which the answer of a creation differs from the request. */
function creationDifferences(created: CreatedInvoice, sent: WireRecord): string[] {
  const differences: string[] = differencesOf(sent, created).filter((field) => field !== 'customer_id');
  return created.external_id === sent['external_id'] ? differences : ['external_id', ...differences];
}

/** Returns the members in which an existing invoice differs from the charge that was asked for. */
function differencesOf(sent: WireRecord, existing: CreatedInvoice): ComparedField[] {
  const { amount = '', currency = '', customer_id = '' } = sent;
  const differences: ComparedField[] = [];
  if (!existing.amount.eq(new Decimal(amount))) differences.push('amount');
  if (existing.currency.code.toUpperCase() !== currency.toUpperCase()) differences.push('currency');
  // A customer_id that cannot be read is not compared.
  if (existing.customer_id !== null && existing.customer_id !== customer_id) differences.push('customer_id');
  return differences;
}

/** Returns the existing invoice if it is the same charge. Throws the conflict with all known facts otherwise. */
async function recover(
  scope: CallScope<CreatedInvoice>,
  answered: InvoiceAlreadyExistsError,
  orGet: boolean,
): Promise<Creation> {
  const { operation, attempts, externalId, outcome } = answered;
  // A createOrGet that could not read the invoice does not advise createOrGet.
  const conflict = orGet ? conflictWith(answered, { message: answered.message.replace(CREATE_OR_GET, '') }) : answered;
  const { found, requests } = await readBack(scope).catch((error: unknown) => {
    if (!isMerchantError(error)) throw error;
    if (hasCode(error, 'SDK_ABORTED')) {
      const message = `${operation}: aborted by the caller's signal while the existing invoice was read.`;
      const { code, reason } = error;
      const about = { operation: operation ?? '', externalId, attempts, outcome };
      throw new AbortedError({ ...about, code, stoppedBy: 'aborted', reason, message });
    }
    const note = `The existing invoice could not be read (${error.code}).`;
    throw conflictWith(conflict, { message: `${conflict.message} ${note}`, cause: error });
  });
  if (found === null) {
    const note =
      'The existing invoice could not be read: neither the path nor the pages of the list that were read have it.';
    throw conflictWith(conflict, { message: `${conflict.message} ${note}` });
  }
  const existing = hideIn(found.value, found.answer.hide);
  const differences = differencesOf(scope.sent, found.value);
  if (differences.length > 0) {
    throw new InvoiceMismatchError({
      code: 'SDK_INVOICE_MISMATCH',
      operation,
      externalId,
      attempts,
      outcome: 'rejected', // read back and compared: this call's was not created
      differences,
      existing,
      message: `${operation}: another invoice has this external_id, with another ${differences.join(' and ')}. Give each charge a separate external_id.`,
    });
  }
  const origin = outcome === 'unknown' ? originOf(found, scope) : 'older';
  const recovered = origin === 'this_call';
  if (!recovered && !orGet) {
    if (origin === 'unclear') {
      const note = 'An attempt of this call that got no answer may have created it.';
      throw conflictWith(conflict, { message: `${conflict.message} ${note}`, existing });
    }
    // The outcome was unknown when the conflict came, and is known now.
    const doubt = afterUnknown({ operation: operation ?? '', outcome: 'unknown', isWrite: true });
    const message = `${conflict.message.replace(doubt, () => '')} The invoice is older than this call.`;
    throw conflictWith(conflict, { message, existing, outcome: 'rejected' });
  }
  const durationMs = scope.client.runtime.monotonic() - scope.startedAt;
  const success = { ...found, attempts: attempts.length + requests, durationMs, recovered };
  if (recovered) return { ...success, created: true };
  return { ...success, created: false, differences: textDifferences(scope.sent, found.value) };
}

interface ConflictChange {
  readonly message: string;
  readonly existing?: Invoice;
  readonly outcome?: Outcome;
  readonly cause?: unknown;
}

function conflictWith(conflict: InvoiceAlreadyExistsError, change: ConflictChange): InvoiceAlreadyExistsError {
  const { existing = conflict.existing } = change;
  const existingStatus = existing?.status ?? conflict.existingStatus;
  // A copy leaves out `raw`, which is a getter, and `existing`.
  return new InvoiceAlreadyExistsError({ ...conflict, ...change, existing, existingStatus, raw: conflict.raw });
}

/**
 * The origin of an invoice that a repeated creation found. `this_call`: this call created it, by all that is visible. `older`:
 * it existed before the call. `unclear`: neither is certain.
 */
type InvoiceOrigin = 'this_call' | 'older' | 'unclear';

/** Servers round their Date and created_at to seconds, and their clocks differ a little. */
const THIS_CALL_MARGIN = 3_000;
/** A clock that is slightly wrong must not make an invoice of this call older. */
const OLDER_MARGIN = 5_000;
/** Without a Date header the local clock is used, which may be wrong by a time zone. */
const UNKNOWN_CLOCK_MARGIN = 24 * 60 * 60_000;

/**
 * Decides with the service's clock: the Date header of the answer with the invoice, less the time since the call began.
 * Only a pending invoice can be `this_call`, because the caller of this call has not seen its payment link yet.
 */
function originOf({ value: invoice, answer }: Success<Invoice>, call: CallScope<CreatedInvoice>): InvoiceOrigin {
  const createdAt = invoice.created_at.getTime();
  // The answer's Date was written before its headers came: what its body took since then does not count.
  const elapsed = answer.receivedAt - call.startedAt;
  // The monotonic clock stops while a machine sleeps, and the wall clock may have been set meanwhile.
  const longest = Math.max(elapsed, call.client.runtime.now() - call.startedOn);
  const serviceTime = timeOf(answer.headers);
  const began = serviceTime === null ? call.startedOn : serviceTime - elapsed;
  const beganAtEarliest = serviceTime === null ? began : serviceTime - longest;
  const margin = serviceTime === null ? UNKNOWN_CLOCK_MARGIN : OLDER_MARGIN;
  if (createdAt < beganAtEarliest - margin) return 'older';
  const isOfThisCall = invoice.status === 'pending' && createdAt >= began - THIS_CALL_MARGIN;
  return isOfThisCall && hasSameTexts(invoice, call.sent) ? 'this_call' : 'unclear';
}

/** True when the texts that a service keeps unchanged are the same: a concurrent call may have sent others. */
function hasSameTexts(invoice: Invoice, sent: WireRecord): boolean {
  return textDifferences(sent, invoice).every((name) => invoice[name] === null);
}

function timeOf(headers: Headers): number | null {
  const time = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(time) ? null : time;
}

/** The result of reading back. `found` is null when the service has answered and has no such invoice. */
interface ReadBack {
  readonly found: Success<Invoice> | null;
  /** Requests made for it. */
  readonly requests: number;
}

/** A walk without end would delay the payment. */
const PAGES_MAX = 20;
const PAGE_SIZE = 100;

/**
 * Reads the invoice of a creation: by the path, or from the list if the service does not accept it in the path. Rejects
 * when the service gives no answer.
 */
async function readBack(creation: CallScope<CreatedInvoice>): Promise<ReadBack> {
  const { client, externalId, deadlineAt, callId } = creation;
  const { external_id: ident = '', currency } = creation.sent;
  // With the settings and the deadline of the creation. Query parameters of the caller belong to its endpoint.
  const same = { settings: { ...creation, query: {} }, externalId, deadlineAt, callId };
  let requests = 0;
  try {
    const success = await sendCall(openCall(client, get, () => ({ ...same, params: { ident } })));
    requests += success.attempts;
    if (success.value.external_id === ident) return { found: success, requests };
  } catch (error) {
    // Also `.` and `..`, which no URL can carry. A read that is not understood says nothing against the list.
    if (!isMerchantError(error) || !(isRefusedIdent(error) || error.kind === 'unexpected_response')) throw error;
    requests += error.attempts.length;
  }
  const data = lenientPage(list.item, () => {});
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const query = { currency, page, per_page: PAGE_SIZE };
    const success = await sendCall(openCall(client, list, () => ({ ...same, query, data, page })));
    requests += success.attempts;
    const invoice = success.value.items.find((item) => item.external_id === ident);
    if (invoice !== undefined) return { found: { ...success, value: invoice }, requests };
    // A service that ignores the page would answer the same one twenty times.
    if (!success.value.has_next || success.value.page !== page) break;
  }
  return { found: null, requests };
}
