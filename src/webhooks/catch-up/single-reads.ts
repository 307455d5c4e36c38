import { isMerchantError } from '../../errors/guards.ts';
import type { CatchUpClient, CatchUpInvoice } from './catch-up-client.ts';
import { type CatchUpCursor, refuseForeignCursor } from './cursor.ts';

/** An invoice, or the reason why not: the service does not know this ident, or its answer cannot be decoded. */
export type SingleRead = CatchUpInvoice | 'refused' | 'unreadable';

const REFUSALS: readonly string[] = ['not_found', 'validation', 'request', 'mismatch', 'configuration'];
const NOT_IMPLEMENTED = 501;

/** Reads one invoice. Rejects if the service gives no answer. */
export async function readOne(
  { invoices }: CatchUpClient,
  ident: string,
  signal: AbortSignal | undefined,
): Promise<SingleRead> {
  if (typeof invoices.get !== 'function') return 'refused';
  try {
    return await invoices.get(ident, { signal });
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    if (error.kind === 'unexpected_response') return 'unreadable';
    if (REFUSALS.includes(error.kind) || (error.kind === 'server' && error.status === NOT_IMPLEMENTED))
      return 'refused';
    throw error;
  }
}

/**
 * Checks that the account has the invoice that the cursor names. It is read by both ids, because a service may accept
 * only one.
 *
 * @throws ConfigurationError for the cursor of another account
 */
export async function checkAccount(
  merchant: CatchUpClient,
  { account }: CatchUpCursor,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (account === null || typeof merchant.invoices.get !== 'function') return;
  for (const ident of [account.uuid, account.external_id]) {
    const read = await readOne(merchant, ident, signal);
    if (read === 'unreadable') return;
    if (read !== 'refused' && read.uuid.toLowerCase() === account.uuid.toLowerCase()) return;
  }
  refuseForeignCursor(account.uuid);
}
