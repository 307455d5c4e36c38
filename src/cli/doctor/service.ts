import { isMerchantError } from '../../errors/classes.ts';
import { type Diagnosis, fine, wrong } from './diagnosis.ts';

const PATIENCE = 10_000;
/** Webhooks are refused from five minutes on; this leaves room for their way. */
const SKEW = 60_000;
const READ = '/api/v1/external/payment-methods';

interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly allowHttp: boolean;
  readonly signal: AbortSignal;
}

/** Asks the service: without the key first, so that a redirect cannot carry it away, then one read-only call with it. */
export async function examineService(target: Target): Promise<Diagnosis[]> {
  const address = target.baseUrl.replace(/\/+$/, '');
  const began = Date.now();
  let response: Response;
  try {
    const signal = AbortSignal.any([target.signal, AbortSignal.timeout(PATIENCE)]);
    response = await fetch(`${address}${READ}`, { redirect: 'manual', signal });
    await response.body?.cancel();
  } catch (error) {
    const unreachable = wrong('reachable', `cannot reach ${address}: ${causeOf(error)}`, mendFor(address));
    return [{ ...unreachable, unreachable: true }];
  }
  const ended = Date.now();
  return [
    fine('reachable', `${new URL(address).host} answers in ${ended - began} ms`),
    redirectFinding(response, address),
    skewFinding(response.headers.get('date'), began, ended),
    await callFinding(target),
  ];
}

function redirectFinding({ status, headers }: Response, address: string): Diagnosis {
  if (status < 300 || status > 399) return fine('redirects', 'no redirect');
  const to = headers.get('location');
  const target = to !== null && URL.canParse(to, address) ? new URL(to, address).origin : 'somewhere else';
  return wrong(
    'redirects',
    `${address} redirects to ${target}; the client never follows, as the key would go along`,
    `export MERCHANT_BASE_URL=${target}`,
  );
}

function skewFinding(date: string | null, began: number, ended: number): Diagnosis {
  const theirs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return fine('clock', 'the service sends no Date header, so the clock cannot be compared');
  // The header has whole seconds, and the answer was written somewhere between the two instants.
  const skew = theirs + 500 - (began + ended) / 2;
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= SKEW)
    return fine('clock', `the clock is right (${seconds <= 1 ? 'within a second' : `${seconds} s apart`})`);
  return wrong(
    'clock',
    `this machine's clock is ${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} the service's: webhooks will be refused as too ${skew > 0 ? 'new' : 'old'}`,
    'timedatectl set-ntp true   # or whatever sets the clock of this system',
  );
}

async function callFinding({ baseUrl, apiKey, allowHttp, signal }: Target): Promise<Diagnosis> {
  const { MerchantClient } = await import('../../client.ts');
  try {
    const client = new MerchantClient({ baseUrl, apiKey, allowHttp, retry: false, timeout: PATIENCE });
    const methods = await client.paymentMethods.list({ signal });
    const currencies = [...new Set(methods.map(({ currency }) => currency.code))].sort();
    return fine('call', `the key works: ${methods.length} payment methods, ${currencies.join(' ') || 'no currency'}`);
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    const mend =
      error.kind === 'authentication'
        ? 'export MERCHANT_API_KEY=…   # the key of this business, from the dashboard'
        : 'merchant-invoicing doctor   # again in a minute; then docs/errors.md, by the code';
    return wrong('call', `the read-only call failed: ${error.code} ${error.message}`, mend);
  }
}

function mendFor(address: string): string {
  const isSandbox = /^http:\/\/(?:127\.0\.0\.1|localhost):/.test(address);
  return isSandbox ? 'merchant-invoicing sandbox' : `curl -sv ${address}${READ}`;
}

function causeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${PATIENCE / 1000} s`;
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  if (typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string')
    return cause.code;
  return cause instanceof Error ? cause.message : 'no answer';
}
