import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { postgresStore, sqliteStore } from '../../../src/webhooks/index.ts';
import { temporaryFolder } from '../../support/engine-process.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(root, 'docs/stores.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].filter(([, of]) => of === language).map(([, , code = '']) => code);
const [sqlite = '', , , own = ''] = blocks('ts');
// Beside the sources, so that the drivers are found.
const folder = mkdtempSync(join(root, 'test/webhooks/stores/.docs-'));
const work = temporaryFolder('docs');
afterAll(() => {
  rmSync(folder, { recursive: true });
  work.remove();
});

function write(name: string, code: string): string {
  const file = join(folder, name);
  writeFileSync(file, code.replaceAll("'merchant-invoicing/webhooks'", "'../../../../src/webhooks/index.ts'"));
  return file;
}

describe('docs/stores.md', () => {
  it('shows code that compiles strictly', () => {
    const files = blocks('ts').map((code, index) => write(`block-${index}.ts`, code));
    expect(files).toHaveLength(4);
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
    const findings = ts
      .getPreEmitDiagnostics(ts.createProgram(files, options))
      .map(({ messageText, file }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
    expect(findings).toEqual([]);
  });

  it('runs the receiver on SQLite', async () => {
    const said = await begin(
      write('receiver.ts', `${sqlite.replace('3000', '0')}\nsetTimeout(() => process.exit(0));`),
    );
    expect(said).toEqual({ code: 0, stderr: '' });
    const db = new DatabaseSync(join(work.folder, 'shop.db'));
    const tables = db.prepare('SELECT name FROM sqlite_master WHERE type = ? ORDER BY name').all('table');
    db.close();
    expect(tables.map(({ name }) => name)).toEqual(['credits', 'merchant_webhook_events']);
  });

  it('runs the checks of an own store', async () => {
    expect(await begin(write('own.ts', own))).toEqual({ code: 0, stderr: '' });
  });

  it('shows the schemas as they are', async () => {
    const db = new DatabaseSync(':memory:');
    const pglite = new PGlite();
    expect(blocks('sql').map((text) => text.trim())).toEqual([sqliteStore(db).schema, postgresStore(pglite).schema]);
    db.close();
    await pglite.close();
  });
});

async function begin(file: string): Promise<{ code: unknown; stderr: string }> {
  const env = { PATH: process.env['PATH'] ?? '', MERCHANT_WEBHOOK_SECRET: 'whsec_docs' };
  const child = spawn(process.execPath, [file], { cwd: work.folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += String(text);
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}
