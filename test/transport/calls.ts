import type { MerchantClient } from '../../src/client.ts';
import { order } from '../support/test-client.ts';

/** One call of each kind that the retry table knows: two reads, a write that is safe to repeat, and one that is not. */
export const CALLS = {
  get: (client: MerchantClient) => client.invoices.get('order-1042'),
  list: (client: MerchantClient) => client.invoices.list(),
  create: (client: MerchantClient) => client.invoices.create(order),
  resend: (client: MerchantClient) => client.webhooks.resend('order-1042'),
};
