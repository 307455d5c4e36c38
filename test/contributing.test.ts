import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEntries } from '../scripts/build/entries.ts';
import { gapsIn } from '../scripts/docs-check/rules.ts';
import { compileSources } from '../scripts/docs-check/surface.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Below the project, so that the copy finds its packages. */
const COPY = join(ROOT, 'coverage', 'contributing');

const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const example = /^## Add an endpoint\n([\s\S]*?)^## /m.exec(page)?.[1] ?? '';

/** The code blocks of the example, without the indentation of the list they stand in. */
const blocks = [...example.matchAll(/^( *)```(ts|diff)\n([\s\S]*?)^ *```$/gm)].map(
  ([, indent = '', language = '', code = '']) => ({
    language,
    code: code
      .split('\n')
      .map((line) => line.slice(indent.length))
      .join('\n'),
  }),
);

/** `// file`, then the text of a new file. */
function addFile(code: string): void {
  const [, path = ''] = /^\/\/ (\S+)\n/.exec(code) ?? [];
  expect(path, 'a block of TypeScript begins with the name of its file').not.toBe('');
  mkdirSync(dirname(join(COPY, path)), { recursive: true });
  writeFileSync(join(COPY, path), code);
}

/** `--- file`, then hunks, with `@@` between them. */
function editFile(code: string): void {
  const [, path = '', hunks = ''] = /^--- (\S+)\n([\s\S]*)$/.exec(code) ?? [];
  const file = join(COPY, path);
  for (const hunk of hunks.trimEnd().split(/^@@\n/m)) {
    const lines = hunk.split('\n').filter((line) => line !== '');
    const before = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
    const after = lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
    const parts = readFileSync(file, 'utf8').split(`${before.join('\n')}\n`);
    expect(parts, `${path} has these lines once:\n${before.join('\n')}`).toHaveLength(2);
    writeFileSync(file, parts.join(`${after.join('\n')}\n`));
  }
}

describe('"Add an endpoint" of CONTRIBUTING.md, on a copy of the project', () => {
  beforeAll(() => {
    rmSync(COPY, { recursive: true, force: true });
    for (const path of ['src', 'package.json', 'tsconfig.json']) {
      cpSync(join(ROOT, path), join(COPY, path), { recursive: true });
    }
    for (const { language, code } of blocks) (language === 'diff' ? editFile : addFile)(code);
  });
  afterAll(() => rmSync(COPY, { recursive: true, force: true }));

  it('gives sources that compile', () => {
    const { config } = ts.readConfigFile(join(COPY, 'tsconfig.json'), ts.sys.readFile);
    const parsed = ts.parseJsonConfigFileContent({ ...config, include: ['src', '*.ts'] }, ts.sys, COPY);
    const findings = ts
      .getPreEmitDiagnostics(ts.createProgram(parsed.fileNames, parsed.options))
      .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
    expect(findings).toEqual([]);
  });

  it('gives public symbols whose documentation is whole', () => {
    const entries = readEntries().map(({ source }) => join(COPY, 'src', `${source}.ts`));
    expect(gapsIn(compileSources(join(COPY, 'src/'), entries))).toEqual([]);
  });

  it('gives a client that calls the endpoint', async () => {
    const asked: string[] = [];
    const service = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers['x-api-key']}`);
      response.setHeader('content-type', 'application/json');
      response.end('{"success":true,"data":[{"currency":"EUR","amount":"1.5"},{"currency":"USDT","amount":"20"}]}');
    });
    await once(service.listen(0, '127.0.0.1'), 'listening');
    try {
      const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
      const printed = await run('balances.ts', { MERCHANT_BASE_URL: baseUrl, MERCHANT_API_KEY: 'test-key' });
      expect(printed).toBe('EUR 1.50\nUSDT 20.00\n');
    } finally {
      service.close();
    }
    expect(asked).toEqual(['GET /api/v1/external/balances test-key']);
  });

  it('gives a sandbox that answers it', async () => {
    const withSandbox = `
      import { createSandbox } from './src/sandbox/index.ts';
      const sandbox = createSandbox();
      await sandbox.listen();
      process.env['MERCHANT_BASE_URL'] = sandbox.url;
      process.env['MERCHANT_API_KEY'] = sandbox.apiKey;
      await import('./balances.ts');
      await sandbox.close();`;
    writeFileSync(join(COPY, 'with-sandbox.ts'), withSandbox);
    expect(await run('with-sandbox.ts')).toBe('USDT 120.50\n');
  });
});

/** What a script of the copy prints, in a process that does not share the test's environment. */
async function run(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = { cwd: COPY, env: { NO_COLOR: '1', ...env } };
  const { stdout } = await promisify(execFile)(process.execPath, [join(COPY, script)], options);
  return stdout;
}
