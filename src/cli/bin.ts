#!/usr/bin/env node
import { spawn } from 'node:child_process';
import type { Io, Keyboard } from './io.ts';
import { main } from './main.ts';

const { stdin, stdout, stderr, env, argv, platform } = process;

const keyboard: Keyboard = {
  listen(press) {
    const onData = (data: Buffer): void => {
      for (const key of data.toString()) press(key);
    };
    stdin.setRawMode(true);
    stdin.on('data', onData);
    stdin.resume();
    return () => {
      stdin.off('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
    };
  },
};

function open(url: string): void {
  const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = { darwin: ['open'], win32: ['explorer'] };
  const [program = '', ...words] = [...(openers[platform] ?? ['xdg-open']), url];
  const child = spawn(program, words, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined); // without a browser: the address is on the screen
  child.unref();
}

const end = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => end.abort());
// A reader that has ended, as in `| head -1`, ends this process without a stack trace.
stdout.on('error', () => process.exit(0));

const io: Io = {
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  env,
  isTerminal: stdout.isTTY === true,
  isErrorTerminal: stderr.isTTY === true,
  keyboard: stdin.isTTY === true && stdout.isTTY === true ? keyboard : null,
  open,
  input: () => stdin,
  signal: end.signal,
};
process.exitCode = await main(argv.slice(2), io);
