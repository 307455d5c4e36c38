import type { WireRecord } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import { lenientPage } from '../contract/envelope.ts';
import {
  type CreatedInvoice,
  type CreateInvoiceParams,
  chargeDifferences,
  createInvoiceBodyWithHttp,
  type Invoice,
} from '../contract/invoices.ts';
import { InvoiceMismatchError } from '../errors/classes.ts';
import { hasCode, isMerchantError, isRefusedIdent } from '../errors/guards.ts';
import { hideIn } from '../errors/hide.ts';
import type { CallOptions } from '../options.ts';
import { callWithin, open, settleOrThrow } from '../transport/call.ts';
import { sentences } from '../transport/error-response.ts';
import { aborted, toError } from '../transport/failure.ts';
import { send } from '../transport/send.ts';
import type { ClientCore, FailedCall, OpenCall, Success } from '../transport/types.ts';
import { walkPages } from './walk.ts';

// Creation is idempotent on external_id. If an attempt without a response has created the invoice, the repeat gets
// INVOICE_ALREADY_EXISTS. The invoice is then read back, compared, and returned if it is plainly the one of this call.

/**
 * The result of a creation. `created` is also true if an attempt of the call created the invoice and its response was
 * lost.
 */
export type Creation =
  | (Success<CreatedInvoice> & { readonly created: true })
  | (Success<Invoice> & { readonly created: false; readonly differences: readonly ComparedText[] });

const TEXTS = ['callback_url', 'success_url', 'fail_url', 'purpose'] as const;

/** A text of an invoice that is compared, but does not decide whether two invoices are the same charge. */
export type ComparedText = (typeof TEXTS)[number];

const create = endpoints['invoices.create'];
const createWithHttp = { ...create, body: createInvoiceBodyWithHttp };
const get = endpoints['invoices.get'];
const list = endpoints['invoices.list'];

/**
 * Creates an invoice, and reads it back if that shows whether this call created it.
 *
 * @param orGet Also returns an invoice that this call did not create.
 */
export async function createInvoice(
  client: ClientCore,
  params: CreateInvoiceParams,
  options: CallOptions | undefined,
  orGet: boolean,
): Promise<Creation> {
  const call = open(client, client.allowHttp ? createWithHttp : create, { body: params, options });
  return settleOrThrow(call, createOrRead(call, orGet));
}

async function createOrRead(call: OpenCall<CreatedInvoice>, orGet: boolean): Promise<Creation> {
  const sent = await send(call);
  if (sent.ok) return { ...sent.success, created: true };
  const { about } = sent.failed.failure;
  const exists = about.is === 'error_response' && about.kind === 'conflict';
  // Only after an attempt with an unknown outcome can this call have created the existing invoice.
  if (!exists || (sent.failed.outcome !== 'unknown' && !orGet)) throw toError(sent.failed);
  return recover(call, sent.failed, orGet);
}

/** Returns the existing invoice if it is the same charge. Throws the conflict with all known facts otherwise. */
async function recover(call: OpenCall<CreatedInvoice>, conflict: FailedCall, orGet: boolean): Promise<Creation> {
  const { attempts, outcome, operation, externalId } = conflict;
  // The advice is to call createOrGet, which has just been done if `orGet` is true.
  const advice = orGet ? '' : (call.endpoint.conflict?.advice ?? '');
  const { found, requests } = await readBack(call).catch((error: unknown) => {
    if (!isMerchantError(error)) throw error;
    if (hasCode(error, 'SDK_ABORTED')) {
      const failure = aborted(error.reason, outcome, ' while the existing invoice was read');
      throw toError({ ...conflict, failure, stoppedBy: 'aborted' });
    }
    const note = `The existing invoice could not be read (${error.code}).`;
    throw toError(conflict, { advice: sentences(advice, note), cause: error });
  });
  if (found === null) {
    const note =
      'The existing invoice could not be read: neither the path nor the pages of the list that were read have it.';
    throw toError(conflict, { advice: sentences(advice, note) });
  }
  const existing = hideIn(found.value, found.response.hide);
  const differences = chargeDifferences(call.sent, found.value);
  if (differences.length > 0) {
    throw new InvoiceMismatchError({
      code: 'SDK_INVOICE_MISMATCH',
      operation,
      externalId,
      attempts,
      outcome: 'rejected', // read back and compared: this call created none
      differences,
      existing,
      message: `${operation}: another invoice has this external_id, with another ${differences.join(' and ')}. Give each charge a separate external_id.`,
    });
  }
  const origin = outcome === 'unknown' ? originOf(found, call) : 'older';
  const durationMs = call.client.runtime.monotonic() - call.startedAt;
  const success = { ...found, attempts: attempts.length + requests, durationMs };
  if (origin === 'this_call') return { ...success, recovered: true, created: true };
  if (orGet) return { ...success, created: false, differences: textDifferences(call.sent, found.value) };
  if (origin === 'unclear') {
    const note = 'An attempt of this call that got no response may have created it.';
    throw toError(conflict, { advice: sentences(advice, note), existing });
  }
  // The outcome was unknown when the conflict came. The age of the invoice shows that this call created none.
  const note = 'The invoice is older than this call.';
  throw toError({ ...conflict, outcome: 'rejected' }, { advice: sentences(advice, note), existing });
}

/** Returns the names of the texts that were sent and that the invoice has otherwise. */
function textDifferences(sent: WireRecord, found: Invoice): ComparedText[] {
  return TEXTS.filter((name) => sent[name] !== undefined && found[name] !== sent[name]);
}

/**
 * Where an invoice comes from that a repeated creation found. `this_call`: everything visible says that this call
 * created it. `older`: it existed before the call. `unclear`: neither is certain.
 */
type InvoiceOrigin = 'this_call' | 'older' | 'unclear';

/** Servers round their Date and created_at to seconds, and their clocks differ a little. */
const THIS_CALL_MARGIN = 3_000;
/** An invoice must be this much older than the call to count as older, because clocks are slightly wrong. */
const OLDER_MARGIN = 5_000;
/** The same without a Date header: the local clock is used then, which may be wrong by a time zone. */
const UNKNOWN_CLOCK_MARGIN = 24 * 60 * 60_000;

/**
 * Decides with the service's clock: the Date header of the response with the invoice, less the time since the call began.
 * Only a pending invoice can be `this_call`, because the caller of this call has not seen its payment link yet.
 */
function originOf({ value: invoice, response }: Success<Invoice>, call: OpenCall<CreatedInvoice>): InvoiceOrigin {
  const createdAt = invoice.created_at.getTime();
  // Until the headers came, because Date was written before. The time for the body does not count.
  const elapsed = response.receivedAt - call.startedAt;
  // The monotonic clock stops while a machine sleeps, and the wall clock may have been set meanwhile.
  const longest = Math.max(elapsed, call.client.runtime.now() - call.startedOn);
  const serviceTime = timeOf(response.headers);
  const began = serviceTime === null ? call.startedOn : serviceTime - elapsed;
  const beganAtEarliest = serviceTime === null ? began : serviceTime - longest;
  const margin = serviceTime === null ? UNKNOWN_CLOCK_MARGIN : OLDER_MARGIN;
  if (createdAt < beganAtEarliest - margin) return 'older';
  const isOfThisCall = invoice.status === 'pending' && createdAt >= began - THIS_CALL_MARGIN;
  return isOfThisCall && hasSameTexts(invoice, call.sent) ? 'this_call' : 'unclear';
}

/** True if each text that was sent is the invoice's, or null there. Other texts may come from a concurrent call. */
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

/** The most pages that are read, because the customer waits. */
const PAGES_MAX = 20;
const PAGE_SIZE = 100;

/**
 * Reads the invoice of a creation by its external_id in the path, or from the list if the service does not find it in
 * that way. Rejects if the service cannot be asked.
 */
async function readBack(creation: OpenCall<CreatedInvoice>): Promise<ReadBack> {
  const { external_id: ident = '', currency } = creation.sent;
  let requests = 0;
  try {
    const success = await callWithin(creation, get, { params: { ident } });
    requests += success.attempts;
    if (success.value.external_id === ident) return { found: success, requests };
  } catch (error) {
    // The list is read if the service refuses the ident, if no URL can carry it (`.` and `..`), and if the response to
    // the single read cannot be decoded.
    if (!isMerchantError(error) || !(isRefusedIdent(error) || error.kind === 'unexpected_response')) throw error;
    requests += error.attempts.length;
  }
  const read = async (page: number) => {
    const leftOut: string[] = [];
    const data = lenientPage(list.item, (index) => leftOut.push(`row ${index} of page ${page}`));
    const success = await callWithin(creation, list, { query: { currency, page, per_page: PAGE_SIZE }, data, page });
    requests += success.attempts;
    const items = success.value.items.map((value) => ({ ...success, value }));
    return { page: { ...success.value, items }, leftOut };
  };
  const pages = walkPages({
    operation: list.operation,
    first: await read(1),
    startPage: 1,
    prefetch: 1,
    signal: creation.signal,
    key: ({ value }) => value.uuid,
    read,
  });
  let count = 0;
  for await (const { items } of pages) {
    const found = items.find(({ value }) => value.external_id === ident);
    if (found !== undefined) return { found, requests };
    count += 1;
    if (count >= PAGES_MAX) break;
  }
  return { found: null, requests };
}
