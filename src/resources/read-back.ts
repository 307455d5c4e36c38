import type { CallOptions } from '../call-options.ts';
import { Decimal } from '../contract/decimal.ts';
import type { WireRecord } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import { lenientPage } from '../contract/envelope.ts';
import type { Invoice } from '../contract/types.ts';
import type { ComparedField } from '../error-inits.ts';
import { type AnyMerchantError, isMerchantError } from '../errors.ts';
import type { Runner, Success } from '../transport/runner.ts';

/** A walk of the list that does not end would hold the payment up. */
const PAGES_MAX = 20;
const PAGE_SIZE = 100;
/** Statuses of a service that takes only its own ids in the path, and fails on another. */
const NOT_AN_IDENT = new Set([500, 501]);

const lenientList = lenientPage(endpoints['invoices.list'].item, () => {});

/**
 * The invoice that has this external_id: by the path, else, where the service does not take it there, from the list.
 * Null when it is in neither. Rejects when the service cannot be asked.
 */
export async function readBack(
  runner: Runner,
  sent: WireRecord,
  options: CallOptions,
  deadlineAt: number,
): Promise<Success<Invoice> | null> {
  const externalId = sent['external_id'] ?? '';
  const byPath = await getByPath(runner, externalId, options, deadlineAt);
  return byPath ?? (await findInList(runner, externalId, sent['currency'], options, deadlineAt));
}

async function getByPath(
  runner: Runner,
  externalId: string,
  options: CallOptions,
  deadlineAt: number,
): Promise<Success<Invoice> | null> {
  if (externalId === '.' || externalId === '..') return null; // no URL can carry them
  try {
    const success = await runner.run(endpoints['invoices.get'], { params: { ident: externalId } }, options, {
      deadlineAt,
      isPart: true,
    });
    return success.value.external_id === externalId ? success : null;
  } catch (error) {
    if (isMerchantError(error) && isNoAnswer(error)) return null;
    throw error;
  }
}

/** The service has answered, and not with an invoice: the list may have it. */
function isNoAnswer(error: AnyMerchantError): boolean {
  if (error.kind === 'server') return NOT_AN_IDENT.has(error.status ?? 0);
  return ['not_found', 'validation', 'conflict', 'request', 'unexpected_response'].includes(error.kind);
}

async function findInList(
  runner: Runner,
  externalId: string,
  currency: string | undefined,
  options: CallOptions,
  deadlineAt: number,
): Promise<Success<Invoice> | null> {
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const query = { currency, page, per_page: PAGE_SIZE };
    const extras = { data: lenientList, page, deadlineAt, isPart: true } as const;
    const success = await runner.run(endpoints['invoices.list'], { query }, options, extras);
    const invoice = success.value.items.find((item) => item.external_id === externalId);
    if (invoice !== undefined) return { ...success, value: invoice };
    // A service that ignores the page would answer the same one twenty times.
    if (!success.value.has_next || success.value.page !== page) return null;
  }
  return null;
}

/** What of an existing invoice is not what was asked for; empty when it is the same charge. */
export function differencesOf(sent: WireRecord, existing: Invoice): ComparedField[] {
  const { amount = '', currency = '', customer_id = '' } = sent;
  const differences: ComparedField[] = [];
  if (!existing.amount.eq(new Decimal(amount))) differences.push('amount');
  if (existing.currency.code.toUpperCase() !== currency.toUpperCase()) differences.push('currency');
  if (existing.customer_id !== customer_id) differences.push('customer_id');
  return differences;
}
