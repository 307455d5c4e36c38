import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { postgresStore, type WebhookHandlerOptions } from '../../../src/webhooks/index.ts';
import { startEngines } from '../../support/engines.ts';
import { openPool } from '../../support/postgres.ts';
import { endpoint, send } from '../endpoint.ts';

// The work is done, and then a response of PostgreSQL is lost. The event must count as done, or its repeat would write twice.
// For a store with leases, conformance.test.ts checks the repeated completion, and handle/stores.test.ts that it is made.

const engines = await startEngines();
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await engines.stop();
});

/** A road to PostgreSQL that breaks a connection once it says COMMIT: before it arrives, or before the response leaves. */
async function roadTo(folder: string, breaks: 'before' | 'after') {
  const road = createServer((client) => {
    const server = connect(join(folder, '.s.PGSQL.5432'));
    let cut = false;
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    client.on('data', (bytes) => {
      cut ||= bytes.includes('COMMIT');
      if (cut && breaks === 'before') end();
      else server.write(bytes);
    });
    server.on('data', (bytes) => (cut ? end() : client.write(bytes)));
    for (const side of [client, server]) side.on('error', end).on('close', end);
  }).listen(0, '127.0.0.1');
  await once(road, 'listening');
  ends.push(() => road.close());
  const { port } = road.address() as AddressInfo; // a TCP server has one
  const pool = openPool({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  ends.push(() => pool.end());
  return pool;
}

it.for([
  ['after it was applied is done, and written once', 'after', { status: 200, body: 'done' }, 1],
  ['before it arrived is a failure of the store, and wrote nothing', 'before', { status: 503 }, 0],
] as const)('a COMMIT of PostgreSQL that was lost %s', async ([_name, breaks, response, credits], { skip }) => {
  if (engines.postgres.missing !== null) return skip(engines.postgres.missing);
  const pool = await roadTo(engines.postgres.connection.host, breaks);
  const store = postgresStore(pool, { table: `lost_${breaks}` });
  await store.migrate();
  await pool.query(`CREATE TABLE credits_${breaks} (usdt text)`);
  const onPaid = async (_event: unknown, { tx }: { readonly tx: { query(text: string): Promise<unknown> } }) =>
    void (await tx.query(`INSERT INTO credits_${breaks} VALUES ('26.91')`));
  const shop = endpoint({ store, onPaid } as unknown as Partial<WebhookHandlerOptions>); // its own options know a store without additions only
  expect(await send(shop)).toMatchObject(response);
  expect((await pool.query(`SELECT * FROM credits_${breaks}`)).rows).toHaveLength(credits);
  // A server that has not noticed the broken connection yet still holds the event.
  const next = breaks === 'after' ? 'duplicate' : expect.stringMatching(/^(?:store_failed|duplicate_running)$/);
  expect(await send(shop)).toMatchObject({ body: next });
});
