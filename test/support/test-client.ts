import { clientWithRuntime, MerchantClient } from '../../src/client.ts';
import { type AnyMerchantError, isMerchantError } from '../../src/errors/guards.ts';
import type { MerchantClientOptions } from '../../src/options.ts';
import type { Runtime } from '../../src/transport/limits.ts';
import { TIMEOUT } from './fake-runtime.ts';

export const API_KEY = 'key_7Hq2/Zx+9"Lm';

export const order = {
  external_id: 'order-1042',
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
} as const;

/** A client of this address. Without a runtime, failures are repeated after the shortest waits there are. */
export function clientOf(
  baseUrl: string,
  { runtime, ...options }: MerchantClientOptions & { readonly runtime?: Runtime } = {},
): MerchantClient {
  const quick = runtime === undefined ? { retry: { baseDelay: 0, maxDelay: 0 } } : { deadline: 10 * TIMEOUT };
  const all = { baseUrl, apiKey: API_KEY, timeout: TIMEOUT, ...quick, ...options };
  return runtime === undefined ? new MerchantClient(all) : clientWithRuntime(all, runtime);
}

/** The error of a call that must fail, which must be one of ours. */
export async function errorOf(call: PromiseLike<unknown>): Promise<AnyMerchantError> {
  try {
    await call;
  } catch (error) {
    if (isMerchantError(error)) return error;
    throw new Error(`not an error of the package: ${String(error)}`, { cause: error });
  }
  throw new Error('the call has succeeded');
}
