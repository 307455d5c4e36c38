import type { RowsOptions } from '../call-options.ts';
import type { RowsEndpoint } from '../contract/endpoint.ts';
import { rowsOf } from '../contract/rows.ts';
import { quietly } from '../transport/observer.ts';
import type { Runner, Success } from '../transport/runner.ts';
import { rowsOptionsOf } from './list-options.ts';

/** Reads all rows of a list; those that cannot be read are left out and reported. */
export async function readRows<T>(
  runner: Runner,
  endpoint: RowsEndpoint<T>,
  options: RowsOptions = {},
): Promise<Success<T[]>> {
  const { onInvalidItem, ...callOptions } = rowsOptionsOf(options, endpoint.operation);
  const data = rowsOf(endpoint.item, {
    isOmitted: endpoint.isOmitted,
    mayAllBeInvalid: onInvalidItem !== undefined,
    onInvalid(index, { path }, raw) {
      runner.noteDrift(endpoint, path === '' ? '*' : `*.${path}`, 'invalid_item');
      if (onInvalidItem !== undefined) quietly(() => onInvalidItem({ index, path, raw }));
    },
  });
  return runner.run(endpoint, {}, callOptions, { data });
}
