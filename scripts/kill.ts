import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../test/support/engine-process.ts';
import { startEngines } from '../test/support/engines.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { startRedis } from '../test/support/redis.ts';
import type { Fault } from './kill/receiver.ts';
import { type KillRunResult, killRun } from './kill/run.ts';
import type { ShopAddress, SqliteDriver, SqliteJournal } from './kill/shop.ts';

// The kill run: receivers die at random points, and with a queue its workers as well. In the end every paid invoice is
// credited once.

const USAGE =
  'node scripts/kill.ts [--seed N] [--invoices 300] [--store sqlite|postgres|redis|all | --queue pg-boss|bullmq|all] [--lock] [--fault …]';
const STORES = ['sqlite', 'postgres', 'redis'] as const;
const QUEUES = ['pg-boss', 'bullmq'] as const;
const FAULTS: readonly Fault[] = ['none', 'done_before_work', 'write_outside', 'blocks'];
const DRIVERS: readonly SqliteDriver[] = ['node:sqlite', 'better-sqlite3'];
const JOURNALS: readonly SqliteJournal[] = ['WAL', 'DELETE'];

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(crypto.getRandomValues(new Uint16Array(1))[0]) },
    invoices: { type: 'string', default: '300' },
    store: { type: 'string', default: 'all' },
    /** Receivers only enqueue, and workers credit. Both are killed. */
    queue: { type: 'string' },
    /** Another process holds the lock of SQLite for random times: over both drivers, with and without WAL. */
    lock: { type: 'boolean', default: false },
    /** Breaks the receiver on purpose: the run must end badly then. */
    fault: { type: 'string', default: 'none' },
  },
});
const { seed, lock } = values;
const chosen = values.queue ?? values.store;
const invoices = Number(values.invoices);
const fault = FAULTS.find((name) => name === values.fault);
const kinds = (values.queue === undefined ? STORES : QUEUES).filter((kind) => chosen === 'all' || chosen === kind);
if (kinds.length === 0 || fault === undefined || !(Number.isInteger(invoices) && invoices > 0)) {
  console.error(`${USAGE}\nfaults: ${FAULTS.join(', ')}`);
  process.exit(2);
}
console.log(`seed ${seed}`);
let good = true;
if (lock) {
  for (const driver of DRIVERS) {
    for (const journal of JOURNALS) good = (await runOn('sqlite', fault, { driver, journal })) && good;
  }
} else {
  for (const kind of kinds) good = (await runOn(kind, fault)) && good;
}
process.exitCode = good ? 0 : 1;

async function runOn(
  kind: ShopAddress['kind'],
  fault: Fault,
  sqlite?: NonNullable<ShopAddress['sqlite']>,
): Promise<boolean> {
  const engine = await start(kind);
  if (engine.missing !== null) {
    console.log(`${kind}: not run, ${engine.missing}`);
    return chosen === 'all';
  }
  const began = Date.now();
  try {
    const shop = { kind, ...engine.address, ...(sqlite === undefined ? {} : { sqlite }) };
    const result = await killRun({ shop, seed, invoices, fault, lock });
    print(sqlite === undefined ? kind : `${sqlite.driver}, journal ${sqlite.journal}`, result, Date.now() - began);
    return result.creditedOnce === invoices && result.wrong.length === 0 && result.late === 0;
  } finally {
    await engine.stop();
  }
}

async function start(kind: ShopAddress['kind']) {
  if (kind === 'sqlite') {
    const { folder, remove } = temporaryFolder('kill');
    return { missing: null, address: { at: join(folder, 'shop.db') }, stop: async () => remove() };
  }
  if (kind === 'redis') {
    const engine = await startRedis();
    return engine.missing === null ? { ...engine, address: { at: engine.connection } } : engine;
  }
  if (kind === 'bullmq') {
    const { redis, postgres, stop } = await startEngines();
    if (redis.missing !== null || postgres.missing !== null) {
      await stop();
      return { missing: 'PostgreSQL or Redis is not installed' };
    }
    return { missing: null, address: { at: redis.connection, database: postgres.connection.host }, stop };
  }
  const engine = await startPostgres();
  return engine.missing === null ? { ...engine, address: { at: engine.connection.host } } : engine;
}

function print(kind: string, result: KillRunResult, ms: number): void {
  const { paid, creditedOnce, missing, twice, wrong, deaths, requests, reports, workers, slowest, late, locks } =
    result;
  const counts = (of: Readonly<Record<string, number>>): string =>
    Object.entries(of)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  console.log(`${kind}: ${paid} paid, ${creditedOnce} credited once, ${twice.length} twice, ${missing.length} missing`);
  console.log(`  ${requests} requests, receivers killed: ${counts(deaths)}`);
  console.log(`  reports: ${counts(reports)}`);
  if (workers !== null) console.log(`  workers killed: ${counts(workers.deaths)}; ${counts(workers.reports)}`);
  console.log(`  slowest answer ${slowest} ms, ${late} late${lock ? `; locked ${locks} times` : ''}`);
  console.log(`  ${(ms / 1000).toFixed(1)} s`);
  for (const line of [...missing.map((id) => `missing: ${id}`), ...twice.map((id) => `twice: ${id}`), ...wrong]) {
    console.log(`  ${line}`);
  }
}
