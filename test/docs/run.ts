import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Customer } from '../../examples/story/customer.ts';
import { DEMO_INVOICES } from '../../src/cli/sandbox/demo-invoices.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { ROOT } from '../support/consumer.ts';
import { freePort } from '../support/free-port.ts';
import type { DocModule } from './modules.ts';
import { type Project, pathOf } from './project.ts';

/** How a program ended, and what it printed to both streams, with the addresses that a page shows. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** A bound against hanging, not a measure. */
const LIMIT = 120_000;

/** What a page may take for granted: a sandbox as `npx merchant-invoicing sandbox` serves it, and a port. */
export interface Surroundings {
  readonly sandbox: Sandbox;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  /** The text with the addresses that pages show: port 4010 of the sandbox, and port 3000 of the reader. */
  shown(text: string): string;
  close(): Promise<void>;
}

export async function openSurroundings(): Promise<Surroundings> {
  const sandbox = createSandbox({
    seed: 1,
    clock: 'real',
    magicOutcomes: true,
    seedData: { invoices: DEMO_INVOICES },
  });
  const [{ url }, port] = [await sandbox.listen(), await freePort()];
  return {
    sandbox,
    port,
    env: {
      PATH: process.env['PATH'] ?? '',
      NO_COLOR: '1',
      MERCHANT_BASE_URL: url,
      MERCHANT_API_KEY: sandbox.apiKey,
      MERCHANT_WEBHOOK_SECRET: sandbox.webhookSecret,
      PORT: String(port),
    },
    shown: (text) => text.replaceAll(url, 'http://127.0.0.1:4010').replaceAll(`:${port}/`, ':3000/'),
    close: () => sandbox.close(),
  };
}

export type Program = ReturnType<typeof begin>;

/** Starts a program whose two streams go to one file, in the order in which it wrote to them. */
export function begin(program: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const path = join(cwd, 'output.txt');
  const file = openSync(path, 'a');
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', file, file] });
  const ended = once(child, 'close');
  closeSync(file);
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT).unref();
  return {
    ended: async (): Promise<number | null> => {
      const [code] = await ended;
      clearTimeout(limit);
      return code;
    },
    isRunning: () => child.exitCode === null && child.signalCode === null,
    output: () => readFileSync(path, 'utf8'),
    stop: () => child.kill('SIGTERM'),
  };
}

/** Runs a module as a reader would: `node file`, in a folder of its own. A server receives the webhook of a payment. */
export async function run(
  project: Project,
  module: DocModule,
  engines: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const surroundings = await openSurroundings();
  const program = begin(process.execPath, [pathOf(project, module)], project.empty(), {
    ...surroundings.env,
    ...engines,
  });
  try {
    if (module.kind === 'run') {
      const code = await program.ended();
      return { code, output: surroundings.shown(program.output()) };
    }
    const delivered = !(await listens(surroundings.port, program.isRunning))
      ? 'The program does not listen on process.env.PORT\n'
      : module.kind === 'browser'
        ? await payOnPage(surroundings, program)
        : await deliverTo(surroundings, orderOf(module));
    const isRunning = program.isRunning();
    program.stop();
    const code = await program.ended();
    return { code: isRunning ? 0 : code, output: `${surroundings.shown(program.output())}${delivered}` };
  } finally {
    if (program.isRunning()) program.stop();
    await surroundings.close();
  }
}

/** The order that a server is paid for: the one that its output names. */
function orderOf({ prints }: DocModule): string {
  return /\border-[\w-]+/.exec(prints.join('\n'))?.[0] ?? 'order-1042';
}

/** Pays an invoice whose callback is the server. Returns nothing, or what went wrong. */
async function deliverTo({ sandbox, port }: Surroundings, external_id: string): Promise<string> {
  await sandbox.fetch(`${sandbox.url}/api/v1/external/invoices`, {
    method: 'POST',
    headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      external_id,
      customer_id: 'customer-7',
      amount: '25.00',
      currency: 'EUR',
      callback_url: `http://127.0.0.1:${port}/webhook`,
    }),
  });
  await sandbox.pay(external_id);
  return answerTo(sandbox, external_id);
}

/** Opens the address that the program prints, and presses the button as a customer does. */
async function payOnPage({ sandbox }: Surroundings, program: Program): Promise<string> {
  const address = () => /http:\S+\/pay\/([\w-]+)/.exec(program.output());
  while (address() === null && program.isRunning()) await pause(50);
  const [url = '', uuid = ''] = address() ?? [];
  if (url === '') return 'The program does not print the address of a payment page\n';
  const customer = new Customer();
  await customer.open(url);
  await customer.press('pay');
  return answerTo(sandbox, uuid);
}

/** Nothing, if the webhook of this invoice was accepted. */
async function answerTo(sandbox: Sandbox, ident: string): Promise<string> {
  await sandbox.settle();
  const [delivery] = sandbox.deliveries(ident);
  return delivery?.status === 'delivered' ? '' : `The webhook was answered ${delivery?.last_http_status}\n`;
}

/** Waits until a program listens, or has ended. */
export async function listens(port: number, isRunning: () => boolean): Promise<boolean> {
  while (isRunning()) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return true;
    await pause(50);
  }
  return false;
}

/** Runs the test files of a page with vitest, and returns how each ended. */
export async function runTests(project: Project, page: string, files: readonly string[]) {
  const cwd = project.empty();
  const report = join(cwd, 'report.json');
  const args = ['run', '--root', project.folderOf(page), '--reporter', 'json', '--outputFile', report, ...files];
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const program = begin(process.execPath, [vitest, ...args], cwd, { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' });
  await program.ended();
  const results: { readonly testResults: readonly { readonly status: string }[] } = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8'))
    : { testResults: [] };
  return { said: program.output(), statuses: results.testResults.map(({ status }) => status) };
}
