import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cli } from '../command-line.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');

/** A project folder in which the built package is installed. */
function project(dependencies: Record<string, string> | null, { typescript = false } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'merchant-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (dependencies !== null) writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
  if (typescript) writeFileSync(join(folder, 'tsconfig.json'), '{}');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/merchant-invoicing'));
  return folder;
}

const init = (folder: string, ...flags: string[]) => cli(['init', '--folder', folder, ...flags]);

describe('init', () => {
  it.each([
    [{ express: '5' }, 'express', 'merchant-webhook.mjs', 'express.raw'],
    [{ fastify: '5' }, 'fastify', 'merchant-webhook.mjs', 'app.register(receive)'],
    [{ hono: '4' }, 'hono', 'merchant-webhook.mjs', 'receive(c.req.raw)'],
    [{ koa: '3' }, 'koa', 'merchant-webhook.mjs', 'receive(ctx, next)'],
    [{ express: '5', '@nestjs/core': '12' }, 'nest', 'merchant-webhook.mjs', 'rawBody: true'],
    [{ next: '16' }, 'next', 'app/webhook/route.mjs', 'The route is /webhook'],
    [{}, 'http', 'merchant-webhook.mjs', 'receive(request, response)'],
    [null, 'http', 'merchant-webhook.mjs', 'npm install merchant-invoicing'],
  ])('%o: a receiver, and a test that passes as it is', async (dependencies, framework, receiver, next) => {
    const folder = project(dependencies);
    const { code, out } = await init(folder, '--json');
    const said = JSON.parse(out);
    expect([code, said.framework]).toEqual([0, framework]);
    expect(said.files).toEqual([
      { path: '.env.example', written: true },
      { path: receiver, written: true },
      { path: 'merchant-webhook.test.mjs', written: true },
    ]);
    expect(said.next.join('\n')).toContain(next);
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'merchant-webhook.test.mjs'], {
      cwd: folder,
    });
    expect(stdout).toContain('# pass 3');
  });

  it('writes TypeScript into a TypeScript project', async () => {
    const folder = project({ fastify: '5' }, { typescript: true });
    await init(folder);
    expect(readFileSync(join(folder, 'merchant-webhook.ts'), 'utf8')).toContain("scope: import('fastify')");
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'merchant-webhook.test.ts'], {
      cwd: folder,
    });
    expect(stdout).toContain('# pass 3');
  });

  it('never overwrites a file, and says so', async () => {
    const folder = project({});
    writeFileSync(join(folder, '.env.example'), 'MINE=1\n');
    const { code, out } = await init(folder);
    expect([code, readFileSync(join(folder, '.env.example'), 'utf8')]).toEqual([0, 'MINE=1\n']);
    expect(out).toMatch(/! kept {2}\.env\.example[\s\S]*✓ wrote merchant-webhook\.mjs[\s\S]*1\. npm install/);
  });

  it.each([
    [['--framework', 'expres'], 'Did you mean express?'],
    [['--framework', 'rails'], 'only next, nest, fastify'],
  ])('%o is misuse, and writes nothing', async (flags, said) => {
    const folder = project({});
    expect(await init(folder, ...flags)).toMatchObject({ code: 2, err: expect.stringContaining(said) });
    expect(readdirSync(folder).sort()).toEqual(['node_modules', 'package.json']);
  });

  it('names what is wrong with the folder', async () => {
    const folder = project({});
    writeFileSync(join(folder, 'package.json'), '{');
    expect(await init(folder)).toMatchObject({ code: 2, err: expect.stringContaining('is not JSON') });
    expect(await init(join(folder, 'nowhere'))).toMatchObject({ code: 2, err: expect.stringContaining('no folder') });
  });
});
