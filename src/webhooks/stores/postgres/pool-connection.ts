import { ConfigurationError } from '../../../errors/classes.ts';
import type { PostgresClient, PostgresConnection, PostgresPool, PostgresStatement } from './postgres-types.ts';

/** A pg Pool: a statement runs on any connection, a transaction on a reserved one. */
export function poolConnection(pool: PostgresPool, isolation: string): PostgresConnection {
  return {
    query: (text, values) => pool.query(text, values),
    async transaction(work, completion) {
      const client = await pool.connect();
      const guard = guardTransaction(client);
      const endListening = ignoreConnectionErrors(client);
      let isBroken = true;
      try {
        await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
        const keep = await runOrRollBack(client, async () => {
          await work(guard.tx);
          guard.check();
          return await completeAndCommit(client, completion);
        });
        isBroken = false;
        return keep;
      } catch (error) {
        isBroken = error instanceof RollbackFailed;
        throw isBroken ? (error as RollbackFailed).reason : error; // checked in the line above
      } finally {
        guard.end();
        endListening();
        client.release(isBroken);
      }
    },
  };
}

// PostgreSQL quotes this text in the message of the error, in every language.
const CLAIM_LOST = 'webhook_claim_lost';

/**
 * Sends the completion and COMMIT in one round trip. The statement fails on purpose if the completion changes no row.
 * PostgreSQL then does not run the COMMIT behind it. Returns whether it committed.
 */
async function completeAndCommit(client: PostgresClient, { text, values }: PostgresStatement): Promise<boolean> {
  // Several statements in one message take no parameters.
  const completion = text.replace(/\$(\d)/g, (_, number) => literal(values[Number(number) - 1] ?? ''));
  // The cast fails when it runs. Without the count in it, it would already fail in the planner.
  const check = `SELECT CASE count(*) WHEN 0 THEN ('${CLAIM_LOST}' || count(*))::int END FROM completed`;
  try {
    await client.query([`WITH completed AS (${completion}) ${check}`, 'COMMIT'].join(';'));
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes(CLAIM_LOST)) return false;
    throw error;
  }
}

/** A text as a literal whose meaning depends on no setting of the server. */
function literal(text: string): string {
  return `E'${text.replace(/['\\]/g, '$&$&')}'`;
}

/** Thrown if the end of a transaction is not known: its connection must not return to the pool. */
class RollbackFailed extends Error {
  readonly reason: unknown;
  constructor(reason: unknown) {
    super('The transaction could not be rolled back.');
    this.reason = reason;
  }
}

/** Rolls back unless `work` resolves with true. Rethrows its error. */
async function runOrRollBack(client: PostgresClient, work: () => Promise<boolean>): Promise<boolean> {
  let reason: unknown = null;
  let failed = false;
  try {
    if (await work()) return true;
  } catch (error) {
    failed = true;
    reason = error;
  }
  try {
    await client.query('ROLLBACK');
  } catch (error) {
    throw new RollbackFailed(failed ? reason : error);
  }
  if (failed) throw reason;
  return false;
}

// pg has no listener for the loss of a reserved connection, and an `error` event without a listener ends the process.
function ignoreConnectionErrors(client: object): () => void {
  const ignore = (): void => {};
  const { on, off } = client as { on?: unknown; off?: unknown }; // an emitter, in pg
  if (typeof on !== 'function' || typeof off !== 'function') return () => {};
  on.call(client, 'error', ignore);
  return () => void off.call(client, 'error', ignore);
}

const ENDS =
  /^[\s;]*(?:begin|start\s+transaction|commit|end|abort|rollback(?!\s+(?:work\s+|transaction\s+)?to\b)|prepare\s+transaction)\b/i;

/**
 * Returns a proxy of the connection, so that query builders work on it. It refuses the three calls that would break the
 * exactly-once guarantee: ending the transaction, releasing the connection, and using it after the end.
 *
 * `check` throws if the function ended the transaction, or caught the error of a failed statement.
 */
function guardTransaction(client: PostgresClient) {
  let ended = false;
  const tx = new Proxy(client, {
    get(target, name) {
      if (ended && name === 'query') {
        return () =>
          Promise.reject(new ConfigurationError('context.tx was used after its end: await all your queries.'));
      }
      if (name === 'release') {
        return () => {
          throw new ConfigurationError('context.tx belongs to the store, which releases the connection.');
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'query') return value.bind(target);
      return (...values: unknown[]) => {
        refuseEnd(values[0]);
        return value.apply(target, values);
      };
    },
  });
  return {
    tx,
    check: () => checkStatus(client),
    end: () => {
      ended = true;
    },
  };
}

function refuseEnd(query: unknown): void {
  const text = typeof query === 'object' && query !== null && 'text' in query ? query.text : query;
  if (typeof text !== 'string' || !ENDS.test(text)) return;
  throw new ConfigurationError(
    'context.tx is a transaction of the store, which commits it together with the completion. Use SAVEPOINT for steps inside.',
  );
}

function checkStatus(client: object): void {
  const { getTransactionStatus } = client as { getTransactionStatus?: unknown }; // only newer versions of pg have it
  const status: unknown = typeof getTransactionStatus === 'function' ? getTransactionStatus.call(client) : null;
  if (status === 'I') throw new ConfigurationError('Your function ended the transaction of the store.');
  if (status === 'E') {
    throw new Error('A statement of your function failed, and PostgreSQL rolls such a transaction back.');
  }
}
