import { endpoints } from '../contract/endpoints.ts';
import {
  type ComparedText,
  type CreatedInvoice,
  type CreateInvoiceParams,
  chargeDifferences,
  type Invoice,
  textDifferences,
} from '../contract/invoices.ts';
import { isLoopback } from '../contract/values/scalars.ts';
import { InvoiceMismatchError } from '../errors/classes.ts';
import { hasCode, isMerchantError, isRefusedIdent } from '../errors/guards.ts';
import { hideIn } from '../errors/hide.ts';
import { warnOnce } from '../errors/notify.ts';
import { atPage, finish, open } from '../transport/call.ts';
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
import { keyOf, pageRows } from './list.ts';
import { walkPages } from './walk.ts';

// Creation is idempotent on external_id. If an attempt without a response has created the invoice, the repeat gets
// INVOICE_ALREADY_EXISTS. The invoice is then read back and compared. This call created it if it is the same charge,
// each text that was sent is the same or null there, and it is pending: nobody has seen its payment link yet. No times
// are compared.

/** The result of {@link Invoices.createOrGet}. */
export type CreateOrGetResult =
  | { readonly created: true; readonly invoice: CreatedInvoice }
  | {
      readonly created: false;
      readonly invoice: Invoice;
      /**
       * The texts that differ from the parameters: `callback_url`, `success_url`, `fail_url`, `purpose`. The webhooks
       * of this invoice go to its own `callback_url`.
       */
      readonly differences: readonly ComparedText[];
    };

const get = endpoints['invoices.get'];
const list = pageRows(endpoints['invoices.list'], true);

/**
 * Creates an invoice, and reads it back if that shows whether this call created it.
 *
 * @param orGet Also returns an invoice that this call did not create.
 */
export async function createInvoice(
  client: ClientCore,
  params: CreateInvoiceParams,
  settings: CompleteOptions | WrongOptions,
  orGet: boolean,
): Promise<Success<CreateOrGetResult>> {
  const call = open(client, endpoints['invoices.create'], { body: params, settings });
  warnOfLoopback(call);
  return finish(call, createOrRead(call, orGet));
}

async function createOrRead(call: OpenCall<CreatedInvoice>, orGet: boolean): Promise<Result<CreateOrGetResult>> {
  const sent = await send(call);
  if (sent.ok) return { ...sent, value: { created: true, invoice: sent.value } };
  const { facts, outcome } = sent;
  const exists = facts.is === 'error_response' && facts.kind === 'conflict';
  // Only after an attempt with an unknown outcome can this call have created the existing invoice.
  return exists && (outcome === 'unknown' || orGet) ? recover(call, sent, orGet) : sent;
}

/** The existing invoice if it is the same charge. Throws the conflict with all known facts otherwise. */
async function recover(
  call: OpenCall<CreatedInvoice>,
  conflict: Failure,
  orGet: boolean,
): Promise<Success<CreateOrGetResult>> {
  // The advice is to call createOrGet, which has just been done if `orGet` is true.
  const advice = orGet ? '' : (call.endpoint.conflict?.advice ?? '');
  const found = await readExisting(call, conflict, advice);
  const { created, differences } = compare(call, conflict, found);
  const { value: invoice } = found;
  if (created) return { ...found, recovered: true, value: { created, invoice } };
  if (orGet) return { ...found, value: { created, invoice, differences } };
  const existing = hideIn(invoice, found.response.hide);
  if (conflict.outcome === 'unknown' && invoice.status === 'pending') {
    const note = `An attempt of this call that got no response may have created it: its ${differences.join(' and ')} differs from what was sent.`;
    throw toError(call, conflict, { advice: sentences(advice, note), existing });
  }
  const note = 'It is no longer pending, so this call did not create it.';
  throw toError(call, { ...conflict, outcome: 'rejected' }, { advice: sentences(advice, note), existing });
}

/**
 * Reads the existing invoice. `attempts` counts the requests of the creation and of the reading.
 *
 * @throws The conflict, if the invoice cannot be read.
 */
export async function readExisting(
  call: OpenCall<CreatedInvoice>,
  conflict: Failure,
  advice: string,
): Promise<Success<Invoice>> {
  const { attempts, outcome } = conflict;
  const { found, requests } = await readBack(call).catch((error: unknown) => {
    if (!isMerchantError(error)) throw error;
    if (hasCode(error, 'SDK_ABORTED')) {
      const failure = aborted(error.reason, outcome, ' while the existing invoice was read');
      throw toError(call, { ...failure, attempts, stoppedBy: 'aborted' });
    }
    const note = `The existing invoice could not be read (${error.code}).`;
    throw toError(call, conflict, { advice: sentences(advice, note), cause: error });
  });
  if (found === null) {
    const note =
      'The existing invoice could not be read: it was found neither by its external_id nor in the pages of the list that were read.';
    throw toError(call, conflict, { advice: sentences(advice, note) });
  }
  return { ...found, attempts: attempts.length + requests };
}

/**
 * Compares the existing invoice with what was sent. `created` is true if an attempt of this call may have made it.
 *
 * @throws InvoiceMismatchError if it is another charge.
 */
export function compare(
  call: OpenCall<CreatedInvoice>,
  { outcome, attempts }: Failure,
  { value: invoice, response }: Success<Invoice>,
): { readonly created: boolean; readonly differences: readonly ComparedText[] } {
  const members = chargeDifferences(call.sent, invoice);
  if (members.length > 0) {
    const { endpoint, client, externalId } = call;
    const until = invoice.status === 'pending' ? ` It can be paid until ${invoice.expires_at.toISOString()}.` : '';
    throw new InvoiceMismatchError({
      code: 'SDK_INVOICE_MISMATCH',
      operation: endpoint.operation,
      externalId: externalId === null ? null : client.hide(externalId),
      attempts,
      outcome: 'rejected', // read back and compared: this call created none
      differences: members,
      existing: hideIn(invoice, response.hide),
      message: `${endpoint.operation}: another invoice has this external_id, with another ${members.join(' and ')}.${until} Give each charge a separate external_id.`,
    });
  }
  const differences = textDifferences(call.sent, invoice);
  const isPossible = outcome === 'unknown' && invoice.status === 'pending';
  if (differences.includes('callback_url') && invoice.status === 'pending') {
    const text =
      'an order was found whose pending invoice has another callback_url: its webhook goes there. If two environments share a business, give their order ids a prefix. This is printed once.';
    warnOnce('another callback_url', text, call.client.printed);
  }
  return { created: isPossible && differences.every((name) => invoice[name] === null), differences };
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
 * that way. Throws if the service cannot be asked.
 */
async function readBack(creation: OpenCall<CreatedInvoice>): Promise<ReadBack> {
  const { client, sent } = creation;
  const { external_id: ident = '', currency } = sent;
  let requests = 0;
  // No URL can carry `.` and `..` as a segment of a path.
  if (get.params?.({ ident }).ok !== false) {
    const call = open(client, get, { params: { ident }, within: creation });
    const result = await send(call);
    requests += result.ok ? result.attempts : result.attempts.length;
    if (result.ok && result.value.external_id === ident) return { found: result, requests };
    const error = result.ok ? null : toError(call, result);
    // The list is read if the service refuses the ident, and if its response cannot be decoded.
    if (error !== null && !isRefusedIdent(error) && error.kind !== 'unexpected_response') throw error;
  }
  const query = { currency, page: 1, per_page: PAGE_SIZE };
  const firstPage = open(client, list, { query, page: 1, within: creation });
  const read = async (call: typeof firstPage) => {
    const result = await send(call);
    requests += result.ok ? result.attempts : result.attempts.length;
    if (!result.ok) throw toError(call, result);
    const { page, invalid } = result.value;
    const items = page.items.map((value) => ({ ...result, value }));
    return { page: { ...page, items }, skipped: invalid.map((row) => keyOf(row, page.page)) };
  };
  const pages = walkPages({
    operation: list.operation,
    first: await read(firstPage),
    startPage: 1,
    prefetch: 1,
    signal: creation.signal,
    key: ({ value }) => value.uuid,
    read(number, signal) {
      const { callId, startedAt, deadlineAt } = creation;
      return { page: read({ ...atPage(firstPage, number, signal), callId, startedAt, deadlineAt }), failed: () => {} };
    },
  });
  let pageCount = 0;
  for await (const { items } of pages) {
    const found = items.find(({ value }) => value.external_id === ident);
    if (found !== undefined) return { found, requests };
    pageCount += 1;
    if (pageCount >= PAGES_MAX) break;
  }
  return { found: null, requests };
}

/** Warns once of a webhook address that only this machine can reach, at a service on another one. */
function warnOfLoopback({ client, sent }: OpenCall<CreatedInvoice>): void {
  const { callback_url: address } = sent;
  if (address === undefined || client.hasOwnFetch || !isLoopback(new URL(address).hostname)) return;
  const { hostname } = new URL(client.baseUrl);
  if (isLoopback(hostname) || hostname.endsWith('.invalid')) return;
  const text =
    'callback_url is on localhost, and the service is not: its webhooks will not arrive. Give a public address, such as that of a tunnel. This is printed once.';
  warnOnce('callback_url on localhost', text, client.printed);
}
