import type { RowsOptions } from '../call/options.ts';
import { notify } from '../callbacks.ts';
import type { Operation, RowsEndpoint } from '../contract/endpoint.ts';
import { rowsOf } from '../contract/rows.ts';
import { unreadable } from '../transport/request.ts';
import type { Runner, Success } from '../transport/runner.ts';
import { rowsOptionsOf } from './list-options.ts';

function read(options: RowsOptions, operation: Operation): RowsOptions {
  try {
    return rowsOptionsOf(options, operation);
  } catch (error) {
    throw unreadable(error, operation);
  }
}

/** Reads all rows of a list; those that cannot be read are left out and reported. */
export async function readRows<T>(
  runner: Runner,
  endpoint: RowsEndpoint<T>,
  options: RowsOptions = {},
): Promise<Success<T[]>> {
  const { onInvalidItem, ...callOptions } = read(options, endpoint.operation);
  const data = rowsOf(endpoint.item, {
    isOmitted: endpoint.isOmitted,
    mayAllBeInvalid: onInvalidItem !== undefined,
    onInvalid(index, { path }, raw) {
      runner.noteDrift(endpoint, path === '' ? '*' : `*.${path}`, 'invalid_item');
      if (onInvalidItem !== undefined) notify(() => onInvalidItem({ index, path, raw }));
    },
  });
  return runner.run(endpoint, {}, callOptions, { data });
}
