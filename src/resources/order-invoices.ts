import type { Endpoint, PageRows } from '../contract/endpoint.ts';
import { endpoints, type Named, type Operation } from '../contract/endpoints.ts';
import type { Invoice } from '../contract/invoices.ts';
import { orderOf } from '../contract/orders.ts';
import { isSameIdent } from '../contract/values/scalars.ts';
import { type IdentProof, type InvoiceIds, type InvoicePaths, readByPath } from '../lookup/by-path.ts';
import { mayBeOf, walkPagesWithin } from '../lookup/in-pages.ts';
import { readOrder } from '../lookup/order.ts';
import { atPage, finish, open } from '../transport/call.ts';
import { toError } from '../transport/failure.ts';
import { responseOf, send } from '../transport/send.ts';
import type {
  ClientCore,
  CompleteOptions,
  OpenCall,
  ServiceResponse,
  Success,
  WrongOptions,
} from '../transport/types.ts';
import { keyOf, pageRows } from './list.ts';
import { pageError, walkPages } from './walk.ts';

// Reads of invoices that are a part of another call: they share its id, its deadline and its operation.

const singleRead = endpoints['invoices.get'];
const listRead = pageRows(endpoints['invoices.list'], true);
/** The most pages of a list that one call reads, because a customer may wait for it. */
const PAGES_MAX = 20;
const PAGE_SIZE = 100;

/** An invoice with the response that contained it. */
export type FoundInvoice = Success<Invoice> & InvoiceIds;

/** A page of a list of invoices. */
interface FoundPage {
  readonly rows: readonly FoundInvoice[];
  /** The rows that cannot be read, as the service sent them. */
  readonly unreadable: readonly unknown[];
  /** The rows of the whole list, as the service counts them. */
  readonly total: number;
}

/** Reads invoices within a call, and counts the requests. */
export class InvoiceReader implements InvoicePaths<FoundInvoice> {
  readonly #call: OpenCall<unknown>;
  readonly #single: Named<Endpoint<Invoice>>;
  readonly #list: Named<Endpoint<PageRows<Invoice>>>;
  /** Requests made. */
  requests = 0;
  /** The latest response. */
  response: ServiceResponse | null = null;

  /** @param operation The name of the reads in errors and hooks. Default: those of their endpoints. */
  constructor(call: OpenCall<unknown>, operation?: Operation) {
    this.#call = call;
    this.#single = operation === undefined ? singleRead : { ...singleRead, operation };
    this.#list = operation === undefined ? listRead : { ...listRead, operation };
  }

  async get(ident: string): Promise<FoundInvoice> {
    const call = open(this.#call.client, this.#single, { params: { ident }, within: this.#call });
    const success = await this.#send(call);
    return found(success, success.value);
  }

  async firstPage(): Promise<readonly FoundInvoice[]> {
    const query = { page: 1, per_page: PAGE_SIZE };
    const success = await this.#send(open(this.#call.client, this.#list, { query, page: 1, within: this.#call }));
    return success.value.page.items.map((invoice) => found(success, invoice));
  }

  /** The pages of the list of all invoices, or of those in a currency. */
  async *pages(currency?: string): AsyncGenerator<FoundPage> {
    const { client, signal, callId, startedAt, deadlineAt } = this.#call;
    const query = { currency, page: 1, per_page: PAGE_SIZE };
    const first = open(client, this.#list, { query, page: 1, within: this.#call });
    const unreadable = new Map<string, unknown>();
    const read = async (call: typeof first) => {
      const success = await this.#send(call);
      const { page, invalid } = success.value;
      for (const row of invalid) unreadable.set(keyOf(row, page.page), row.raw);
      const items = page.items.map((invoice) => found(success, invoice));
      return { page: { ...page, items }, skipped: invalid.map((row) => keyOf(row, page.page)) };
    };
    const pages = walkPages<FoundInvoice>({
      operation: this.#list.operation,
      first: await read(first),
      startPage: 1,
      prefetch: 1,
      signal,
      key: ({ uuid }) => uuid,
      read: (number, pageSignal) => ({
        page: read({ ...atPage(first, number, pageSignal), callId, startedAt, deadlineAt }),
        failed: () => {},
      }),
    });
    for await (const { items: rows, total_items: total } of pages) {
      yield { rows, unreadable: [...unreadable.values()], total };
      unreadable.clear();
    }
  }

  async #send<Data>(call: OpenCall<Data>): Promise<Success<Data>> {
    const result = await send(call);
    this.requests += result.ok ? result.attempts : result.attempts.length;
    this.response = responseOf(result) ?? this.response;
    if (!result.ok) throw toError(call, result);
    return result;
  }
}

function found(success: Success<unknown>, value: Invoice): FoundInvoice {
  return { ...success, value, uuid: value.uuid, external_id: value.external_id };
}

/**
 * Finds the invoice that has taken an external_id: by its path, or in the list if the path does not give it. Null if the
 * pages that were read do not show it.
 *
 * @throws The error of a read that says nothing of the ident.
 */
export async function findTaken(
  reader: InvoiceReader,
  proof: IdentProof,
  external_id: string,
  currency: string | undefined,
): Promise<FoundInvoice | null> {
  const reading = await readByPath(external_id, reader, proof, { exists: true });
  if (reading.is === 'invoice' && reading.invoice.external_id === external_id) return reading.invoice;
  let taken: FoundInvoice | undefined;
  await walkPagesWithin(reader.pages(currency), { pages: PAGES_MAX }, ({ rows }) => {
    taken = rows.find((row) => row.external_id === external_id);
    return taken !== undefined;
  });
  return taken ?? null;
}

/** Reads all invoices of an order. Rejects where it is not sure that these are all. */
export async function invoicesOfOrder(
  client: ClientCore,
  proof: IdentProof,
  order: string,
  settings: CompleteOptions | WrongOptions,
): Promise<Success<readonly Invoice[]>> {
  const operation = 'invoices.ofOrder';
  const call = open(client, { ...singleRead, operation }, { params: { ident: order }, settings });
  return finish(call, readWhole(call, new InvoiceReader(call, operation), proof, order));
}

async function readWhole(
  call: OpenCall<unknown>,
  reader: InvoiceReader,
  proof: IdentProof,
  ident: string,
): Promise<Success<readonly Invoice[]>> {
  const { order, invoices, rest, error } = await readOrder(ident, reader, proof);
  if (rest === 'failed') throw error;
  const all = rest === 'none' ? invoices : await withListed(invoices, reader, ident, order, call);
  const response = all.at(-1)?.response ?? reader.response;
  if (response === null) throw error; // it was answered, so there is one
  const { runtime } = call.client;
  return {
    ok: true,
    value: all.map(({ value }) => value),
    response,
    attempts: reader.requests,
    durationMs: runtime.monotonic() - call.startedAt,
    recovered: false,
  };
}

/** Adds the invoices of the order that no path gave, from the list of all invoices. */
async function withListed(
  read: readonly FoundInvoice[],
  reader: InvoiceReader,
  ident: string,
  order: string,
  { client, externalId }: OpenCall<unknown>,
): Promise<readonly FoundInvoice[]> {
  const rows: FoundInvoice[] = [];
  const unreadable: unknown[] = [];
  let total = 0;
  const ending = await walkPagesWithin(reader.pages(), { pages: PAGES_MAX }, (page) => {
    rows.push(...page.rows);
    unreadable.push(...page.unreadable);
    total = page.total;
    return false;
  });
  const refuse = (page: number, problem: string): never => {
    const advice = 'Pass the uuid of its invoice to invoices.get';
    throw pageError(
      'invoices.ofOrder',
      page,
      `the order was not found by its path, and ${problem}. ${advice}`,
      externalId === null ? null : client.hide(externalId),
    );
  };
  if (ending === 'limit' && rows.length + unreadable.length < total)
    refuse(PAGES_MAX, `the list of invoices is longer than the ${PAGES_MAX} pages that a call reads`);
  const named = rows.find(({ uuid }) => isSameIdent(uuid, ident));
  const wanted = named === undefined ? order : orderOf(named.external_id).order;
  if (unreadable.some((row) => mayBeOf(row, ident, wanted)))
    refuse(1, 'a row of the list, which may be of the order, cannot be read');
  const byRenewal = new Map<number, FoundInvoice>();
  for (const row of [...rows, ...read]) {
    const { order: found, renewal } = orderOf(row.external_id);
    if (found === wanted) byRenewal.set(renewal, row);
  }
  return [...byRenewal.entries()].sort(([a], [b]) => a - b).map(([, row]) => row);
}
