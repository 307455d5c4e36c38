import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe('npm start', () => {
  it('plays the whole path over real sockets and ends by itself', { timeout: 300_000 }, async () => {
    // Rejects when the exit code is not 0. `npm start` is this after a build, which the test command has made.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['examples/story/run.ts'], {
      cwd: ROOT,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
      timeout: 280_000,
    });
    expect(stderr).toBe('');
    expect(stdout.match(/✓/g)).toHaveLength(14);
    expect(stdout).toContain('14 claims proved over real sockets, none refuted.');
  });
});
