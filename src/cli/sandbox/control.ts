import type { SandboxDelivery, SandboxInvoice, SandboxWithdrawal } from '../../sandbox/index.ts';
import { shellWord } from '../../sandbox/page/copies.ts';
import { CliError, EXIT, finding } from '../io.ts';

/** The answer of `GET /_/status`. */
export interface SandboxStatus {
  readonly url: string;
  readonly now: string;
  readonly invoices: readonly SandboxInvoice[];
  readonly deliveries: readonly SandboxDelivery[];
  readonly withdrawals: readonly SandboxWithdrawal[];
}

const START = 'npx merchant-invoicing sandbox';

/**
 * Acts on a running sandbox.
 *
 * @throws CliError if no sandbox listens there, or if it refuses.
 */
export async function command(
  url: string,
  action: string,
  fields: Readonly<Record<string, string | undefined>>,
): Promise<unknown> {
  const answer = await ask(url, `/_/${action}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(fields),
  });
  const { ok, result, error } = answer as { ok?: boolean; result?: unknown; error?: { message?: string } };
  if (ok === true) return result;
  throw finding(
    error?.message ?? 'the sandbox refused',
    `npx merchant-invoicing sandbox status --url ${shellWord(url)}`,
  );
}

export async function statusOf(url: string): Promise<SandboxStatus> {
  const status = await ask(url, '/_/status', { headers: { Accept: 'application/json' } });
  if (Array.isArray((status as Partial<SandboxStatus>).invoices)) return status as SandboxStatus; // the form of this route
  throw noSandbox(url);
}

/** The stream of events of a running sandbox. */
export async function openStream(url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { body, headers } = await reach(url, '/_/events', { signal });
  if (body !== null && headers.get('content-type') === 'text/event-stream') return body;
  throw noSandbox(url);
}

async function ask(url: string, path: string, init: RequestInit): Promise<object> {
  const response = await reach(url, path, init);
  const body: unknown = await response.json().catch(() => null);
  if (typeof body === 'object' && body !== null) return body;
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
