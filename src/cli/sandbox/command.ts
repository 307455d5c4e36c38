// The folder `sandbox` is one command: it serves a sandbox, or acts on one that runs. It imports the sandbox.
import { isLoopback } from '../../contract/values/hosts.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { createSandbox, type Sandbox, type SandboxEvent, type SandboxServer } from '../../sandbox/index.ts';
import { EXIT, type ExitCode, type Io, misuse } from '../io.ts';
import { jsonLine, type Style, styleOf } from '../report.ts';
import { actOnSandbox, isAction, refuseUnknownAction } from './actions.ts';
import { parseSandboxFlags, type SandboxFlags } from './flags.ts';
import { onKey } from './keyboard.ts';
import { banner, eventLines } from './screen.ts';
import { keepState, openState, type StateFile, type StateKeeper } from './state-file.ts';

/** `sandbox`: runs a sandbox until it is stopped, or acts on the running one. */
export async function sandboxCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const [first = '', ...rest] = args;
  if (isAction(first)) return actOnSandbox(first, rest, io);
  refuseUnknownAction(first);
  const flags = parseSandboxFlags(args);
  const file = flags.stateFile === null ? null : openState(flags.stateFile);
  try {
    return await run(flags, io, file);
  } finally {
    file?.release();
  }
}

async function run(flags: SandboxFlags, io: Io, file: StateFile | null): Promise<ExitCode> {
  const style = styleOf(io);
  const say = (line: string): void => io.err(`  ${style.warn(line)}\n`);

  let keeper: StateKeeper | null = null;
  const listener = eventListener(flags, io, style);
  const sandbox = createSandbox({
    ...flags.options,
    state: file?.state,
    onEvent(event) {
      if (keeper === null) return; // events of the demo invoices are not shown
      keeper.touch();
      listener(event);
    },
  });
  try {
    const { url } = await listenNear(sandbox, flags, say);
    file?.tell(url);
    if (!isLoopback(flags.host) && flags.host !== '::1') {
      say(`${flags.host} opens this sandbox to the network: any program that can reach it can use it`);
    }
    keeper = flags.stateFile === null ? NO_KEEPER : keepState(flags.stateFile, sandbox, say);
    keeper.touch();
    announce(sandbox, flags, io, style);
    await untilStopped(sandbox, keeper, flags, io);
  } finally {
    keeper?.flush();
    await sandbox.close();
  }
  return EXIT.fine;
}

const MAX_PORTS = 20;

/** Listens on the port, or on the next one that is free. */
async function listenNear(
  sandbox: Sandbox,
  { port, host, allowedHosts }: SandboxFlags,
  say: (line: string) => void,
): Promise<SandboxServer> {
  for (let at = port; at < port + MAX_PORTS && at <= 65_535; at += 1) {
    try {
      const server = await sandbox.listen({ port: at, host, allowedHosts });
      if (at !== port) {
        say(`port ${port} is in use by another program, using ${at}. Actions need --url http://127.0.0.1:${at}`);
      }
      return server;
    } catch (error) {
      if (!isMerchantError(error)) throw error;
      if (/is in use/.test(error.message)) continue;
      throw misuse(error.message, 'npx merchant-invoicing sandbox --host 127.0.0.1 --port 4010');
    }
  }
  throw misuse(`no port from ${port} to ${port + MAX_PORTS - 1} is free`, 'npx merchant-invoicing sandbox --port 0');
}

const NO_KEEPER: StateKeeper = { touch: () => undefined, flush: () => undefined };

function eventListener({ json, events }: SandboxFlags, io: Io, style: Style): (event: SandboxEvent) => void {
  if (!json) return (event) => io.out(eventLines(event, style));
  return events ? (event) => io.out(jsonLine(event)) : () => undefined;
}

/** Prints the addresses as JSON in the first line, with `--json` or when piped, and the banner for people. */
function announce(sandbox: Sandbox, flags: SandboxFlags, io: Io, style: Style): void {
  const { url, apiKey, webhookSecret } = sandbox;
  if (flags.json || !io.isTerminal) {
    io.out(`${JSON.stringify({ baseUrl: url, apiKey, webhookSecret, dashboard: `${url}/` })}\n`);
  }
  if (flags.json) return;
  const { options, stateFile } = flags;
  io.out(banner(sandbox, style, { keys: io.keyboard !== null, seed: options.seed !== undefined, stateFile }));
}

function untilStopped(sandbox: Sandbox, keeper: StateKeeper, { json }: SandboxFlags, io: Io): Promise<void> {
  return new Promise((resolve) => {
    let release = (): void => undefined;
    const armed = { reset: false };
    const stop = (): void => {
      release();
      resolve();
    };
    if (io.keyboard !== null && !json) {
      release = io.keyboard.listen(
        (key) => void onKey(key, { io, sandbox, changed: () => keeper.touch(), stop, armed }),
      );
    }
    if (io.signal.aborted) stop();
    io.signal.addEventListener('abort', stop, { once: true });
  });
}
