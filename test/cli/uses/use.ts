import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { COMMANDS } from '../../../src/cli/commands.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import { cli, type Running, type Said, type Setting, start } from '../command-line.ts';
import { goodReceiver, serve } from '../receivers.ts';

/** A sandbox that runs, a receiver, and a folder for files. */
export interface Place {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly receiver: string;
  readonly handled: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  path(name: string): string;
  file(name: string, text: string): string;
}

/** One use of a flag or a word, with what must come of it. */
export type Use = (place: Place) => Promise<void>;

/** A good and a bad use of one flag or one term. */
export interface Both {
  readonly good: Use;
  readonly bad: Use;
}

/** A good and a bad use of every flag and every term of the help. The compiler names a missing one. */
export interface Uses<Command extends keyof typeof COMMANDS> {
  readonly flags: { readonly [Flag in keyof (typeof COMMANDS)[Command]['flags']]: Both };
  readonly terms: { readonly [Term in TermsOf<(typeof COMMANDS)[Command]>]: Both };
}

type TermsOf<Table> = Table extends { readonly terms: infer Terms } ? keyof Terms : never;

export async function newPlace(): Promise<Place> {
  const handled: string[] = [];
  const receiver = await serve(goodReceiver('whsec_sandbox', handled));
  const sandbox = createSandbox({ seed: 7 });
  const { url } = await sandbox.listen();
  const folder = mkdtempSync(join(tmpdir(), 'merchant-uses-'));
  onTestFinished(async () => {
    await sandbox.close();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const path = (name: string): string => join(folder, name);
  const env = { MERCHANT_BASE_URL: url, MERCHANT_API_KEY: sandbox.apiKey };
  const file = (name: string, text: string): string => {
    writeFileSync(path(name), text);
    return path(name);
  };
  return { sandbox, url, receiver: receiver.url, handled, env, path, file };
}

export type MakeWords = (place: Place) => readonly string[] | Promise<readonly string[]>;
export type Words = readonly string[] | MakeWords;

async function run(words: Words, place: Place, setting: Setting): Promise<Said> {
  const args = typeof words === 'function' ? await words(place) : words;
  return cli(args, { ...setting, env: { ...place.env, ...setting.env } });
}

/** Ends with code 0, or another one that is no misuse, and says this. */
export function gives(words: Words, said: string | RegExp, setting: Setting & { readonly code?: number } = {}): Use {
  return async (place) => {
    const { code, out, err } = await run(words, place, setting);
    expect([code, out + err]).toEqual([setting.code ?? 0, expect.stringMatching(said)]);
  };
}

/** A command that helps, as it is printed. */
const RUNNABLE = /\n {2}try: (?:npx merchant-invoicing |mv |start your receiver, then: npx merchant-invoicing )/;

/** Ends with one error and the command that helps, and prints nothing else. */
export function refuses(words: Words, said: string | RegExp, setting: Setting & { readonly code?: number } = {}): Use {
  return async (place) => {
    const { code, err, out } = await run(words, place, setting);
    expect([code, out, err]).toEqual([setting.code ?? 2, '', expect.stringMatching(said)]);
    expect(err).toMatch(RUNNABLE);
  };
}

/** Starts `sandbox` with these flags, and looks at it while it runs. */
export function serves(
  words: Words,
  look: (
    run: Running & { readonly url: string; api(path: string, body?: object): Promise<Response> },
    place: Place,
  ) => unknown,
): Use {
  return async (place) => {
    const args = typeof words === 'function' ? await words(place) : words;
    const port = args.includes('--port') ? [] : ['--port', '0'];
    const running = start(['sandbox', ...port, ...args]);
    await running.until('"baseUrl"');
    const { baseUrl: url, apiKey } = JSON.parse(running.out().split('\n')[0] ?? '');
    const api = (path: string, body?: object): Promise<Response> =>
      fetch(`${url}/api/v1/external${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'X-Api-Key': apiKey },
        ...(body && { body: JSON.stringify({ ...ORDER, ...body }) }),
      });
    await look({ ...running, url, api }, place);
    running.interrupt();
    expect(await running.ended).toBe(0);
  };
}

export const ORDER = { external_id: 'order-1042', customer_id: 'c-7', amount: '25.00', currency: 'EUR' };

/** A flag that stands alone, with a value. */
export function valued(command: readonly string[], name: string): Use {
  return refuses([...command, `--${name}=yes`], `Option '.*--${name}' does not take an argument`);
}

/** A flag without its value. */
export function valueless(command: readonly string[], name: string): Use {
  return refuses([...command, `--${name}`], `Option '.*--${name} <value>' argument missing`);
}
