import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { createWebhookHandler, memoryStore, signWebhook, toNodeHandler } from '../../src/webhooks/index.ts';
import { compare, figure, SECRET } from './compare.ts';
import { dribble, inUse } from './dribble.ts';

const silent = { store: memoryStore(), onPaid: () => {}, onCanceled: () => {} };

/** What a stranger without the secret costs: in time for each refusal, in memory for each connection. */
export async function strangers(): Promise<void> {
  for (const kibibytes of [1, 4, 32, 256]) await refusal(kibibytes);
  await memory();
}

function bodyOf(bytes: number): Uint8Array {
  const start = '{"invoice_uuid":"0e0f7c1e-6f5b-4a51-9a43-000000000001","external_id":"order-1","status":"success"';
  const end = '","amount":"25.00","credited_usdt":"26.861298","adjusted":false}';
  const note = ',"note":"';
  return new TextEncoder().encode(
    start + note + 'x: ,'.repeat(bytes).slice(0, bytes - start.length - note.length - end.length) + end,
  );
}

async function refusal(kibibytes: number): Promise<void> {
  const body = bodyOf(kibibytes * 1024);
  const headers = { ...(await signWebhook(body, SECRET)) };
  const forged = { ...headers, 'X-Webhook-Signature': '0'.repeat(64) };
  const handler = createWebhookHandler({ ...silent, secret: SECRET });
  const post = (sent: Record<string, string>) => handler.handle({ method: 'POST', headers: sent, body });
  // The first thirty refusals of a minute are diagnosed. This clock moves a minute with each reading, so that all are.
  let time = Date.now();
  const now = (): number => {
    time += 60_000;
    return time;
  };
  const diagnosing = createWebhookHandler({ ...silent, secret: SECRET, now });
  await compare(`Refuse a body of ${kibibytes} KiB`, Math.ceil(400 / kibibytes), [
    { name: 'genuine delivery, handled before', run: () => post(headers) },
    { name: 'forged delivery', run: () => post(forged) },
    {
      name: 'forged delivery, each diagnosed',
      run: () => diagnosing.handle({ method: 'POST', headers: forged, body }),
    },
  ]);
}

const CONNECTIONS = [6, 60];
const BYTES = 100_000;

/** Memory that is held while strangers send bodies byte by byte, and leave them open. */
async function memory(): Promise<void> {
  console.log(`\nHeld while strangers send ${BYTES / 1000} kB each, in chunks of one byte`);
  for (const connections of CONNECTIONS) {
    // The time limit never comes: what is held at its worst is measured.
    const timers = { setTimeout: () => 0, clearTimeout: () => {} };
    const adapter = toNodeHandler(createWebhookHandler({ ...silent, secret: SECRET, timers }));
    let read = 0;
    const server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => {
        read += chunk.byteLength;
      });
      void adapter(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    const before = inUse();
    const sockets: Socket[] = [];
    for (let index = 0; index < connections; index += 1) sockets.push(await dribble(address.port, BYTES));
    while (read < connections * BYTES) await new Promise((resolve) => setImmediate(resolve));
    const held = inUse() - before;
    const each = (held / connections / 1024).toFixed(0);
    console.log(`${figure(`${connections} connections`, held / 2 ** 20, 1, 'MiB')}  ${each} KiB each`);
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
