// The folder `doctor` is one command: it checks the settings and the service. It imports the client when it runs.
import { isLoopback } from '../../contract/values/hosts.ts';
import { isSandboxCredential } from '../../environment.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { shellWord } from '../../sandbox/page/copies.ts';
import { parseSecrets } from '../../webhooks/verify/signature.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS } from '../commands.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { type CheckResult, excerpt, failed, jsonLine, passed, resultLines, type Style, styleOf } from '../report.ts';
import { checkService } from './service.ts';
import type { SurveyPoint } from './survey.ts';

/** `doctor`: checks the settings, then the service with one read-only call. */
export async function doctorCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments(COMMANDS.doctor, args, 'doctor');
  const baseUrl = values['base-url'] ?? (io.env['MERCHANT_BASE_URL'] || undefined);
  const apiKey = io.env['MERCHANT_API_KEY'] || undefined;
  const allowHttp = values['allow-http'];

  const address = await checkAddress(baseUrl, allowHttp);
  const isPublic = address.verdict === 'pass' && baseUrl !== undefined && isPublicAddress(baseUrl);
  const key =
    isPublic && isSandboxCredential(apiKey) ? sandboxFinding('api-key', 'MERCHANT_API_KEY') : await checkKey(apiKey);
  const secret = io.env['MERCHANT_WEBHOOK_SECRET'];
  const settings = [
    checkNode(process.versions.node),
    address,
    key,
    isPublic && isSandboxCredential(secret)
      ? sandboxFinding('webhook-secret', 'MERCHANT_WEBHOOK_SECRET')
      : checkSecret(secret, apiKey),
  ];
  const isUsable = address.verdict === 'pass' && key.verdict === 'pass';
  const service =
    isUsable && baseUrl !== undefined && apiKey !== undefined
      ? await checkService({ baseUrl, apiKey, allowHttp, signal: io.signal })
      : { checks: [], survey: [] };
  const results = [...settings, ...service.checks];
  const ok = results.every(({ verdict }) => verdict === 'pass' || verdict === 'advice');
  if (values.json) {
    const checks = results.map(({ id, title, verdict, fix }) => ({
      id,
      ok: verdict === 'pass',
      verdict,
      text: title,
      fix,
    }));
    io.out(jsonLine({ ok, checks, survey: service.survey }));
  } else {
    const style = styleOf(io);
    const skipped: CheckResult = {
      id: 'service',
      title: 'the service was not asked: correct the settings first',
      verdict: 'inconclusive',
      fix: '',
    };
    for (const result of isUsable ? results : [...results, skipped]) {
      io.out(`${resultLines({ ...result, title: excerpt(result.title, 400) }, style)}\n`);
    }
    if (service.survey.length > 0) io.out(surveyText(service.survey, style));
  }
  if (service.checks.some(({ id, verdict }) => id === 'reachable' && verdict === 'fail')) return EXIT.unreachable;
  return ok ? EXIT.fine : EXIT.finding;
}

/** Names of networks without public addresses, and private IPv4 addresses. A name without a dot is one of a container. */
const PRIVATE = /^(?:[^.:]+|.*\.(?:local|internal|test|localhost)|10\..*|192\.168\..*|172\.(?:1[6-9]|2\d|3[01])\..*)$/;

function isPublicAddress(baseUrl: string): boolean {
  const { hostname, protocol } = new URL(baseUrl);
  // Plain http passes for a private network only, which --allow-http declares.
  return protocol === 'https:' && !isLoopback(hostname) && !PRIVATE.test(hostname);
}

/** The values of the sandbox are known to everybody: with them anyone can forge a webhook. */
function sandboxFinding(id: string, name: string): CheckResult {
  const title = `${name} is the one of the sandbox, and the address is public`;
  return failed(id, title, `export ${name}=…   # the value of this business, from the dashboard`);
}

function surveyText(points: readonly SurveyPoint[], style: Style): string {
  const width = Math.max(...points.map(({ point }) => point.length));
  const lines = points.map(({ point, shows, client, pin }) => {
    const reads = client === 'yes' ? '' : `  client: ${client}`;
    const pinned = pin === '' ? '' : `  ${style.warn('pin')}: ${pin}`;
    return `  ${point.padEnd(width)}  ${excerpt(shows, 300)}${style.soft(reads)}${pinned}\n`;
  });
  return `\n  ${style.strong('What the interface leaves open, and this service shows')}\n${lines.join('')}`;
}

/** The lowest version of `engines` in package.json. */
const OLDEST_NODE = [22, 12] as const;

function checkNode(version: string): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldest, oldestMinor] = OLDEST_NODE;
  if (major > oldest || (major === oldest && minor >= oldestMinor)) return passed('node', `Node ${version}`);
  return failed('node', `Node ${version} is older than ${OLDEST_NODE.join('.')}`, 'nvm install --lts');
}

/** The path of the service, which a base URL leaves out. */
const API_PATH = /\/api(?:\/v1(?:\/external(?:\/.*)?)?)?\/*$/;

/** Uses the check of the client, which it loads. */
async function checkAddress(baseUrl: string | undefined, allowHttp: boolean): Promise<CheckResult> {
  const example = 'export MERCHANT_BASE_URL=https://pay.example.com   # or http://127.0.0.1:4010, the sandbox';
  if (baseUrl === undefined) return failed('base-url', 'MERCHANT_BASE_URL is not set', example);
  if (isQuoted(baseUrl)) return quotedFinding('base-url', 'MERCHANT_BASE_URL');
  if (API_PATH.test(baseUrl) && !baseUrl.includes('@')) {
    const shorter = baseUrl.replace(API_PATH, '');
    const title = 'MERCHANT_BASE_URL ends in the path of the API, which the client adds itself';
    return failed('base-url', title, `export MERCHANT_BASE_URL=${shellWord(shorter)}`);
  }
  try {
    const { checkBaseUrl } = await import('../../options.ts');
    return passed('base-url', `the address is ${new URL(checkBaseUrl(baseUrl, allowHttp)).href.replace(/\/$/, '')}`);
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    return failed('base-url', error.message, example);
  }
}

/** Checks the form of the key. Only the service can say whether it is the right one. */
async function checkKey(apiKey: string | undefined): Promise<CheckResult> {
  const example = 'export MERCHANT_API_KEY=…   # sk_sandbox for the sandbox';
  if (apiKey === undefined) return failed('api-key', 'MERCHANT_API_KEY is not set', example);
  if (isQuoted(apiKey)) return quotedFinding('api-key', 'MERCHANT_API_KEY');
  const { keyProblem } = await import('../../checks.ts');
  const problem = keyProblem(apiKey);
  if (problem !== null) return failed('api-key', `MERCHANT_API_KEY ${problem}`, example);
  return passed('api-key', `MERCHANT_API_KEY has the form of a key (${apiKey.length} characters)`);
}

/** True for text in quotes: some tools for `.env` files leave them in. */
function isQuoted(text: string): boolean {
  return /^\s*(["'`]).*\1\s*$/s.test(text);
}

function quotedFinding(id: string, name: string): CheckResult {
  return failed(
    id,
    `${name} has quotes around it, and they count as part of the value`,
    `export ${name}=…   # without the quotes`,
  );
}

/** A missing secret does not fail, because only a receiver of webhooks needs one. */
function checkSecret(secret: string | undefined, apiKey: string | undefined): CheckResult {
  if (!secret) {
    const title = 'MERCHANT_WEBHOOK_SECRET is not set. A receiver of webhooks needs it, and nothing else does';
    const fix = 'export MERCHANT_WEBHOOK_SECRET=…   # whsec_sandbox for the sandbox';
    return { id: 'webhook-secret', title, verdict: 'advice', fix };
  }
  if (isQuoted(secret)) return quotedFinding('webhook-secret', 'MERCHANT_WEBHOOK_SECRET');
  if (secret === apiKey) {
    const title = 'MERCHANT_WEBHOOK_SECRET is the API key. The webhook secret is another value of the dashboard';
    return failed(
      'webhook-secret',
      title,
      'export MERCHANT_WEBHOOK_SECRET=…   # the webhook secret, from the dashboard',
    );
  }
  try {
    parseSecrets(secret, 'MERCHANT_WEBHOOK_SECRET');
    return passed('webhook-secret', 'MERCHANT_WEBHOOK_SECRET has the form of a secret');
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    return failed(
      'webhook-secret',
      error.message,
      'export MERCHANT_WEBHOOK_SECRET=…   # without spaces and line breaks',
    );
  }
}
