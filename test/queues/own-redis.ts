import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { findProgram, startServer, stopServer, temporaryFolder } from '../support/engine-process.ts';

/** A Redis that a test may stop, suspend and start again. It keeps its data in an append-only file. */
export interface OwnRedis {
  readonly socket: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** It takes connections and commands, and answers nothing until `resume`. */
  suspend(): void;
  resume(): void;
  remove(): void;
}

/** Null where Redis is not installed. */
export function ownRedis(): OwnRedis | null {
  const program = findProgram('redis-server') ?? findProgram('valkey-server');
  if (program === null) return null;
  const { folder, remove } = temporaryFolder('que');
  const socket = join(folder, 'redis.sock');
  const keep = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  const flags = ['--port', '0', '--unixsocket', socket, '--dir', folder, ...keep];
  let server: ChildProcess | null = null;
  return {
    socket,
    async start() {
      server = await startServer(program, flags, 'eady to accept connections');
    },
    async stop() {
      if (server !== null) await stopServer(server, 'SIGTERM');
    },
    suspend: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    remove,
  };
}
