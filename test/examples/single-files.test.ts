import { execFile } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { installPacked } from '../support/consumer.ts';

// The examples of one task each, as a reader runs them: pasted into a project of their own.

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples');
const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.ts'));
const SERVER = 'whole-shop.ts'; // has a test of its own
const project = installPacked();
afterAll(() => project.remove());

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** What a file says that it prints: the comments after an arrow, in order. A `…` stands for any text. */
function shownBy(source: string): RegExp {
  const lines = [...source.matchAll(/\/\/ → (.*)$/gm)].map(([, line = '']) =>
    line.trim().split('…').map(escaped).join('.*'),
  );
  return new RegExp(`^${lines.map((line) => `${line}\n`).join('')}$`);
}

const ran = (cwd: string, args: readonly string[]) =>
  promisify(execFile)(process.execPath, [...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' },
    timeout: 240_000,
  });

describe.each(files.filter((file) => file !== SERVER))('examples/%s', (file) => {
  const source = readFileSync(join(EXAMPLES, file), 'utf8');

  it('prints what its comments say', async () => {
    const { code, stdout, stderr } = await project.run(file, source);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(shownBy(source));
  });
});

describe('examples', () => {
  it('compile in a strict project of their own', () => {
    const own = files.map((file) => join(project.folder, `checked-${file}`));
    files.forEach((file, index) => {
      copyFileSync(join(EXAMPLES, file), own[index] ?? '');
    });
    const program = ts.createProgram(own, {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    });
    const findings = ts
      .getPreEmitDiagnostics(program)
      .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
    expect(findings).toEqual([]);
  });

  it('are all in the index', () => {
    const index = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
    const linked = [...index.matchAll(/\]\(([^)/]+)(?:\/[^)]+)?\)/g)].map(([, target]) => target); // a folder by a file of it
    expect(linked.sort()).toEqual(
      readdirSync(EXAMPLES)
        .filter((name) => name !== 'README.md')
        .sort(),
    );
  });
});

describe('examples/testing', () => {
  it('passes with node:test', async () => {
    const { stdout } = await ran(ROOT, ['--test', '--test-reporter=tap', 'examples/testing/*.test.ts']);
    expect(stdout).toContain('# pass 2\n');
  });
});
