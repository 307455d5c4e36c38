import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** No system gives these to a connection or to a server that takes any port, so none of them takes one in the meantime. */
const [FIRST, LAST] = [12_000, 30_000];
const TRIES = 100;

/** A port of loopback that nobody listens on now, for a process that must be told its port. */
export async function freePort(): Promise<number> {
  for (let left = TRIES; left > 0; left -= 1) {
    const port = randomInt(FIRST, LAST);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`no free port between ${FIRST} and ${LAST}`);
}
