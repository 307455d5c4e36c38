import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

it.concurrent.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  'a %s to npx, which runs the sandbox in a shell, leaves no server',
  async (signal) => {
    // As npx does: a shell that waits for the command.
    const script = `require('child_process').spawn('sh', ['-c', '"$0" "$@"; exit', ...process.argv.slice(1)], { stdio: 'inherit' })`;
    const args = [process.execPath, CLI, 'sandbox', '--port', '0', '--json'];
    const env = { ...process.env, npm_command: 'exec' };
    const npx = spawn(process.execPath, ['-e', script, ...args], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(createInterface(npx.stdout), 'line')) as [string];
    const { baseUrl } = JSON.parse(line) as { baseUrl: string };
    expect((await fetch(baseUrl)).status).toBe(200);
    npx.kill(signal);
    await once(npx.stdout, 'close'); // the sandbox holds its end of the pipe as long as it runs
    await expect(fetch(baseUrl)).rejects.toMatchObject({
      cause: { code: expect.stringMatching(/^(?:ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)$/) },
    }); // the last two: of a connection that was kept
  },
);

it('an older Node is told the version, and no stack of what it lacks', () => {
  const old = `Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } }); delete Map.groupBy;`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, CLI, 'sandbox'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, expect.stringContaining('needs Node 22.12 or later, and this is Node 20.1.0')]);
  expect(stderr).not.toContain('groupBy');
});
