import type { CallOptions } from '../call/options.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { Invoice } from '../contract/types.ts';
import type { Runner, Success } from '../transport/runner.ts';
import type { CallTraits } from '../transport/scope.ts';
import { compared, invoiceDifferences } from './compared.ts';

const endpoint = endpoints['invoices.get'];

/** One read of an invoice by its uuid or external_id; another invoice in its place is refused. */
export function readInvoice(
  runner: Runner,
  ident: string,
  options?: CallOptions,
  traits: Pick<CallTraits<Invoice>, 'deadlineAt'> = {},
): Promise<Success<Invoice>> {
  const data = compared(endpoint.data, (invoice) => invoiceDifferences(ident, invoice));
  return runner.run(endpoint, { params: { ident } }, options, { ...traits, data, externalId: () => ident });
}
