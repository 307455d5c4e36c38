#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Io, isRunning } from './io.ts';
import { main } from './main.ts';

const { stdin, stdout, stderr, env, argv, platform } = process;

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
stdout.on('error', () => process.exit(0));

const io: Io = {
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  env,
  isTerminal: stdout.isTTY === true,
  isInputTerminal: stdin.isTTY === true && stdout.isTTY === true,
  input: () => stdin,
  signal: end.signal,
};
process.exitCode = await main(argv.slice(2), io);
