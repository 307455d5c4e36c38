import { expect, test } from 'vitest';
import * as steps from '../../support/fault-steps.ts';
import { requestsOf } from '../requests-of.ts';

// The retry table's rows of statuses, each status there is. 407 and 421 fetch keeps to itself: see retry-table.test.ts.

const every = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test.each(every(400, 499).filter((code) => code !== 407 && code !== 421))('HTTP %i', async (code) => {
  const safe = code === 408 || code === 420 || code === 425 || code === 420 || code === 429 ? 3 : 1;
  const resend = code === 420 || code === 429 ? 3 : 1;
  expect(await requestsOf(() => steps.answer(code))).toEqual({ get: safe, list: safe, create: safe, resend });
});

test.each(every(500, 599))('HTTP %i', async (code) => {
  const safe = code === 501 || code === 505 ? 1 : 3;
  expect(await requestsOf(() => steps.answer(code))).toEqual({ get: safe, list: safe, create: safe, resend: 1 });
});
