import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problems } from '../scripts/sizes/compare.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe('an entry', () => {
  const recorded = { client: { gzip: 10_000, loads: ['decimal.js', 'src/'] } };

  it.each([
    ['that is as recorded', 10_000, ['decimal.js', 'src/']],
    ['that is smaller and loads less', 5_000, ['src/']],
    ['that has grown by 3 %', 10_300, ['decimal.js', 'src/']],
  ])('%s is accepted', (_, gzip, loads) => {
    expect(problems(recorded, { client: { gzip, loads } })).toEqual([]);
  });

  it.each([
    ['that has grown by more than 3 %', { client: { gzip: 10_301, loads: ['src/'] } }, /^client has grown by \+3\.0 %/],
    [
      'that loads another module',
      { client: { gzip: 10_000, loads: ['src/', 'node:http'] } },
      /^client loads node:http/,
    ],
    ['that is gone', {}, /^client is recorded, and not measured$/],
    ['that is not recorded', { ...recorded, msw: { gzip: 1, loads: [] } }, /^msw is not recorded$/],
  ])('%s is refused', (_, measured, problem) => {
    expect(problems(recorded, measured)).toEqual([expect.stringMatching(problem)]);
  });
});

describe('npm run sizes', () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'sizes-'));
    for (const name of ['dist', 'package.json']) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  });
  afterEach(() => rmSync(copy, { recursive: true, force: true }));

  const sizes = () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/sizes.ts', copy], {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: 120_000,
    });
    return { status, problems: stderr.split('\n').filter((line) => /^\w+ (?:has|loads|is) /.test(line)) };
  };

  it('accepts the build', () => {
    expect(sizes()).toEqual({ status: 0, problems: [] });
  });

  it('fails for a fat entry', () => {
    const text = execFileSync(process.execPath, ['-p', "crypto.randomBytes(4000).toString('hex')"], {
      encoding: 'utf8',
    });
    appendFileSync(join(copy, 'dist/index.js'), `\nexport const fat = '${text.trim()}';\n`);
    expect(sizes()).toEqual({ status: 1, problems: [expect.stringMatching(/^client has grown by /)] });
  });

  it('fails for a module that is loaded at import', () => {
    appendFileSync(join(copy, 'dist/webhooks.js'), "\nimport 'node:dgram';\n");
    const { status, problems: found } = sizes();
    expect(status).toBe(1);
    expect(found).toEqual(
      expect.arrayContaining(['webhooks loads node:dgram at import', 'verifyWebhook loads node:dgram at import']),
    );
    expect(found.filter((line) => line.startsWith('client'))).toEqual([]);
  });
});
