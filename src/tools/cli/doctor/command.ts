import type { MerchantClient } from '../../../client.ts';
import { configurationFail, keyProblem } from '../../../errors/checks.ts';
import type { MerchantError } from '../../../errors/classes.ts';
import { guideTo } from '../../../errors/codes.ts';
import { underOtherName } from '../../../errors/environment.ts';
import { isMerchantError } from '../../../errors/guards.ts';
import { parseSecrets } from '../../../webhooks/verify/secrets.ts';
import { codeOf } from '../../sandbox/delivery/webhook-request.ts';
import { DOCTOR_AGENT } from '../../sandbox/lines.ts';
import { shellWord } from '../../shell.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS } from '../commands.ts';
import { EXIT, type ExitCode, type Io, unreachable } from '../io.ts';
import {
  type CheckResult,
  failed,
  type Grade,
  jsonLine,
  oneLine,
  passed,
  resultLines,
  type Style,
  styleOf,
  wrapped,
} from '../terminal.ts';
import { lastWebhooks, webhookChecks } from './last-webhooks.ts';
import { type SurveyPoint, survey } from './survey.ts';

/** `doctor`: checks the settings, then the service and its last webhooks by reads alone. */
export async function doctorCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments(COMMANDS.doctor, args, 'doctor');
  const { MERCHANT_BASE_URL, MERCHANT_API_KEY: apiKey = '', MERCHANT_WEBHOOK_SECRET: secret = '' } = io.env;
  const baseUrl = values['base-url'] ?? MERCHANT_BASE_URL ?? '';
  const allowHttp = values['allow-http'];

  const address = await checkAddress(baseUrl, allowHttp, io.env);
  const key = checkKey(apiKey, io.env);
  const settings = [address, key, checkSecret(secret, apiKey, io.env)];
  const isUsable = address.grade === 'pass' && key.grade === 'pass';
  const { checks, points } = isUsable
    ? await checkService({ baseUrl, apiKey, allowHttp }, values.survey, io.signal)
    : { checks: [], points: [] };
  const results = [...settings, ...checks];
  const ok = isUsable && results.every(({ grade }) => grade !== 'fail');
  if (values.json) {
    const shown = results.map(({ title: text, ...rest }) => ({ ...rest, ok: rest.grade === 'pass', text }));
    io.out(jsonLine({ ok, checks: shown, survey: points }));
  } else {
    const style = styleOf(io);
    for (const result of results) {
      io.out(`${resultLines({ ...result, title: oneLine(result.title, 400) }, style)}\n`);
    }
    if (!isUsable) io.out('  ? the service was not asked: correct the settings first\n');
    if (points.length > 0) io.out(surveyText(points, style));
    io.out(conclusionText(results, style));
  }
  if (checks.some(({ id, grade }) => id === 'reachable' && grade === 'fail')) return EXIT.unreachable;
  return ok ? EXIT.fine : EXIT.finding;
}

function conclusionText(results: readonly CheckResult[], style: Style): string {
  const count = (grade: Grade): number => results.filter((each) => each.grade === grade).length;
  const [wrong, advised, unseen] = [count('fail'), count('advice'), count('inconclusive')];
  if (wrong > 0) return `\n  ${style.bad(`✗ ${wrong} to correct`)}${wrong > 1 ? '. Start with the first.' : ''}\n`;
  return `\n  ${style.good('✓ ready')}${advised === 0 ? '' : `, ${advised} with advice`}${unseen === 0 ? '' : `, ${unseen} not seen`}\n`;
}

const POINT_WIDTH = 28;

function surveyText(points: readonly SurveyPoint[], style: Style): string {
  const lines = points.map(({ point, shows, client, pin }) => {
    const reads = client === 'yes' ? '' : ` (client: ${client})`;
    const text = `${oneLine(shows, 300)}${reads}${pin === '' ? '' : ` pin: ${pin}`}`;
    const indent = POINT_WIDTH + 4;
    if (point.length > POINT_WIDTH) return `  ${point}\n${wrapped(text, indent)}\n`;
    return `${wrapped(text, indent, `  ${point.padEnd(POINT_WIDTH)}  `)}\n`;
  });
  return `\n  ${style.strong('The forms that this service uses')}\n${lines.join('')}`;
}

function notSet(name: string, env: Io['env']): string {
  return `${name} is not set${underOtherName(name, env) ?? ''}`;
}

/** Uses the check of the client, which it loads. */
async function checkAddress(baseUrl: string, allowHttp: boolean, env: Io['env']): Promise<CheckResult> {
  const fix = 'export MERCHANT_BASE_URL=https://pay.example.com   # or http://127.0.0.1:4010, the sandbox';
  if (baseUrl === '') return failed('base-url', notSet('MERCHANT_BASE_URL', env), fix);
  try {
    const { checkBaseUrl } = await import('../../../options.ts');
    const address = checkBaseUrl(baseUrl, 'MERCHANT_BASE_URL', allowHttp, configurationFail());
    return passed('base-url', `the address is ${new URL(address).href.replace(/\/$/, '')}`);
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    return failed('base-url', error.message, fix);
  }
}

/** Checks the form of the key. Only the service can say whether it is the right one. */
function checkKey(apiKey: string, env: Io['env']): CheckResult {
  const [id, name] = ['api-key', 'MERCHANT_API_KEY'];
  if (apiKey.startsWith('whsec_')) {
    const other = 'is a webhook secret: it begins with whsec_. The API key is another value of the dashboard';
    return failed(id, `${name} ${other}`, `export ${name}=…   # the API key, from the dashboard`);
  }
  if (apiKey === '') return failed(id, notSet(name, env), `export ${name}=…   # sk_sandbox for the sandbox`);
  const problem = keyProblem(apiKey);
  if (problem === null) return passed(id, `${name} has the form of a key (${apiKey.length} characters)`);
  return failed(id, `${name} ${problem}`, `export ${name}=…   # sk_sandbox for the sandbox`);
}

/** A missing secret does not fail, because only a receiver of webhooks needs one. */
function checkSecret(secret: string, apiKey: string, env: Io['env']): CheckResult {
  const [id, name] = ['webhook-secret', 'MERCHANT_WEBHOOK_SECRET'];
  if (secret === '') {
    const title = `${notSet(name, env)}. Only a receiver of webhooks needs it`;
    return { id, title, grade: 'advice', fix: `export ${name}=…   # whsec_sandbox for the sandbox` };
  }
  const right = `export ${name}=…   # the webhook secret, from the dashboard`;
  if (secret === apiKey || secret.startsWith('sk_'))
    return failed(id, `${name} is an API key. The webhook secret is another value of the dashboard`, right);
  try {
    parseSecrets(secret, name);
    return passed(id, `${name} has the form of a secret`);
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    return failed(id, error.message, right);
  }
}

const TIMEOUT = 10_000;
/** Receivers refuse webhooks that are older than five minutes. This leaves room for the delivery. */
const MAX_SKEW = 60_000;
const PATH = '/api/v1/external/payment-methods';

type Address = Readonly<Record<'baseUrl' | 'apiKey', string>> & { readonly allowHttp: boolean };

/**
 * Asks the service first without the key, so that a redirect cannot receive it, then reads with it. Changes nothing.
 */
async function checkService(
  target: Address,
  hasSurvey: boolean,
  signal: AbortSignal,
): Promise<{ readonly checks: readonly CheckResult[]; readonly points: readonly SurveyPoint[] }> {
  const address = target.baseUrl.replace(/\/+$/, '');
  const began = Date.now();
  let response: Response;
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]);
    response = await fetch(`${address}${PATH}`, {
      headers: { 'User-Agent': DOCTOR_AGENT },
      redirect: 'manual',
      signal: limit,
    });
    await response.body?.cancel();
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    const cause = isTimeout ? `no response within ${TIMEOUT / 1000} s` : codeOf(error);
    const isLocal = /^http:\/\/(?:127\.0\.0\.1|localhost):/.test(address);
    const fix = isLocal
      ? `npx merchant-invoicing sandbox --port ${new URL(address).port || 80}`
      : `curl -sv ${shellWord(`${address}${PATH}`)}`;
    const problem = `cannot reach ${address}: ${cause}`;
    return { checks: [failed('reachable', isLocal ? unreachable(problem) : problem, fix)], points: [] };
  }
  const ended = Date.now();
  const { calls, points } = await callAndSurvey(target, hasSurvey, signal);
  const checks = [
    passed('reachable', `${new URL(address).host} answers in ${ended - began} ms`),
    checkRedirect(response, address),
    checkClock(response.headers, (began + ended) / 2),
    ...calls,
  ];
  return { checks, points };
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

/** @param ours The time of this machine in the middle of the request, in epoch milliseconds. */
function checkClock(headers: Headers, ours: number): CheckResult {
  // Its clock is moved by hand, and its deliveries are stamped with the time of this machine.
  if (headers.has('x-sandbox')) return passed('clock', 'a sandbox has its own clock, which is not compared');
  const theirs = Date.parse(headers.get('date') ?? '') + 500; // the header has whole seconds
  if (Number.isNaN(theirs)) return passed('clock', 'the service sends no Date header, so the clock cannot be compared');
  const seconds = Math.round(Math.abs(theirs - ours) / 1000);
  const apart = seconds <= 1 ? 'within a second' : `${seconds} s apart`;
  if (Math.abs(theirs - ours) <= MAX_SKEW) return passed('clock', `the clock is right (${apart})`);
  const [side, refusal] = theirs > ours ? ['behind', 'new'] : ['ahead of', 'old'];
  return failed(
    'clock',
    `this machine's clock is ${seconds} s ${side} the service's: webhooks will be refused as too ${refusal}`,
    'timedatectl set-ntp true   # or the command that sets the clock of your system',
  );
}

/**
 * Reads the payment methods with the key. If that succeeds, it looks at the last webhooks, and surveys the service where
 * that is wanted.
 */
async function callAndSurvey(target: Address, hasSurvey: boolean, signal: AbortSignal) {
  const { MerchantClient } = await import('../../../index.ts');
  try {
    const client = new MerchantClient({ ...target, retry: false, timeout: TIMEOUT });
    const listed = client.paymentMethods.list({ signal });
    const methods = await listed;
    const currencies = [...new Set(methods.map(({ currency }) => currency.code))].sort().join(' ') || 'no currency';
    const call = passed('call', `the key works: ${methods.length} payment methods, ${currencies}`);
    const webhooks = await checkWebhooks(client, signal);
    return { calls: [call, ...webhooks], points: hasSurvey ? await survey(client, listed, signal) : [] };
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    return { calls: [failedCall(error, new URL(target.baseUrl).host)], points: [] };
  }
}

async function checkWebhooks(client: MerchantClient, signal: AbortSignal): Promise<readonly CheckResult[]> {
  try {
    return webhookChecks(await lastWebhooks(client, signal));
  } catch (error) {
    if (!isMerchantError(error) || signal.aborted) throw error;
    const title = `no webhook was seen: the list of invoices failed with ${error.code}`;
    return [{ id: 'webhooks', title, grade: 'inconclusive', fix: '' }];
  }
}

function failedCall(error: MerchantError, host: string): CheckResult {
  const { kind, code, status, message } = error;
  // Responses that the service does not give to this read: no JSON, or a 404 or 405 without a code of the interface.
  if (/^SDK_(?:HTTP_40[45]|UNREADABLE_BODY|CONTRACT)$/.test(code)) {
    const title = `another server answers at ${host}: it does not speak the interface of the service`;
    return failed('call', title, 'export MERCHANT_BASE_URL=…   # the address of the service, without a path');
  }
  const fix = 'export MERCHANT_API_KEY=…   # the key of this business, or sk_sandbox for the sandbox';
  // A 403 may be about this read alone.
  if (kind === 'authentication' && status !== 403)
    return failed('call', `the service refused the key (${status} ${code})`, fix);
  const title = `the read-only call failed: ${oneLine(message, 300)}`;
  return failed('call', title, kind === 'authentication' ? fix : guideTo(code));
}
