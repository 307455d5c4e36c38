import { endpoints } from '../contract/endpoints.ts';
import { lenientPage } from '../contract/envelope.ts';
import type { Invoice } from '../contract/invoices.ts';
import { type AnyMerchantError, isMerchantError } from '../errors/guards.ts';
import type { CallOptions } from '../transport/options.ts';
import { type CallScope, type CallSpec, type ClientCore, openCall } from '../transport/scope.ts';
import { type FailureReport, runCall, type Success, sendCall } from '../transport/send.ts';
import { compared, invoiceDifferences } from './compare-invoices.ts';

const get = endpoints['invoices.get'];
const list = endpoints['invoices.list'];

/** Reads an invoice by its uuid or external_id. Another invoice in its place is refused. */
export function readInvoice(
  client: ClientCore,
  ident: string,
  options?: CallOptions,
  spec: Pick<CallSpec<Invoice>, 'deadlineAt'> = {},
  report: FailureReport = {},
): Promise<Success<Invoice>> {
  const data = compared(get.data, (invoice) => invoiceDifferences(ident, invoice));
  return runCall(client, get, { ...spec, params: { ident }, data, externalId: () => ident }, options, report);
}

/** A walk without end would delay the payment. */
const PAGES_MAX = 20;
const PAGE_SIZE = 100;
/** Statuses of a service that accepts only its uuids in the path, and fails on other ids. */
const NOT_AN_IDENT = new Set([500, 501]);

const lenientList = lenientPage(list.item, () => {});

/** The result of reading back. `found` is null when the service has answered and has no such invoice. */
export interface ReadBack {
  readonly found: Success<Invoice> | null;
  /** Requests made for it. */
  readonly requests: number;
}

/**
 * Reads the invoice of a creation: by the path, or from the list if the service does not accept it
 * in the path. Rejects when the service gives no answer.
 */
export async function readBack(creation: CallScope<unknown>): Promise<ReadBack> {
  const byPath = await getByPath(creation);
  if (byPath.found !== null) return byPath;
  const inList = await findInList(creation);
  return { found: inList.found, requests: byPath.requests + inList.requests };
}

/** Returns the specification of a further request, with the settings and the deadline of the creation. */
function furtherRequest(
  creation: CallScope<unknown>,
): Pick<CallSpec<never>, 'settings' | 'externalId' | 'deadlineAt' | 'callId'> {
  const { externalId, deadlineAt, callId } = creation;
  // Query parameters of the caller belong to the endpoint of the creation.
  return { settings: { ...creation, query: {} }, externalId: () => externalId, deadlineAt, callId };
}

async function getByPath(creation: CallScope<unknown>): Promise<ReadBack> {
  const { external_id: ident = '' } = creation.sent;
  if (ident === '.' || ident === '..') return { found: null, requests: 0 }; // no URL can carry them
  try {
    const success = await sendCall(openCall(creation.client, get, { ...furtherRequest(creation), params: { ident } }));
    return { found: success.value.external_id === ident ? success : null, requests: success.attempts };
  } catch (error) {
    if (isMerchantError(error) && isNoInvoice(error)) return { found: null, requests: error.attempts.length };
    throw error;
  }
}

/** The service has answered, and not with an invoice: the list may have it. */
function isNoInvoice(error: AnyMerchantError): boolean {
  if (error.kind === 'server') return NOT_AN_IDENT.has(error.status ?? 0);
  return ['not_found', 'validation', 'conflict', 'request', 'unexpected_response'].includes(error.kind);
}

async function findInList(creation: CallScope<unknown>): Promise<ReadBack> {
  const { external_id, currency } = creation.sent;
  let requests = 0;
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const query = { currency, page, per_page: PAGE_SIZE };
    const spec = { ...furtherRequest(creation), query, data: lenientList, page };
    const success = await sendCall(openCall(creation.client, list, spec));
    requests += success.attempts;
    const invoice = success.value.items.find((item) => item.external_id === external_id);
    if (invoice !== undefined) return { found: { ...success, value: invoice }, requests };
    // A service that ignores the page would answer the same one twenty times.
    if (!success.value.has_next || success.value.page !== page) break;
  }
  return { found: null, requests };
}
