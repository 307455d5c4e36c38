import type { JsonObject } from '../contract/json.ts';
import { FINAL_INVOICE_STATUSES } from '../contract/statuses.ts';
import { type Answer, isSuccess, pageIn, rowsIn, singleIn } from './answer.ts';
import { type Changes, changesOf, showsName } from './query-names.ts';
import { isIncident } from './rules/failures.ts';

/** A listed invoice, as far as later requests need it. */
export interface ListedInvoice {
  readonly uuid: string;
  readonly externalId: string | null;
  readonly isFinal: boolean;
  readonly isSilent: boolean;
  readonly body: { readonly amount: string; readonly currency: string; readonly customer_id: string } | null;
}

/** The facts about the account that a running probe needs. They are never stored. */
export interface AccountState {
  readonly invoices: ListedInvoice[];
  withdrawal: string | null;
  /** The number of pages of the invoices, at 100 a page. */
  pages: number;
  /** True if a query name that no service has was refused. Null if the answer does not show it. */
  refusesUnknown: boolean | null;
  /** The values that would change the list of withdrawals. */
  changes: Changes;
  /** The points of the withdrawals query whose name is found. */
  readonly found: Set<string>;
  /** The smallest chargeable amount of each currency. */
  readonly smallest: Map<string, string>;
}

export function newState(): AccountState {
  return {
    invoices: [],
    withdrawal: null,
    pages: 1,
    refusesUnknown: null,
    changes: {},
    found: new Set(),
    smallest: new Map(),
  };
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Remembers what later requests need. */
export function learn(state: AccountState, answer: Answer): void {
  if (isIncident(answer)) return;
  const { question, asked, status } = answer;
  switch (question) {
    case 'methods':
      for (const method of rowsIn(answer)) addSmallest(state, method);
      return;
    case 'invoices': {
      const pages = pageIn(answer)?.['total_pages'];
      if (typeof pages === 'number') state.pages = Math.max(state.pages, pages);
      for (const row of rowsIn(answer)) addInvoice(state, row);
      return;
    }
    case 'read by uuid':
    case 'read by external_id': {
      const row = singleIn(answer, 'invoice')?.row;
      if (row !== undefined) addInvoice(state, row);
      return;
    }
    case 'withdrawals':
      state.changes = changesOf(answer);
      state.withdrawal ??=
        rowsIn(answer)
          .map((row) => text(row['uuid']))
          .find((uuid) => uuid !== null) ?? null;
      return;
    case 'unknown query name':
      state.refusesUnknown = isSuccess(answer) ? false : status === 422 ? true : null;
      return;
    case 'query name':
      if (asked.point !== undefined && showsName(answer)) state.found.add(asked.point);
      return;
    default:
  }
}

function addInvoice({ invoices }: AccountState, row: JsonObject): void {
  const [uuid, externalId, amount, customer] = [row['uuid'], row['external_id'], row['amount'], row['customer_id']].map(
    text,
  );
  const currency = row['currency'];
  const code = typeof currency === 'object' && currency !== null && 'code' in currency ? text(currency.code) : null;
  if (uuid === null || uuid === undefined || invoices.some((known) => known.uuid === uuid)) return;
  const isFinal = FINAL_INVOICE_STATUSES.some((status) => status === row['status']);
  invoices.push({
    uuid,
    externalId: externalId ?? null,
    isFinal,
    isSilent: isFinal && (row['callback_url'] ?? '') === '',
    body: amount && code && customer ? { amount, currency: code, customer_id: customer } : null,
  });
}

function addSmallest({ smallest }: AccountState, method: JsonObject): void {
  const min = text(method['min_amount']);
  const currency = method['currency'];
  const code = typeof currency === 'object' && currency !== null && 'code' in currency ? text(currency.code) : null;
  if (min === null || code === null || !/^\d{1,12}(?:\.\d{1,18})?$/.test(min)) return;
  const before = smallest.get(code);
  if (before === undefined || Number(min) < Number(before)) smallest.set(code, min);
}
