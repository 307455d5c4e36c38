import { ConfigurationError } from '../../../errors/classes.ts';
import type { PostgresClient } from './postgres-pool.ts';

const ENDS =
  /^[\s;]*(?:begin|start\s+transaction|commit|end|abort|rollback(?!\s+(?:work\s+|transaction\s+)?to\b)|prepare\s+transaction)\b/i;

/** A borrowed connection, lent on to the merchant's function for the time of the transaction. */
export interface GuardedClient {
  readonly tx: PostgresClient;
  /** @throws when the function ended the transaction, or a statement failed and the failure was caught. */
  check(): void;
  end(): void;
}

/**
 * The merchant's function gets the connection itself, so that query builders work on it, without the three ways in
 * which it would break the promise: ending the transaction, giving the connection back, and using it after the end.
 */
export function guardTransaction(client: PostgresClient): GuardedClient {
  let ended = false;
  const tx = new Proxy(client, {
    get(target, name) {
      if (ended && name === 'query') {
        return () =>
          Promise.reject(new ConfigurationError('context.tx was used after its end: await all your queries.'));
      }
      if (name === 'release') {
        return () => {
          throw new ConfigurationError('context.tx belongs to the store, which gives the connection back by itself.');
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
  const { getTransactionStatus } = client as { getTransactionStatus?: unknown }; // newer versions of pg have it
  const status: unknown = typeof getTransactionStatus === 'function' ? getTransactionStatus.call(client) : null;
  if (status === 'I') throw new ConfigurationError('Your function ended the transaction of the store.');
  if (status === 'E') {
    throw new Error('A statement of your function failed, and PostgreSQL keeps nothing of such a transaction.');
  }
}
