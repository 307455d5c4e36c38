import { expect, it } from 'vitest';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { serve } from '../support/fault-server.ts';
import * as steps from '../support/fault-steps.ts';
import { clientOf, errorOf } from '../support/test-client.ts';
import { CALLS } from './calls.ts';

it.each([
  ['a gzip bomb', steps.bomb('gzip')],
  ['a brotli bomb', steps.bomb('br')],
  ['a body without end', steps.endless(200)],
])('%s is too large for a success, and is not asked for again', async (_name, step) => {
  for (const call of [CALLS.get, CALLS.list, CALLS.create]) {
    const server = await serve(step);
    const error = await errorOf(call(clientOf(server.url, { runtime: new FakeRuntime() })));
    expect(error).toMatchObject({ kind: 'unexpected_response', code: 'SDK_BODY_TOO_LARGE', outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  }
});
