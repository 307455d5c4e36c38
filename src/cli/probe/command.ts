// The folder `probe` is one command: it asks a service what the interface leaves open, and writes the dialect file.
import { randomUUID } from 'node:crypto';
import { isMerchantError } from '../../errors/guards.ts';
import { type Difference, differencesFrom, withVerdicts } from '../../probe/dialect-content.ts';
import { planFor } from '../../probe/plan.ts';
import { type ProbeResult, runProbe } from '../../probe/run.ts';
import { type Step, stepsOf } from '../../probe/steps.ts';
import { POINTS, type Verdicts, verdictsOf } from '../../probe/verdict.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { CliError, EXIT, type ExitCode, type Io, misuse } from '../io.ts';
import { styleOf } from '../report.ts';
import { DIALECT_PATH, loadDialect, loadEarlier, saveDialect } from './dialect-store.ts';
import { httpDoor } from './http-door.ts';
import { countText, dryRunText, eventText, planText, together, verdictsText } from './screens.ts';

const EXAMPLE = exampleOf(COMMANDS.probe);

/** `probe`: asks the service, says what follows from the answers, and adds it to the dialect file. */
export async function probeCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments(COMMANDS.probe, args, 'probe');
  const { file: path = DIALECT_PATH } = values;
  const pace = parsePace(values.pace);
  const writes = {
    conflict: values.conflict,
    create: values.create ? `probe-${randomUUID()}` : undefined,
    resend: values.resend,
  };
  if (values.check && Object.values(writes).some((each) => each !== undefined)) {
    throw misuse('--check only reads: it takes no --conflict, --create or --resend', EXAMPLE);
  }
  const steps = stepsOf(writes);
  if (values['dry-run']) return dryRun(steps, values.json, io);
  const { baseUrl, apiKey } = await readTarget(values['base-url'], values['allow-http'], io.env);
  const before = values.check ? loadDialect(path, EXAMPLE) : loadEarlier(path);

  const style = styleOf(io);
  const say = (text: string): void => void (values.json || io.out(text));
  say(
    warnings(writes)
      .map((line) => `  ${style.warn(line)}\n`)
      .join(''),
  );
  const door = await httpDoor(baseUrl, apiKey, io.signal);
  const result = await runProbe(steps, door, { pace, tell: (event) => say(eventText(event, style)) });
  refuseUseless(result, baseUrl);

  const verdicts = verdictsOf(result.log);
  const differences = before === null ? [] : differencesFrom(before, verdicts);
  const file = withVerdicts(before, verdicts);
  if (!values.check) saveDialect(path, file);
  const ok = result.stop === null && differences.length === 0;
  if (values.json) {
    io.out(`${JSON.stringify(jsonReport(result, verdicts, differences, values.check ? null : path))}\n`);
  } else {
    const all = values.check ? verdicts : together(verdicts, file);
    io.out(`\n${verdictsText(all, POINTS, style)}\n`);
    for (const { point, before: was, now } of differences) {
      io.out(`  ${style.bad('✗')} ${point} is ${now}, and the file said ${was}\n`);
    }
    io.out(endText(result, values.check ? null : path));
    io.out(`  ${countText(all)}\n${values.check ? '' : planText(all, style)}`);
  }
  return ok ? EXIT.fine : EXIT.finding;
}

function dryRun(steps: readonly Step[], isJson: boolean, io: Io): ExitCode {
  const requests = steps.map(({ method, template }) => ({ method, path: template }));
  io.out(isJson ? `${JSON.stringify({ ok: true, requests })}\n` : dryRunText(steps));
  return EXIT.fine;
}

function parsePace(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw misuse(`--pace takes milliseconds, not ${JSON.stringify(text)}`, EXAMPLE);
}

/** The address and the key, checked as the client checks them. */
async function readTarget(given: string | undefined, allowHttp: boolean, env: Io['env']) {
  const { checkBaseUrl } = await import('../../client-options.ts');
  const { keyProblem } = await import('../../checks.ts');
  const address = given ?? (env['MERCHANT_BASE_URL'] || undefined);
  if (address === undefined) throw misuse('MERCHANT_BASE_URL is not set', 'npx merchant-invoicing doctor');
  const apiKey = env['MERCHANT_API_KEY'];
  if (!apiKey) throw misuse('MERCHANT_API_KEY is not set', 'npx merchant-invoicing doctor');
  const problem = keyProblem(apiKey);
  if (problem !== null) throw misuse(`MERCHANT_API_KEY ${problem}`, 'npx merchant-invoicing doctor');
  try {
    return { baseUrl: checkBaseUrl(address, allowHttp), apiKey };
  } catch (error) {
    throw isMerchantError(error) ? misuse(error.message, 'npx merchant-invoicing doctor') : error;
  }
}

/** One warning for each writing request. */
function warnings(writes: {
  readonly conflict?: string | undefined;
  readonly create?: string | undefined;
  readonly resend?: string | undefined;
}): readonly string[] {
  return [
    ...(writes.create === undefined
      ? []
      : ['--create makes one invoice of the smallest chargeable amount. Let it expire, and do not pay it']),
    ...(writes.conflict === undefined
      ? []
      : ['--conflict sends an order again that exists. The service must refuse it']),
    ...(writes.resend === undefined ? [] : ['--resend makes the service send a webhook to your shop again']),
  ];
}

/** @throws CliError for a probe that has learned nothing, so that no file is written. */
function refuseUseless({ stop, status, requests }: ProbeResult, baseUrl: string): void {
  const fix = 'npx merchant-invoicing doctor';
  if (stop === 'unreachable' && requests <= 4 && status === null) {
    throw new CliError(EXIT.unreachable, `cannot reach ${baseUrl}`, fix);
  }
  if (stop === 'refused') {
    throw new CliError(
      EXIT.finding,
      `the service answered HTTP ${status} to the first request: check the address and the key`,
      fix,
    );
  }
}

const STOPS = {
  interrupted: 'interrupted',
  unreachable: 'the service stopped answering',
  refused: 'refused',
  limited: 'the service asks for a long wait',
} as const;

function endText({ stop, requests }: ProbeResult, file: string | null): string {
  const made = `${requests} requests`;
  const written = file === null ? '' : `. ${file} holds what is known`;
  if (stop === null) return `  ${made}${written}\n`;
  return `  ${STOPS[stop]} after ${made}: the rest was not asked${file === null ? '' : `. ${file} holds what was learned so far`}\n`;
}

function jsonReport(result: ProbeResult, verdicts: Verdicts, differences: readonly Difference[], file: string | null) {
  const { requests, stop } = result;
  const ok = stop === null && differences.length === 0;
  return { ok, requests, stop, file, points: verdicts, differences, plan: planFor(verdicts) };
}
