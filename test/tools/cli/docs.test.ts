import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/tools/cli/io.ts';
import { DELIVERY_FAULTS, REQUEST_FAULTS } from '../../../src/tools/sandbox/state/faults.ts';
import { firstLine, type Running, start } from './command-line.ts';

const page = (name: string): string => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
const sandboxPage = page('sandbox');
const cliPage = page('cli');

describe('docs/sandbox.md', () => {
  it('names every fault', () => {
    for (const fault of [...REQUEST_FAULTS, ...DELIVERY_FAULTS]) expect(sandboxPage).toContain(`\`${fault}\``);
  });
});

describe('docs/cli.md', () => {
  it('lists the exit codes', () => {
    const listed = [...cliPage.matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code));
    expect(listed).toEqual(Object.values(EXIT));
  });
});

describe('the curl session', () => {
  let run: Running;
  beforeAll(async () => {
    run = start(['sandbox', '--port', '0', '--json']);
    await run.until('baseUrl');
  });
  afterAll(async () => {
    run.interrupt();
    await run.ended;
  });

  it('does what it says', async () => {
    const [, session = ''] = /```sh\n([\s\S]*?)```/.exec(sandboxPage) ?? [];
    const script = session
      .replace('http://127.0.0.1:4010', firstLine(run.out()).baseUrl)
      .replaceAll(/^curl/gm, 'echo; curl');
    const out = await new Promise<string>((resolve, reject) => {
      execFile('bash', ['-euo', 'pipefail', '-c', script], (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}${stderr}`)),
      );
    });
    const [methods, created, again, underpaid, read, moved, ...rest] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rest).toEqual([]);
    expect(methods.data).toHaveLength(9);
    expect(created).toMatchObject({ success: true, data: { external_id: 'order-1', status: 'pending' } });
    expect(again).toMatchObject({
      success: false,
      error: { code: 'INVOICE_ALREADY_EXISTS', details: { status: 'pending' } },
    });
    expect(underpaid.result.invoice).toMatchObject({ status: 'success', is_adjusted: true });
    expect(read.data).toMatchObject({ status: 'success', settled_amount_usdt: '18.265682' });
    expect(moved).toMatchObject({ ok: true });
  });
});
