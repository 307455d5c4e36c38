import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The head of a request whose body has no declared length. */
export const CHUNKED_HEAD = 'POST /webhook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const AT_ONCE = 10_000;

/** A connection to a loopback server that has sent a body in chunks of one byte, and is left open. */
export async function dribble(port: number, bytes: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(CHUNKED_HEAD);
  const chunks = '1\r\nx\r\n'.repeat(AT_ONCE);
  for (let sent = 0; sent < bytes; sent += AT_ONCE) if (!socket.write(chunks)) await once(socket, 'drain');
  return socket;
}

/** Bytes that are in use after the garbage is collected. */
export function inUse(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  collect(); // buffers of the first collection are freed in the background, and the second one waits for that
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
