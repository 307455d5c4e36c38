import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Redis } from 'ioredis';
import { Client, Pool } from 'pg';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import {
  ConfigurationError,
  memoryStore,
  postgresStore,
  redisStore,
  sqliteStore,
} from '../../../src/webhooks/index.ts';
import { temporaryFolder } from '../../support/engine-process.ts';
import { endpoint, send } from '../endpoint.ts';

const files = temporaryFolder('store-options');
afterAll(() => files.remove());

// What the types refuse, on purpose. Nothing here connects.

const redis = new Redis({ lazyConnect: true });
const pool = new Pool();
const db = new DatabaseSync(':memory:');
const MAKE: Readonly<Record<string, (options: never) => unknown>> = {
  memoryStore,
  sqliteStore: (options) => sqliteStore(db, options),
  postgresStore: (options) => postgresStore(pool, options),
  redisStore: (options) => redisStore(redis, options),
};
const ALL = Object.keys(MAKE);
const SQL = ['sqliteStore', 'postgresStore'];

const REFUSED: [stores: string[], option: string, values: unknown[]][] = [
  [ALL, 'namespace', ['', 'a/b', 'a:b', 'shop a', 'ä', 'x'.repeat(65), 5, null]],
  [SQL, 'table', ['Events', 'a; DROP TABLE credits', '', '1st', 'a.b.c', 'a"b', 5]],
  [
    [...SQL, 'redisStore'],
    'retention',
    [86_399_999, 3_650 * 86_400_000 + 1, Number.NaN, Number.POSITIVE_INFINITY, '30d'],
  ],
  [['redisStore'], 'retention', [null]],
  [['redisStore'], 'prefix', ['', 'a b', 5]],
  [['postgresStore'], 'isolation', ['snapshot']],
  [['postgresStore'], 'idleTimeout', [999, 600_001]],
  [['sqliteStore'], 'busyTimeout', [-1, 1.5, 60_001]],
  [['sqliteStore', 'memoryStore'], 'now', ['then']],
  [['memoryStore'], 'maxEntries', [0, -1, 1.5, Number.NaN, '5']],
];
it.each(
  REFUSED.flatMap(([stores, option, values]) =>
    stores.flatMap((store) => values.map((value) => [store, option, value] as const)),
  ),
)('%s refuses the %s %j', (store, option, value) => {
  const make = () => MAKE[store]?.({ [option]: value } as never);
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(new RegExp(option));
});

it.each(ALL)('%s refuses an option that it does not have, and options that are no object', (store) => {
  const make = (options: unknown) => () => MAKE[store]?.(options as never);
  expect(make({ tabel: 'events' })).toThrow(`${store}: options has no "tabel"; it has `);
  expect(make(null)).toThrow(`${store}: options must be an object, not null.`);
  expect(make(500)).toThrow(new ConfigurationError(`${store}: options must be an object, not 500.`));
  expect(make([])).toThrow(`${store}: options must be an object, not an array.`);
});

const closed = (): never => {
  throw new Error('the database is closed');
};
type Made = readonly [make: (given: never) => unknown, message: RegExp];
const SQLITE: Made = [sqliteStore, /DatabaseSync.* of node:sqlite, or .*better-sqlite3/];
const POSTGRES: Made = [postgresStore, /new Pool.* of the package pg, or PGlite/];
const REDIS: Made = [redisStore, /of the package redis.* or of ioredis/];
it.each([
  ['sqliteStore', 'nothing', undefined, ...SQLITE],
  ['sqliteStore', 'a file name', 'shop.db', ...SQLITE],
  ['sqliteStore', 'a pool', { query() {}, connect() {} }, ...SQLITE],
  ['sqliteStore', 'an asynchronous driver', { exec() {}, prepare: () => ({ get: async () => ({ 1: 1 }) }) }, ...SQLITE],
  ['sqliteStore', 'a driver of callbacks', { exec() {}, prepare: () => ({ get() {} }) }, ...SQLITE],
  ['sqliteStore', 'a database that is closed', { exec() {}, prepare: closed }, ...SQLITE],
  ['postgresStore', 'nothing', undefined, ...POSTGRES],
  ['postgresStore', 'an address', 'postgres://127.0.0.1', ...POSTGRES],
  ['postgresStore', 'a database of another kind', db, ...POSTGRES],
  ['postgresStore', 'a single client', new Client(), ...POSTGRES],
  ['redisStore', 'nothing', undefined, ...REDIS],
  ['redisStore', 'an address', 'redis://127.0.0.1', ...REDIS],
  ['redisStore', 'another kind of client', { eval() {}, evalsha() {} }, ...REDIS],
  ['redisStore', 'a database', pool, ...REDIS],
])('%s refuses %s instead of its client, and names what it takes', (_store, _name, given, make, message) => {
  expect(() => make(given as never)).toThrow(ConfigurationError);
  expect(() => make(given as never)).toThrow(message);
});

it('sqliteStore says once in production that a database without a file forgets', () => {
  const lines: string[] = [];
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line));
  const open = (path: string): DatabaseSync => {
    const opened = new DatabaseSync(path);
    onTestFinished(() => opened.close());
    return opened;
  };
  const [memory, temporary, file] = [open(':memory:'), open(''), open(join(files.folder, 'x.db'))];
  for (const each of [memory, temporary, file]) sqliteStore(each);
  vi.stubEnv('NODE_ENV', 'production');
  file.exec("ATTACH ':memory:' AS other");
  sqliteStore(file, { table: 'main.events' });
  expect(lines).toEqual([]);
  sqliteStore(file, { table: 'other.events' });
  for (const each of [memory, temporary]) sqliteStore(each);
  vi.unstubAllEnvs();
  expect(lines).toEqual([expect.stringMatching(/:memory:\) in production.*\n.*Open a file/)]);
});

it.each<[what: string, result: unknown, word: string]>([
  ['[rows, metadata], as Sequelize without a type', [[], { rows: [] }], '[rows, metadata]'],
  ['[rows, fields]', [[{ name: 'event_key' }], []], '[rows, metadata]'],
  ['arrays of values', { rows: [['event_key']] }, '[rows, metadata]'],
  ['nothing', undefined, 'undefined'],
  ['an object without rows', { rowCount: 0 }, 'an object'],
])('postgresStore over a framework whose query() returns %s says so, and runs nothing', async (_what, result, word) => {
  const query = async () => result as object[]; // the mistake
  const store = postgresStore({ query, transaction: (run) => run({ query }) });
  const message = `query() returned ${word}: return the rows, which are objects (Sequelize: type: QueryTypes.SELECT).`;
  await expect(store.migrate()).rejects.toThrow(new ConfigurationError(`PostgresTransactions: ${message}`));
  const shop = endpoint({ store });
  expect(await send(shop)).toMatchObject({ status: 503, body: 'store_failed' });
  expect(shop.reports).toMatchObject([{ message: expect.stringContaining(message) }]);
  expect(shop.calls).toEqual([]);
});

it('memoryStore says once in production that it forgets', () => {
  const lines: string[] = [];
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line));
  memoryStore();
  vi.stubEnv('NODE_ENV', 'Production');
  memoryStore();
  memoryStore();
  vi.unstubAllEnvs();
  expect(lines).toEqual([expect.stringMatching(/memoryStore in production.*\n.*postgresStore/)]);
});
