import { join } from 'node:path';
import { type Engine, findProgram, startServer, stopServer, temporaryFolder } from './engine-process.ts';

/**
 * Starts a real Redis in a temporary folder, reached by a unix socket, and on a port of loopback if one is given. The
 * connection is the socket's path.
 */
export async function startRedis(port = 0): Promise<Engine<string>> {
  const program = findProgram('redis-server') ?? findProgram('valkey-server');
  if (program === null) return { missing: 'Redis is not installed (Debian: apt-get install redis-server)' };
  const { folder, remove } = temporaryFolder('redis');
  const socket = join(folder, 'redis.sock');
  const flags = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--unixsocket',
    socket,
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const server = await startServer(program, flags, 'eady to accept connections');
  return {
    missing: null,
    connection: socket,
    async stop() {
      await stopServer(server, 'SIGTERM');
      remove();
    },
  };
}
