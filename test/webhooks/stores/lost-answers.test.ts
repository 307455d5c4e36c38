import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type LeaseStore,
  memoryStore,
  postgresStore,
  redisStore,
  sqliteStore,
  type WebhookHandlerOptions,
  type WebhookStore,
} from '../../../src/webhooks/index.ts';
import { temporaryFolder } from '../../support/engine-process.ts';
import { startEngines } from '../../support/engines.ts';
import { openPool } from '../../support/postgres.ts';
import { endpoint, send } from '../endpoint.ts';

// The work is done, and then something goes wrong: a response is lost, or the rest of the function throws. The event must
// count as done, or its repeat would write twice.

const engines = await startEngines();
const files = temporaryFolder('answers');
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await engines.stop();
  files.remove();
});

const lost = (): never => {
  throw new Error('the connection was lost');
};

/** A store whose next response to a completion is lost after it was applied. */
function losing(store: LeaseStore, times = 1): LeaseStore {
  let left = times;
  return {
    ...store,
    async complete(claim) {
      const answer = await store.complete(claim);
      left -= 1;
      return left >= 0 ? lost() : answer;
    },
  };
}

/** A receiver whose function is given what the store adds to the context. */
function receiver<Extra extends object>(
  store: WebhookStore<Extra>,
  onPaid: (event: unknown, context: Extra) => unknown = () => {},
) {
  return endpoint({ store, onPaid } as unknown as Partial<WebhookHandlerOptions>); // its own options know a store without additions only
}

describe('a completion that was applied, but whose response was lost, is done', () => {
  const stores: Record<string, () => Promise<LeaseStore>> = {
    memoryStore: async () => memoryStore(),
    async sqliteStore() {
      const { run: _run, ...store } = (await sqliteShop()).store;
      return store;
    },
    async redisStore() {
      if (engines.redis.missing !== null) throw new Error(engines.redis.missing);
      const client = new Redis({ path: engines.redis.connection });
      ends.push(() => client.quit());
      return redisStore(client);
    },
  };

  it.for(Object.entries(stores))('%s', async ([name, open], { skip }) => {
    const engine = name === 'redisStore' ? engines.redis : null;
    if (engine !== null && engine.missing !== null) return skip(engine.missing);
    const store = await open();
    const shop = receiver(losing(store));
    expect(await send(shop)).toMatchObject({ status: 200, body: 'done' });
    expect(shop.reports).toEqual([]);
    expect(await send(shop)).toMatchObject({ status: 200, body: 'duplicate' });
  });

  it('at the next delivery, where both responses were lost', async () => {
    const shop = receiver(losing(memoryStore(), 2));
    expect(await send(shop)).toMatchObject({ status: 503, body: 'store_failed' });
    expect(await send(shop)).toMatchObject({ status: 200, body: 'duplicate' });
  });
});

describe('a COMMIT of PostgreSQL whose response was lost', () => {
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
    const pool = openPool({
      host: '127.0.0.1',
      port: (road.address() as AddressInfo).port, // a TCP server has one
      user: 'postgres',
      database: 'postgres',
    });
    ends.push(() => pool.end());
    return pool;
  }

  it.for([
    ['after it was applied is done, and written once', 'after', { status: 200, body: 'done' }, 1, 'duplicate'],
    ['before it arrived is a failure of the store, and wrote nothing', 'before', { status: 503 }, 0, 'store_failed'],
  ] as const)('%s', async ([_name, breaks, answer, credits, next], { skip }) => {
    if (engines.postgres.missing !== null) return skip(engines.postgres.missing);
    const pool = await roadTo(engines.postgres.connection.host, breaks);
    const store = postgresStore(pool, { table: `lost_${breaks}` });
    await store.migrate();
    await pool.query(`CREATE TABLE credits_${breaks} (usdt text)`);
    const shop = receiver(store, async (_event, { tx }) => {
      await tx.query(`INSERT INTO credits_${breaks} VALUES ('26.91')`);
    });
    expect(await send(shop)).toMatchObject(answer);
    expect((await pool.query(`SELECT * FROM credits_${breaks}`)).rows).toHaveLength(credits);
    // A server that has not noticed the broken connection yet still holds the event.
    const again = breaks === 'before' ? expect.stringMatching(/^(?:store_failed|duplicate_running)$/) : next;
    expect(await send(shop)).toMatchObject({ body: again });
  });
});

let count = 0;
async function sqliteShop() {
  count += 1;
  const db = new DatabaseSync(join(files.folder, `${count}.db`));
  ends.push(() => db.close());
  const store = sqliteStore(db);
  await store.migrate();
  db.exec('CREATE TABLE credits (usdt TEXT)');
  const credit = (): void => db.exec("INSERT INTO credits VALUES ('26.91')");
  const credits = (): number => db.prepare('SELECT * FROM credits').all().length;
  return { store, credit, credits };
}

describe('a function that throws after its commit was kept', () => {
  const failure = new Error('the mail server is away');

  it('is done, reported with what it threw, and not repeated', async () => {
    const { store, credit, credits } = await sqliteShop();
    const shop = receiver(store, async (_event, { commit }) => {
      await commit(credit);
      throw failure;
    });
    expect(await send(shop)).toMatchObject({ status: 200, body: 'failed_after_commit' });
    expect(shop.reports).toMatchObject([{ reason: 'failed_after_commit', status: 200, error: failure }]);
    expect(await send(shop)).toMatchObject({ status: 200, body: 'duplicate' });
    expect(credits()).toBe(1);
  });
});

describe('a commit that the function does not wait for', () => {
  const unhandled: unknown[] = [];
  const listen = (error: unknown): void => void unhandled.push(error);
  beforeAll(() => void process.on('unhandledRejection', listen));
  afterAll(() => void process.off('unhandledRejection', listen));

  it('is kept with the completion', async () => {
    const { store, credit, credits } = await sqliteShop();
    const shop = receiver(store, (_event, { commit }) => void commit(credit));
    expect(await send(shop)).toMatchObject({ status: 200, body: 'done' });
    expect(credits()).toBe(1);
  });

  it('and that fails is not taken for a success, nor ends the process', async () => {
    const { store, credits } = await sqliteShop();
    const failure = new Error('no such account');
    const shop = receiver(
      store,
      (_event, { commit }) =>
        void commit(() => {
          throw failure;
        }),
    );
    expect(await send(shop)).toMatchObject({ status: 503, body: 'store_failed' });
    expect(shop.reports).toMatchObject([{ reason: 'store_failed', error: failure }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([credits(), unhandled]).toEqual([0, []]);
  });

  it('has failed also where the function caught its error: nothing was written', async () => {
    const { store } = await sqliteShop();
    const shop = receiver(store, async (_event, { commit }) => {
      await commit(() => {
        throw new Error('credited before');
      }).catch(() => undefined);
    });
    expect(await send(shop)).toMatchObject({ status: 503, body: 'store_failed' });
  });
});
