import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Consumer, installPacked } from '../support/consumer.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/testing-your-integration.md'), 'utf8');
const blocks = [...page.matchAll(/```ts\n(?:\/\/ ([\w-]+\.test\.ts)\n)?([\s\S]*?)```/g)].map(
  ([, file = '', code = '']) => ({ file, code }),
);

describe('docs/testing-your-integration.md', () => {
  let consumer: Consumer;
  beforeAll(() => {
    consumer = installPacked();
    for (const name of ['vitest', 'msw', '@types']) {
      mkdirSync(join(consumer.folder, 'node_modules'), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), join(consumer.folder, 'node_modules', name), 'junction');
    }
    for (const { file, code } of blocks) writeFileSync(join(consumer.folder, file), code);
  });
  afterAll(() => consumer?.remove());

  it('has a test file in each block', () => {
    expect(blocks.length).toBe(7);
    expect(new Set(blocks.map(({ file }) => file)).size).toBe(blocks.length);
    for (const { file, code } of blocks) expect(code, file).toContain('expect(');
  });

  it('shows code that compiles strictly', () => {
    const program = ts.createProgram(
      blocks.map(({ file }) => join(consumer.folder, file)),
      {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.NodeNext,
        types: ['node'],
      },
    );
    const findings = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText, file }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
    expect(findings).toEqual([]);
  });

  it('shows tests that pass', async () => {
    const vitest = `process.argv.push('run', '--root', '.'); await import('./node_modules/vitest/vitest.mjs');`;
    const ran = await consumer.run('run.mjs', vitest);
    expect(ran.stdout).toMatch(/Tests +7 passed/);
    expect(ran.code).toBe(0);
  });
});
