#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isOldNode, warnOfOldNode } from '../../errors/version.ts';
import type { Io } from './io.ts';

const { stdin, stdout, stderr, env, argv, platform, versions } = process;

/** The process above the shell that npm starts a command in. Null without such a shell, or where it cannot be seen. */
function npmAbove(shell: number): number | null {
  try {
    // Up to the last bracket, because the name of a process may hold brackets and spaces.
    const seen =
      platform === 'linux'
        ? readFileSync(`/proc/${shell}/stat`, 'utf8').replace(/^\d+ \((.*)\) \S+ (\d+) .*$/s, '$2 $1')
        : execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(shell)], { encoding: 'utf8' });
    const [, parent, name = ''] = /^\s*(\d+) (.*)/.exec(seen) ?? [];
    return /(?:^|\/)-?(?:ba|da|z|k)?sh$/.test(name.trim()) ? Number(parent) : null;
  } catch {
    return null;
  }
}

/** Whether a process of this machine runs, also one of another user. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // sends nothing
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const end = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => end.abort());
// A killed npx sends no signal to this process, and the shell between them may stay. So shell and npx are watched.
if (env['npm_command'] !== undefined) {
  const { ppid } = process;
  const npm = npmAbove(ppid);
  const isAlone = (): boolean => process.ppid !== ppid || (npm !== null && !isRunning(npm));
  setInterval(() => isAlone() && end.abort(), 500).unref();
}
// A reader that has ended, as in `| head -1`, ends this process without a stack trace.
stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));

const io: Io = {
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  env,
  isTerminal: stdout.isTTY === true,
  isInputTerminal: stdin.isTTY === true && stdout.isTTY === true,
  input: () => stdin,
  signal: end.signal,
};
warnOfOldNode();
// The commands may not even load on an older Node.
process.exitCode = isOldNode(versions.node) ? 2 : await (await import('./main.ts')).main(argv.slice(2), io);
