import type { ActionFields, ActionResult } from '../../sandbox/actions.ts';
import { shellWord } from '../../sandbox/page/copies.ts';
import { CliError, EXIT, finding } from '../io.ts';

const START = 'npx merchant-invoicing sandbox';

/**
 * Performs an action on a running sandbox, by one request.
 *
 * @throws CliError if no sandbox listens there, or if it refuses.
 */
export async function command(url: string, action: string, fields: ActionFields): Promise<ActionResult> {
  const response = await reach(url, `/_/${action}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(fields),
  });
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

/** The stream of events of a running sandbox. */
export async function openStream(url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { body, headers } = await reach(url, '/_/events', { signal });
  if (body !== null && headers.get('content-type') === 'text/event-stream') return body;
  throw noSandbox(url);
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
