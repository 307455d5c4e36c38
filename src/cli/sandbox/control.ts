import type { ActionFields, ActionResult } from '../../sandbox/actions.ts';
import type { SandboxEvent } from '../../sandbox/index.ts';
import { shellWord } from '../../sandbox/page/copies.ts';
import { CliError, EXIT, type ExitCode, finding, type Io } from '../io.ts';
import { jsonLine, styleOf } from '../report.ts';
import { eventLines } from './screen.ts';

const START = 'npx merchant-invoicing sandbox';

/**
 * Performs an action on a running sandbox, by one request.
 *
 * @throws CliError if no sandbox listens there, or if it refuses.
 */
export async function command(url: string, action: string, fields: ActionFields): Promise<ActionResult> {
  const Accept = 'application/json';
  const post = { method: 'POST', headers: { Accept, 'Content-Type': Accept }, body: JSON.stringify(fields) };
  // A look changes nothing, so it is no event of the sandbox.
  const response = await reach(url, `/_/${action}`, action === 'status' ? { headers: { Accept } } : post);
  const answer = (await response.json().catch(() => null)) as Partial<Done & Refused> | null; // checked below
  if (answer?.ok === true && answer.text !== undefined) return { result: answer.result, text: answer.text };
  if (answer?.ok !== false) throw noSandbox(url);
  throw finding(
    answer.error?.message ?? 'the sandbox refused',
    `npx merchant-invoicing sandbox status --url ${shellWord(url)}`,
  );
}

interface Done extends ActionResult {
  readonly ok: boolean;
}

interface Refused {
  readonly error: { readonly message?: string };
}

/** `sandbox events`: prints each event of a running sandbox until Ctrl-C, or until the sandbox stops. */
export async function followEvents(url: string, json: boolean, io: Io): Promise<ExitCode> {
  const style = styleOf(io);
  const show = (event: SandboxEvent): void => io.out(json ? jsonLine(event) : eventLines(event, style));
  const { body, headers } = await reach(url, '/_/events', { signal: io.signal });
  if (body === null || headers.get('content-type') !== 'text/event-stream') throw noSandbox(url);
  if (!json) io.err(`  ${style.soft(`following ${url}, Ctrl-C ends it`)}\n`);
  let rest = '';
  try {
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: ')) show(JSON.parse(line.slice(6)) as SandboxEvent); // the stream of a sandbox
    }
  } catch (error) {
    if (!io.signal.aborted && !(error instanceof TypeError)) throw error; // a TypeError is a broken connection
  }
  if (!io.signal.aborted) io.err(`  ${style.warn('the sandbox has stopped')}\n`);
  return EXIT.fine;
}

async function reach(url: string, path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`${url.replace(/\/+$/, '')}${path}`, { ...init, redirect: 'manual' });
  } catch {
    throw new CliError(EXIT.unreachable, `no sandbox listens at ${url}`, START);
  }
  if (!response.headers.has('x-sandbox')) throw noSandbox(url);
  return response;
}

function noSandbox(url: string): CliError {
  return new CliError(EXIT.unreachable, `what answers at ${url} is not a sandbox of this version`, START);
}
