import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/tools/sandbox/index.ts';
import { freePort } from '../support/free-port.ts';
import { openPool, type PostgresAddress } from '../support/postgres.ts';
import { testSandbox } from '../support/test-sandbox.ts';

// The examples of examples/queues as processes over the built package, as a reader would run them.

const FOLDER = fileURLToPath(new URL('../../examples/queues/', import.meta.url));

/** A shop with a database of its own, whose receiver and workers are the processes of one example. */
export interface ExampleShop {
  readonly sandbox: Sandbox;
  readonly database: Pool;
  /** Where the database is, for another connection. */
  readonly address: PostgresAddress;
  /** Runs a command of the example to its end, and gives what it printed. */
  run(command: string): Promise<string>;
  /** Starts a command, and resolves once it is up. */
  start(command: string): Promise<ChildProcess>;
  /** Creates an invoice and lets the customer pay it. */
  pay(order: string): Promise<void>;
  /** The books: one line for each credit. */
  credits(): Promise<string[]>;
}

let databases = 0;

export async function exampleShop(file: string, postgres: PostgresAddress, redis = ''): Promise<ExampleShop> {
  databases += 1;
  const address = { ...postgres, database: `shop_${databases}` };
  const server = openPool(postgres);
  await server.query(`CREATE DATABASE ${address.database}`);
  await server.end();
  const database = openPool(address);
  const sandbox = testSandbox({ seed: 7 });
  await sandbox.listen();
  const port = await freePort();
  const env = {
    PATH: process.env['PATH'] ?? '',
    PORT: String(port),
    PGHOST: address.host,
    PGUSER: address.user,
    PGDATABASE: address.database,
    REDIS_URL: redis,
    MERCHANT_WEBHOOK_SECRET: sandbox.webhookSecret,
  };
  onTestFinished(async () => {
    await sandbox.close();
    await database.end();
  });
  const spawned = (command: string) => {
    const child = spawn(process.execPath, [`${FOLDER}${file}`, command], { env });
    const said = { text: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said.text += String(chunk);
      });
    }
    return { child, said };
  };
  const run = async (command: string): Promise<string> => {
    const { child, said } = spawned(command);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${file} ${command} ended with ${code}: ${said.text}`);
    return said.text;
  };
  await run('set-up');
  return {
    sandbox,
    database,
    address,
    run,
    async start(command) {
      const { child, said } = spawned(command);
      onTestFinished(() => end(child));
      await until(() => {
        if (child.exitCode !== null) throw new Error(`${file} ${command} ended: ${said.text}`);
        return said.text.includes('up\n');
      });
      return child;
    },
    async pay(order) {
      const created = await fetch(`${sandbox.url}/api/v1/external/invoices`, {
        method: 'POST',
        headers: { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          external_id: order,
          customer_id: 'c-7',
          amount: '25.00',
          currency: 'EUR',
          callback_url: `http://127.0.0.1:${port}/webhook`,
        }),
      });
      if (!created.ok) throw new Error(await created.text());
      await sandbox.pay(order);
    },
    async credits() {
      const { rows } = await database.query<{ line: string }>(
        `SELECT order_id || ' ' || round(usdt, 2) AS line FROM credits ORDER BY order_id`,
      );
      return rows.map(({ line }) => line);
    },
  };
}

/** Stops a process as a deployment does, and gives its exit code. */
export async function stop(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  return (await ended)[0];
}

/** Kills a process, and waits for its end. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Waits for a condition. The bound is against hanging. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 600; !(await condition()); tries -= 1) {
    if (tries === 0) throw new Error(`this did not happen: ${condition}`);
    await pause(100);
  }
}
