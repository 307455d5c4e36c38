import type { MerchantError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { codeOf } from '../../sandbox/delivery/webhook-request.ts';
import { shellWord } from '../../sandbox/page/copies.ts';
import type { DriftEvent } from '../../transport/hooks.ts';
import { type CheckResult, excerpt, failed, passed } from '../report.ts';
import { Survey, type SurveyPoint } from './survey.ts';

const TIMEOUT = 10_000;
/** Receivers refuse webhooks that are older than five minutes. This leaves room for the delivery. */
const MAX_SKEW = 60_000;
const PATH = '/api/v1/external/payment-methods';

interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly allowHttp: boolean;
  readonly signal: AbortSignal;
}

/** What was found out about a service. */
export interface ServiceFindings {
  readonly checks: readonly CheckResult[];
  /** Empty where the key does not work. */
  readonly survey: readonly SurveyPoint[];
}

/** Asks the service first without the key, so that a redirect cannot receive it, then reads with it. Changes nothing. */
export async function checkService(target: Target): Promise<ServiceFindings> {
  const address = target.baseUrl.replace(/\/+$/, '');
  const began = Date.now();
  let response: Response;
  try {
    const signal = AbortSignal.any([target.signal, AbortSignal.timeout(TIMEOUT)]);
    response = await fetch(`${address}${PATH}`, { redirect: 'manual', signal });
    await response.body?.cancel();
  } catch (error) {
    const unreachable = failed('reachable', `cannot reach ${address}: ${causeOf(error)}`, fixFor(address));
    return { checks: [unreachable], survey: [] };
  }
  const ended = Date.now();
  const call = await checkCall(target);
  const checks = [
    passed('reachable', `${new URL(address).host} answers in ${ended - began} ms`),
    checkRedirect(response, address),
    checkClock(response.headers, began, ended),
    call,
  ];
  return { checks, survey: call.verdict === 'pass' ? await surveyOf(target) : [] };
}

function checkRedirect({ status, headers }: Response, address: string): CheckResult {
  if (status < 300 || status > 399) return passed('redirects', 'no redirect');
  const to = headers.get('location');
  const target = to !== null && URL.canParse(to, address) ? new URL(to, address).origin : null;
  return failed(
    'redirects',
    `${address} redirects to ${target ?? 'somewhere else'}. The client never follows a redirect, because it would send the key there`,
    target === null ? 'ask the owner of the service for its address' : `export MERCHANT_BASE_URL=${shellWord(target)}`,
  );
}

function checkClock(headers: Headers, began: number, ended: number): CheckResult {
  // Its clock is moved by hand, and its deliveries are stamped with the time of this machine.
  if (headers.has('x-sandbox')) return passed('clock', 'a sandbox has its own clock, which is not compared');
  const date = headers.get('date');
  const theirs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return passed('clock', 'the service sends no Date header, so the clock cannot be compared');
  // The header has whole seconds, and the answer was written somewhere between the two instants.
  const skew = theirs + 500 - (began + ended) / 2;
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= MAX_SKEW)
    return passed('clock', `the clock is right (${seconds <= 1 ? 'within a second' : `${seconds} s apart`})`);
  return failed(
    'clock',
    `this machine's clock is ${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} the service's: webhooks will be refused as too ${skew > 0 ? 'new' : 'old'}`,
    'timedatectl set-ntp true   # or the command that sets the clock of your system',
  );
}

async function surveyOf({ baseUrl, apiKey, allowHttp, signal }: Target): Promise<readonly SurveyPoint[]> {
  const { MerchantClient } = await import('../../index.ts');
  const drifts: DriftEvent[] = [];
  const onDrift = (event: DriftEvent): void => void drifts.push(event);
  const client = new MerchantClient({ baseUrl, apiKey, allowHttp, retry: false, timeout: TIMEOUT, onDrift });
  return new Survey(client, drifts).run(signal);
}

async function checkCall({ baseUrl, apiKey, allowHttp, signal }: Target): Promise<CheckResult> {
  const { MerchantClient } = await import('../../index.ts');
  try {
    const client = new MerchantClient({ baseUrl, apiKey, allowHttp, retry: false, timeout: TIMEOUT });
    const methods = await client.paymentMethods.list({ signal });
    const currencies = [...new Set(methods.map(({ currency }) => currency.code))].sort();
    return passed('call', `the key works: ${methods.length} payment methods, ${currencies.join(' ') || 'no currency'}`);
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    if (isStranger(error)) {
      const title = `another server answers at ${new URL(baseUrl).host}: it does not speak the interface of the service`;
      return failed('call', title, 'export MERCHANT_BASE_URL=…   # the address of the service, without a path');
    }
    const fix =
      error.kind === 'authentication'
        ? 'export MERCHANT_API_KEY=…   # the key of this business, from the dashboard'
        : `docs/errors.md#${/^\w+$/.test(error.code) ? error.code.toLowerCase() : ''}`;
    return failed('call', `the read-only call failed: ${error.code} ${excerpt(error.message, 300)}`, fix);
  }
}

/** True for an answer that the service would not give to this read: no JSON, or a bare 404 or 405. */
function isStranger(error: MerchantError): boolean {
  if (error.kind === 'unexpected_response')
    return error.code === 'SDK_UNREADABLE_BODY' || error.code === 'SDK_CONTRACT';
  return /^SDK_HTTP_40[45]$/.test(error.code);
}

function fixFor(address: string): string {
  const isSandbox = /^http:\/\/(?:127\.0\.0\.1|localhost):/.test(address);
  return isSandbox ? 'npx merchant-invoicing sandbox' : `curl -sv ${shellWord(`${address}${PATH}`)}`;
}

function causeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${TIMEOUT / 1000} s`;
  return codeOf(error);
}
