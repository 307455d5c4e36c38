import type { CallOptions } from '../call-options.ts';
import type { WireRecord } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { CreatedInvoice, CreateInvoiceParams, Invoice } from '../contract/types.ts';
import { AbortedError, hasCode, type InvoiceAlreadyExistsError, InvoiceMismatchError } from '../errors.ts';
import type { Runner, Success } from '../transport/runner.ts';
import { differencesOf, readBack } from './read-back.ts';

/** `created` is true also for an invoice that an own attempt had created before its answer was lost. */
export interface Creation {
  readonly created: boolean;
  readonly success: Success<CreatedInvoice>;
}

const endpoint = endpoints['invoices.create'];

/** Creates, and reads back where that settles what happened; `orGet` reads back also what somebody else created. */
export async function createInvoice(
  runner: Runner,
  params: CreateInvoiceParams,
  options: CallOptions,
  orGet: boolean,
): Promise<Creation> {
  const startedAt = runner.runtime.now();
  try {
    const deadlineAt = startedAt + runner.limits(options, endpoint.operation).deadline;
    return await createOrRecover(runner, params, options, orGet, startedAt, deadlineAt);
  } catch (error) {
    runner.reportFailure(endpoint, error, startedAt);
    throw error;
  }
}

async function createOrRecover(
  runner: Runner,
  params: CreateInvoiceParams,
  options: CallOptions,
  orGet: boolean,
  startedAt: number,
  deadlineAt: number,
): Promise<Creation> {
  const externalId = typeof params?.external_id === 'string' ? { externalId: params.external_id } : {};
  try {
    const extras = { deadlineAt, isPart: true, ...externalId } as const;
    return { created: true, success: await runner.run(endpoint, { body: params }, options, extras) };
  } catch (error) {
    if (!hasCode(error, 'INVOICE_ALREADY_EXISTS')) throw error;
    // Only after an own attempt with an unknown end can the existing invoice be our own.
    const ambiguous = error.outcome === 'unknown';
    const sent = endpoint.body?.(params);
    if ((!ambiguous && !orGet) || !sent?.ok) throw error;
    const found = await recover(runner, sent.value, options, deadlineAt, error);
    const durationMs = runner.runtime.now() - startedAt;
    return {
      created: ambiguous,
      success: { ...found, attempts: error.attempts.length, durationMs, recovered: ambiguous },
    };
  }
}

/** The existing invoice, if it is the same charge; the conflict itself, which says what is known, if it cannot be read. */
async function recover(
  runner: Runner,
  sent: WireRecord,
  options: CallOptions,
  deadlineAt: number,
  conflict: InvoiceAlreadyExistsError,
): Promise<Success<Invoice>> {
  const found = await readBack(runner, sent, { ...options, query: {} }, deadlineAt).catch((error: unknown) => {
    throw hasCode(error, 'SDK_ABORTED') ? abortedWhileReading(conflict, error) : conflict;
  });
  if (found === null) throw conflict;
  const differences = differencesOf(sent, found.value);
  if (differences.length === 0) return found;
  const { operation, attempts } = conflict;
  throw new InvoiceMismatchError({
    code: 'SDK_INVOICE_MISMATCH',
    operation,
    attempts,
    outcome: 'rejected', // read back and compared: ours was not created
    differences,
    existing: found.value,
    message: `${operation}: another invoice has this external_id, with another ${differences.join(' and ')}. Give each charge an external_id of its own.`,
  });
}

function abortedWhileReading(
  { operation, attempts, outcome }: InvoiceAlreadyExistsError,
  error: AbortedError,
): AbortedError {
  return new AbortedError({
    code: 'SDK_ABORTED',
    operation,
    attempts,
    outcome,
    stoppedBy: 'aborted',
    reason: error.reason,
    message: `${operation}: aborted by the caller's signal while the existing invoice was read.`,
  });
}
