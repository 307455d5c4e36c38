import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';

// What a driver does for one delivery, counted at the driver: nothing in the package knows that it is watched.

/** Statements that ran, and messages that were sent and answered. SQLite runs in the process and has no round trips. */
export interface Counts {
  statements: number;
  roundTrips: number;
}

type Run = (...values: unknown[]) => unknown;

/** Counts the answers of the server over all connections of a pool. It must see the pool before its first connection. */
export function countPool(pool: Pool): Counts {
  const counts = { statements: 0, roundTrips: 0 };
  pool.on('connect', (client) => {
    const { connection } = client as { connection?: unknown }; // the protocol below the client, which pg does not type
    if (!(connection instanceof EventEmitter)) throw new Error('pg has no protocol events');
    connection.on('commandComplete', () => {
      counts.statements += 1;
    });
    connection.on('readyForQuery', () => {
      counts.roundTrips += 1;
    });
  });
  return counts;
}

/** Counts the statements of an SQLite database: the store prepares each statement for one use. */
export function countSqlite(db: object): Counts {
  const counts = { statements: 0, roundTrips: 0 };
  const count = (): void => {
    counts.statements += 1;
  };
  before(db, 'exec', count);
  before(db, 'prepare', count);
  return counts;
}

/** Counts the commands of a Redis client, each of which is one message. A script is one command. */
export function countRedis(client: object, command: string): Counts {
  const counts = { statements: 0, roundTrips: 0 };
  before(client, command, () => {
    counts.statements += 1;
    counts.roundTrips += 1;
  });
  return counts;
}

/** Replaces a method by one that calls `count` first. */
function before(object: object, name: string, count: () => void): void {
  const original: unknown = Reflect.get(object, name);
  if (typeof original !== 'function') throw new Error(`there is no ${name} to count`);
  Reflect.set(object, name, (...values: unknown[]): unknown => {
    count();
    return Reflect.apply(original as Run, object, values); // checked above
  });
}
