import { endpoints } from '../contract/endpoints.ts';
import type { CreatedInvoice, CreateInvoiceParams, Invoice } from '../contract/invoices.ts';
import { createInvoiceBodyWithHttp } from '../contract/invoices.ts';
import { AbortedError, InvoiceAlreadyExistsError, InvoiceMismatchError } from '../errors/classes.ts';
import type { Outcome } from '../errors/codes.ts';
import { hasCode, isMerchantError } from '../errors/guards.ts';
import { afterUnknown } from '../transport/failure.ts';
import { hideIn } from '../transport/hide.ts';
import type { CallOptions } from '../transport/options.ts';
import { CREATE_OR_GET } from '../transport/refusal.ts';
import { type CallScope, type ClientCore, openCall } from '../transport/scope.ts';
import { observed, type Success, sendCall } from '../transport/send.ts';
import { compared, creationDifferences, differencesOf, type InvoiceOrigin, originOf } from './compare-invoices.ts';
import { readBack } from './read-invoice.ts';

/** `created` is true also for an invoice that one of the call's attempts made before its answer was lost. */
export type Creation =
  | (Success<CreatedInvoice> & { readonly created: true })
  | (Success<Invoice> & { readonly created: false });

const strictEndpoint = endpoints['invoices.create'];
const endpointWithHttp = { ...strictEndpoint, body: createInvoiceBodyWithHttp };

/**
 * Creates an invoice, and reads it back where that decides whether it was created. `orGet` also returns an invoice that
 * the call did not create.
 */
export function createInvoice(
  client: ClientCore,
  params: CreateInvoiceParams,
  options: CallOptions,
  orGet: boolean,
): Promise<Creation> {
  const endpoint = client.allowHttp ? endpointWithHttp : strictEndpoint;
  const open = (): CallScope<CreatedInvoice> => {
    const spec = {
      body: params,
      externalId: () => params?.external_id,
      data: compared(endpoint.data, (created) => creationDifferences(scope.sent, created)),
    };
    const scope: CallScope<CreatedInvoice> = openCall(client, endpoint, spec, options);
    return scope;
  };
  return observed(client, endpoint, open, (scope) => createOrRecover(scope, orGet));
}

async function createOrRecover(scope: CallScope<CreatedInvoice>, orGet: boolean): Promise<Creation> {
  try {
    return { ...(await sendCall(scope)), created: true };
  } catch (error) {
    if (!hasCode(error, 'INVOICE_ALREADY_EXISTS')) throw error;
    // Only after an attempt with an unknown outcome can this call have created the existing invoice.
    const isAmbiguous = error.outcome === 'unknown';
    if (!isAmbiguous && !orGet) throw error;
    const { found, requests } = await recover(scope, orGet ? withoutAdvice(error) : error);
    const origin = isAmbiguous ? originOf(found, scope) : 'older';
    if (origin !== 'this_call' && !orGet) throw conflictOfOther(error, hideIn(found.value, found.answer.hide), origin);
    const recovered = origin === 'this_call';
    const attempts = error.attempts.length + requests;
    const durationMs = scope.client.runtime.monotonic() - scope.startedAt;
    return { ...found, attempts, durationMs, recovered, created: recovered };
  }
}

/** Returns the existing invoice if it is the same charge. Throws the conflict with all known facts if it cannot be read. */
async function recover(
  scope: CallScope<CreatedInvoice>,
  conflict: InvoiceAlreadyExistsError,
): Promise<{ readonly found: Success<Invoice>; readonly requests: number }> {
  const { found, requests } = await readBack(scope).catch((error: unknown) => {
    if (!isMerchantError(error)) throw error;
    if (hasCode(error, 'SDK_ABORTED')) throw abortedWhileReading(conflict, error);
    throw conflictWith(conflict, `The existing invoice could not be read (${error.code}).`, { cause: error });
  });
  if (found === null) throw conflictWith(conflict, NOT_FOUND);
  const differences = differencesOf(scope.sent, found.value);
  if (differences.length === 0) return { found, requests };
  const { operation, attempts, externalId } = conflict;
  throw new InvoiceMismatchError({
    code: 'SDK_INVOICE_MISMATCH',
    operation,
    externalId,
    attempts,
    outcome: 'rejected', // read back and compared: this call's was not created
    differences,
    existing: hideIn(found.value, found.answer.hide),
    message: `${operation}: another invoice has this external_id, with another ${differences.join(' and ')}. Give each charge a separate external_id.`,
  });
}

/** A createOrGet that could not read the invoice does not advise createOrGet. */
function withoutAdvice(conflict: InvoiceAlreadyExistsError): InvoiceAlreadyExistsError {
  const { raw } = conflict; // a getter, which the copy leaves out
  return new InvoiceAlreadyExistsError({ ...conflict, raw, message: conflict.message.replace(CREATE_OR_GET, '') });
}

/** The conflict of a call whose lost attempt cannot have made, or may not have made, the invoice that exists. */
function conflictOfOther(conflict: InvoiceAlreadyExistsError, existing: Invoice, origin: InvoiceOrigin): Error {
  return origin === 'older'
    ? conflictWith(conflict, 'The invoice is older than this call.', { existing, outcome: 'rejected' })
    : conflictWith(conflict, 'An attempt of this call that got no answer may have created it.', { existing });
}

const NOT_FOUND =
  'The existing invoice could not be read: neither the path nor the pages of the list that were read have it.';

function conflictWith(
  conflict: InvoiceAlreadyExistsError,
  note: string,
  change: { readonly existing?: Invoice; readonly outcome?: Outcome; readonly cause?: unknown } = {},
): InvoiceAlreadyExistsError {
  // An outcome that was unknown when the conflict came may be known now.
  const doubt = afterUnknown({ operation: conflict.operation ?? '', outcome: 'unknown', isWrite: true });
  const said = change.outcome === 'rejected' ? conflict.message.replace(doubt, () => '') : conflict.message;
  return new InvoiceAlreadyExistsError({
    ...conflict,
    ...change,
    existingStatus: change.existing?.status ?? conflict.existingStatus,
    raw: conflict.raw, // a getter, which the copy leaves out
    message: `${said} ${note}`,
  });
}

function abortedWhileReading(
  { operation, attempts, outcome, externalId }: InvoiceAlreadyExistsError,
  error: AbortedError,
): AbortedError {
  return new AbortedError({
    code: 'SDK_ABORTED',
    operation,
    externalId,
    attempts,
    outcome,
    stoppedBy: 'aborted',
    reason: error.reason,
    message: `${operation}: aborted by the caller's signal while the existing invoice was read.`,
  });
}
