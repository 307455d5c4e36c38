import type { WireRecord } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import { lenientPage } from '../contract/envelope.ts';
import type { Invoice } from '../contract/types.ts';
import { type AnyMerchantError, isMerchantError } from '../errors/classes.ts';
import type { Runner, Success } from '../transport/runner.ts';
import type { CallScope } from '../transport/scope.ts';

/** A walk of the list that does not end would hold the payment up. */
const PAGES_MAX = 20;
const PAGE_SIZE = 100;
/** Statuses of a service that takes only its own ids in the path, and fails on another. */
const NOT_AN_IDENT = new Set([500, 501]);

const lenientList = lenientPage(endpoints['invoices.list'].item, () => {});

/** What reading back came to. `found` is null when the service has answered and has no such invoice. */
export interface ReadBack {
  readonly found: Success<Invoice> | null;
  /** Requests made for it. */
  readonly requests: number;
}

/**
 * The invoice that has the external_id which a creation sent: by the path, else, where the service does not take it
 * there, from the list. Rejects when the service cannot be asked.
 */
export async function readBack(runner: Runner, creation: CallScope<unknown>): Promise<ReadBack> {
  const byPath = await getByPath(runner, creation);
  if (byPath.found !== null) return byPath;
  const inList = await findInList(runner, creation);
  return { found: inList.found, requests: byPath.requests + inList.requests };
}

async function getByPath(runner: Runner, creation: CallScope<unknown>): Promise<ReadBack> {
  const { external_id: ident = '' }: WireRecord = creation.request.sent;
  if (ident === '.' || ident === '..') return { found: null, requests: 0 }; // no URL can carry them
  try {
    const success = await runner.send(runner.part(creation, endpoints['invoices.get'], { params: { ident } }));
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

async function findInList(runner: Runner, creation: CallScope<unknown>): Promise<ReadBack> {
  const { external_id, currency }: WireRecord = creation.request.sent;
  let requests = 0;
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const query = { currency, page, per_page: PAGE_SIZE };
    const traits = { data: lenientList, page } as const;
    const success = await runner.send(runner.part(creation, endpoints['invoices.list'], { query }, traits));
    requests += success.attempts;
    const invoice = success.value.items.find((item) => item.external_id === external_id);
    if (invoice !== undefined) return { found: { ...success, value: invoice }, requests };
    // A service that ignores the page would answer the same one twenty times.
    if (!success.value.has_next || success.value.page !== page) break;
  }
  return { found: null, requests };
}
