import { isLoopback } from '../../../contract/values/scalars.ts';
import { SANDBOX_KEY } from '../../../errors/environment.ts';
import { isMerchantError } from '../../../errors/guards.ts';
import { isSandboxSecret, SANDBOX_SECRET } from '../../../webhooks/verify/sandbox-secret.ts';
import { faultFromText } from '../../sandbox/actions.ts';
import { codeOf } from '../../sandbox/delivery/webhook-request.ts';
import {
  createSandbox,
  type Sandbox,
  type SandboxEvent,
  type SandboxOptions,
  type SeedFault,
} from '../../sandbox/index.ts';
import { lineOf } from '../../sandbox/lines.ts';
import { clockOf } from '../../story.ts';
import { parseAddress, parseDialect, readArguments } from '../arguments.ts';
import { COMMANDS } from '../commands.ts';
import { EXIT, type ExitCode, type Io, misuse } from '../io.ts';
import { jsonLine, lineText, type Style, styleOf, wrapped } from '../terminal.ts';
import { playDemo } from './demo.ts';
import { actOnSandbox, isAction } from './remote.ts';

const HELP = 'npx merchant-invoicing sandbox --help';
const MAX_PORTS = 20;

type Flags = ReturnType<typeof readFlags>;

/** `sandbox`: runs a sandbox until it is stopped, or acts on the running one. */
export async function sandboxCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const [first = '', ...rest] = args;
  if (isAction(first)) return actOnSandbox(first, rest, io);
  const flags = readFlags(args);
  await serve(flags, sandboxOptions(flags), portOf(flags.port), io);
  return EXIT.fine;
}

function readFlags(args: readonly string[]) {
  return readArguments(COMMANDS.sandbox, args, 'sandbox').values;
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw misuse(`--port takes a number from 0 to 65535, not ${JSON.stringify(text)}`, HELP);
}

function sandboxOptions(flags: Flags): SandboxOptions {
  const seed = flags.seed !== undefined && /^\d{1,9}$/.test(flags.seed) ? Number(flags.seed) : flags.seed;
  return {
    clock: flags.frozen ? 'virtual' : 'real',
    dialect: parseDialect(flags.dialect),
    faults: flags.fault.map((text) => {
      const fault = faultFromText(text) as SeedFault; // an unknown type is refused by the sandbox
      return fault.rate === undefined ? fault : { ...fault, seed: `${seed ?? 1} ${text}` };
    }),
    seed,
    merchantName: flags.merchant,
    apiKey: flags.key ?? SANDBOX_KEY,
    webhookSecret: flags.secret ?? SANDBOX_SECRET,
    quiet: true, // each event is a line anyway
    defaults: { callback_url: optionalAddress(flags.callback, '--callback') },
    url: optionalAddress(flags['public-url'], '--public-url'),
    deliverTo: flags['allow-host'],
  };
}

function optionalAddress(address: string | undefined, flag: string): string | undefined {
  return address === undefined ? undefined : parseAddress(address, flag, HELP);
}

async function serve(flags: Flags, options: SandboxOptions, port: number, io: Io): Promise<void> {
  const { json, host } = flags;
  const style = styleOf(io);
  const say = (line: string): void => io.err(`${wrapped(line, 4, '  ! ')}\n`);
  const write = eventWriter(style);
  let hasStarted = false;
  let endDemo = (): void => undefined;
  const sandbox = createSandbox({
    ...options,
    onEvent(event) {
      if (!hasStarted) return; // events of the demo are not shown
      if (!json) io.out(write(event) ?? '');
      else if (flags.events) io.out(jsonLine(event));
    },
  });
  try {
    const url = await listenNear(sandbox, port, flags, say);
    if (!isLoopback(host) && host !== '::1') {
      say(`${host} opens this sandbox to the network: any program that can reach it can use it`);
    }
    if (flags.demo) endDemo = await playDemo(sandbox, url);
    hasStarted = true;
    announce(sandbox, flags, io, style);
    await new Promise<void>((stop) => {
      if (io.signal.aborted) stop();
      io.signal.addEventListener('abort', () => stop(), { once: true });
    });
  } finally {
    endDemo();
    await sandbox.close();
  }
}

/** Listens on the port, or on the next one that is free. Returns the address. */
async function listenNear(sandbox: Sandbox, port: number, flags: Flags, say: (line: string) => void): Promise<string> {
  for (let at = port; at < port + MAX_PORTS && at <= 65_535; at += 1) {
    try {
      const { url } = await sandbox.listen({ port: at, host: flags.host, allowedHosts: flags['allow-host'] });
      if (at !== port) {
        say(`port ${port} is in use, using ${at}. Actions need --url http://127.0.0.1:${at}`);
      }
      return url;
    } catch (error) {
      if (!isMerchantError(error)) throw error;
      if (codeOf(error) === 'EADDRINUSE') continue;
      throw misuse(error.message, 'npx merchant-invoicing sandbox --host 127.0.0.1 --port 4010');
    }
  }
  throw misuse(`no port from ${port} to ${port + MAX_PORTS - 1} is free`, 'npx merchant-invoicing sandbox --port 0');
}

/** Prints the addresses as JSON in the first line, with `--json` or when piped, and the banner for people. */
function announce(sandbox: Sandbox, flags: Flags, io: Io, style: Style): void {
  const { url, apiKey, webhookSecret } = sandbox;
  if (flags.json || !io.isTerminal) {
    io.out(`${JSON.stringify({ baseUrl: url, apiKey, webhookSecret, dashboard: `${url}/` })}\n`);
  }
  if (flags.json) return;
  io.out(banner(sandbox, style, flags));
}

/** The lines of the screen when the sandbox listens. */
function banner(sandbox: Sandbox, style: Style, { seed, demo }: Pick<Flags, 'seed' | 'demo'>): string {
  const { url, apiKey, webhookSecret, frozen } = sandbox;
  const width = Math.max(34, url.length + 6);
  const ahead = Math.round((sandbox.now().getTime() - Date.now()) / 60_000);
  const clock = frozen
    ? `frozen at ${clockOf(sandbox.now())} UTC`
    : ahead > 0
      ? `real time + ${ahead} min`
      : 'real time';
  const lines = [
    `${style.strong('SANDBOX')}  nothing here is real money`,
    '',
    `API         ${url.padEnd(width)}key     ${apiKey}`,
    `Dashboard   ${`${url}/`.padEnd(width)}secret  ${webhookSecret}`,
    `Clock       ${clock}`,
    ...(seed === undefined ? [] : [`Seed        ${sandbox.seed}`]),
    ...(demo
      ? [`Look first  ${`${url}/`}`, '            Two customers have paid, and the shop does not know. Why?']
      : []),
    '',
    'env   for node --env-file=.env, or for your shell',
    `      MERCHANT_BASE_URL=${url}`,
    `      MERCHANT_API_KEY=${apiKey}`,
    `      MERCHANT_WEBHOOK_SECRET=${webhookSecret}`,
    ...(isSandboxSecret(webhookSecret) ? ['      MERCHANT_SANDBOX=1'] : []),
    'try   npx merchant-invoicing sandbox create 25.00 EUR',
    'stop  Ctrl-C',
  ];
  return `${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

/**
 * The function that writes an event as one line of 80 columns: time, what, order, result. The cause of a
 * refused request stands below it. So does the cause of a refused webhook, unless the previous attempt at the same
 * endpoint had the same cause. The function returns null for an event that another line shows as well.
 */
function eventWriter(style: Style): (event: SandboxEvent) => string | null {
  const lastCauses = new Map<string, string | null>();
  return (event) => {
    const line = lineOf(event);
    if (line === null) return null;
    const isRepeated = event.kind === 'attempt' && lastCauses.get(event.url) === line.cause;
    if (event.kind === 'attempt') lastCauses.set(event.url, line.cause);
    const text = lineText(isRepeated ? { ...line, cause: null } : line, style);
    // What was only read, as by `doctor`, stands behind what happened.
    return `${event.kind === 'request' && event.method === 'GET' && line.grade === null ? style.soft(text) : text}\n`;
  };
}
