import { MerchantClient } from 'merchant-invoicing';
import { handler } from './handler.ts';

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

const { failed, busy, invalid, ...rest } = await handler.catchUp(new MerchantClient(), {
  since: Date.now() - 2 * 86_400_000, // two days: longer than the retries of the service and than any outage
  signal: stop.signal,
});
console.log(rest);
process.exitCode = failed + busy + invalid > 0 ? 1 : 0; // a cron job reports a code that is not 0
