// The room `resources` holds the sub-clients: for each an interface that users see, and the functions behind it. It
// imports transport, contract, options and the ground. Only webhooks.ts imports the receiver.

import { endpoints } from '../contract/endpoints.ts';
import type { CreatedInvoice, CreateInvoiceParams, Invoice, ListInvoicesQuery } from '../contract/invoices.ts';
import { isFinalStatus } from '../contract/statuses.ts';
import { argumentFail, checkOptions, checkSignal, namesOf, readDuration } from '../errors/checks.ts';
import { AbortedError, type MerchantErrorInit, TimeoutError } from '../errors/classes.ts';
import type { SdkCode, StoppedBy } from '../errors/codes.ts';
import { type AnyMerchantError, isMerchantError } from '../errors/guards.ts';
import type { CallOptions, ListOptions } from '../options.ts';
import { call, open, sendOrThrow, settleOrThrow } from '../transport/call.ts';
import { pause } from '../transport/limits.ts';
import type { ClientCore } from '../transport/types.ts';
import { type Call, CallPromise, type ListCall, SourceLine } from './call-promise.ts';
import { type ComparedText, createInvoice } from './create-invoice.ts';
import { listCall } from './list.ts';

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

/** Invoices: what the customer is asked to pay for an order, each with a hosted payment link. */
export interface Invoices {
  /**
   * Creates an invoice. Safe to repeat with the same external_id: no second invoice is ever created.
   *
   * If one of this call's attempts got no response and had created the invoice, the invoice is read back, compared and
   * returned. `recovered` of `withResponse()` is then true.
   *
   * @throws InvoiceAlreadyExistsError (`INVOICE_ALREADY_EXISTS`) if the external_id is taken.
   * @throws InvoiceMismatchError (`SDK_INVOICE_MISMATCH`) if the external_id is taken, an earlier attempt got no
   * response, and the invoice that is read back has another amount, currency or customer.
   * @throws ValidationError (`VALIDATION_ERROR`) for unusable parameters. No request is made if the client finds them.
   * @example
   * const invoice = await merchant.invoices.create({
   *   external_id: 'order-1042',
   *   amount: '25.00',
   *   currency: 'EUR',
   *   customer_id: 'customer-7',
   * });
   * @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices)
   */
  create(params: CreateInvoiceParams, options?: CallOptions): Call<CreatedInvoice>;

  /**
   * Creates the invoice, or reads the one that has this external_id. An invoice that is found may be final, for example
   * paid. Check its status before you send the customer to it.
   *
   * @throws ValidationError (`VALIDATION_ERROR`) for unusable parameters. No request is made if the client finds them.
   * @throws InvoiceMismatchError (`SDK_INVOICE_MISMATCH`) if the invoice has another amount, currency or customer.
   * @throws InvoiceAlreadyExistsError (`INVOICE_ALREADY_EXISTS`) if the invoice exists and cannot be read.
   * @example
   * const { created, invoice } = await merchant.invoices.createOrGet(params);
   * @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices)
   */
  createOrGet(params: CreateInvoiceParams, options?: CallOptions): Call<CreateOrGetResult>;

  /**
   * Reads one invoice.
   *
   * @param ident The service's uuid, or the external_id.
   * @throws NotFoundError (with the code of the service) if the business has no such invoice.
   * @example
   * const { status } = await merchant.invoices.get('order-1042');
   * @see [GET /api/v1/external/invoices/{ident}](../../docs/service-interface.md#get-apiv1externalinvoicesident)
   */
  get(ident: string, options?: CallOptions): Call<Invoice>;

  /**
   * Lists invoices in the order of the service. The result is a promise of one page and an async iterable of all
   * invoices. Invoices of another status or currency than was asked for are left out, with an `onDrift` event.
   *
   * @param query Filters and page. `per_page` is 1 to 100.
   * @throws ValidationError (`VALIDATION_ERROR`) for an unusable filter. No request is made.
   * @example
   * for await (const invoice of merchant.invoices.list({ status: 'success' })) console.log(invoice.external_id);
   * @see [GET /api/v1/external/invoices](../../docs/service-interface.md#get-apiv1externalinvoices)
   */
  list(query?: ListInvoicesQuery, options?: ListOptions): ListCall<Invoice>;

  /**
   * Reads the invoice again and again until it is final, with growing pauses. An outage of the service does not end the
   * wait. For scripts and tests: a shop acts on the webhook.
   *
   * @throws TimeoutError (`SDK_DEADLINE`) when `timeout` has passed.
   * @example
   * const invoice = await merchant.invoices.waitUntilFinal('order-1042', { timeout: 60_000 });
   * @see [Invoice states](../../docs/service-interface.md#invoice-states)
   */
  waitUntilFinal(ident: string, options?: WaitOptions): Promise<Invoice>;
}

/**
 * Options of {@link Invoices.waitUntilFinal}. Durations in milliseconds.
 *
 * @example
 * await merchant.invoices.waitUntilFinal('order-1042', { interval: 5_000, timeout: 600_000 });
 */
export interface WaitOptions {
  /**
   * The first pause between two reads. It grows by half each time, up to ten times this.
   * @defaultValue 2_000
   */
  readonly interval?: number | undefined;
  /**
   * The longest wait.
   * @defaultValue 1_800_000, which is 30 minutes
   */
  readonly timeout?: number | undefined;
  /** Ends the wait with an {@link AbortedError}. */
  readonly signal?: AbortSignal | undefined;
}

/** @internal */
export function buildInvoices(client: ClientCore): Invoices {
  const waitUntilFinal: Invoices['waitUntilFinal'] = async (ident, options = {}) => {
    const site = new SourceLine(waitUntilFinal);
    try {
      return await pollUntilFinal(client, ident, options);
    } catch (failure) {
      throw site.locate(failure);
    }
  };
  return {
    create: (params, options) => new CallPromise(createInvoice(client, params, options, false)),
    createOrGet: (params, options) =>
      new CallPromise(
        createInvoice(client, params, options, true).then((creation) => ({
          ...creation,
          value: creation.created
            ? { created: true, invoice: creation.value }
            : { created: false, invoice: creation.value, differences: creation.differences },
        })),
      ),
    get: (ident, options) => new CallPromise(call(client, endpoints['invoices.get'], { params: { ident }, options })),
    list: (query = {}, options = {}) =>
      listCall(client, endpoints['invoices.list'], query, options, {
        filtersOf: ({ status, currency }) => [
          { member: 'status', asked: status, wordOf: (invoice: Invoice) => invoice.status },
          { member: 'currency', asked: currency, wordOf: (invoice: Invoice) => invoice.currency.code },
        ],
      }),
    waitUntilFinal,
  };
}

const OPERATION = 'invoices.waitUntilFinal';
const WAIT_NAMES = namesOf<WaitOptions>({ interval: true, timeout: true, signal: true });
const DEFAULT_INTERVAL = 2_000;
const DEFAULT_TIMEOUT = 30 * 60_000;
const GROWTH = 1.5;
const LONGEST = 10;
/** The last read begins this long before the end, so that a long pause does not miss a change. */
const LAST_READ_BEFORE_END = 1_000;
/** The kinds of failures that pass without a change by the caller. */
const PASSING = new Set(['connection', 'timeout', 'server', 'rate_limit']);

/** True for a failure that a later read may not have. In an outage a proxy may also send a page that is no JSON. */
function isPassing({ kind, code }: AnyMerchantError): boolean {
  return (PASSING.has(kind) && code !== 'SDK_TLS') || code === 'SDK_UNREADABLE_BODY';
}

/** Reads until the invoice is final. A state that the interface does not know is final once finished_at is set. */
async function pollUntilFinal(client: ClientCore, ident: string, options: WaitOptions): Promise<Invoice> {
  const fail = argumentFail(OPERATION);
  checkOptions('options', options, WAIT_NAMES, fail);
  const { signal } = options;
  checkSignal('options.signal', signal, fail);
  const interval = readDuration('interval', options.interval, DEFAULT_INTERVAL, fail);
  const timeout = readDuration('timeout', options.timeout, DEFAULT_TIMEOUT, fail);
  const { runtime } = client;
  const deadlineAt = runtime.monotonic() + timeout;
  const initOf = (code: SdkCode, stoppedBy: StoppedBy, problem: string): MerchantErrorInit => {
    const externalId = typeof ident === 'string' ? client.hide(ident) : null;
    const message = `${OPERATION}: ${problem}.`;
    return { code, operation: OPERATION, externalId, outcome: 'rejected', stoppedBy, message };
  };
  for (let wait = interval; ; wait = Math.min(wait * GROWTH, interval * LONGEST)) {
    const input = { params: { ident }, options: { signal: signal ?? undefined }, deadlineAt };
    const opened = open(client, endpoints['invoices.get'], input);
    const invoice = await settleOrThrow(opened, sendOrThrow(opened), { isHandled: isPassing }).then(
      ({ value }) => value,
      (error: unknown) => {
        if (isMerchantError(error) && isPassing(error)) return null;
        throw error;
      },
    );
    if (invoice !== null && (isFinalStatus(invoice.status) || invoice.finished_at !== null)) return invoice;
    const left = deadlineAt - Math.min(LAST_READ_BEFORE_END, timeout / 10) - runtime.monotonic();
    if (left <= 0) {
      const state = invoice === null ? 'the last read failed' : `it is still ${invoice.status}`;
      const remedy = 'Wait longer with "timeout", or act on the webhook';
      throw new TimeoutError(initOf('SDK_DEADLINE', 'deadline', `not final within ${timeout} ms, ${state}. ${remedy}`));
    }
    // Up to a fifth earlier, so that waiting processes do not read at the same moment.
    await pause(runtime, Math.min(left, wait * (1 - 0.2 * runtime.random())), signal ?? null);
    if (signal?.aborted) {
      const init = initOf('SDK_ABORTED', 'aborted', "aborted by the caller's signal");
      throw new AbortedError({ ...init, reason: signal.reason });
    }
  }
}
