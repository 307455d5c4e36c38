import { describe, expect, it } from 'vitest';
import type { Door } from '../../src/probe/run.ts';
import { runProbe } from '../../src/probe/run.ts';
import { stepsOf } from '../../src/probe/steps.ts';
import { verdictsOf } from '../../src/probe/verdict.ts';
import type { Dialect, SandboxOptions } from '../../src/sandbox/index.ts';
import { approvedWithdrawal } from '../support/fixtures/withdrawals.ts';
import { doorTo, emptyAccount } from './account.ts';

const NAMES = ['withdrawalStatus', 'withdrawalPage', 'withdrawalPageSize'] as const;
const row = (number: number, status: 'approved' | 'pending') => ({
  ...approvedWithdrawal,
  uuid: `5eed0000-0000-4000-8000-0000000000${String(number).padStart(2, '0')}`,
  status,
});
const many = Array.from({ length: 25 }, (_, index) => row(index, index % 2 === 0 ? 'approved' : 'pending'));

/** A service that answers an invalid value under a known name with the whole list. */
function tolerant(door: Door): Door {
  return {
    ...door,
    async send(method, request) {
      const answer = await door.send(method, request);
      const isList = request.path.startsWith('/api/v1/external/withdrawals?');
      return isList && answer.status === 422
        ? door.send(method, { ...request, path: request.path.replace(/\?.*/, '') })
        : answer;
    },
  };
}

async function namesOf(dialect: Partial<Dialect>, withdrawals: SandboxOptions['withdrawals'], change = tolerant) {
  const account = emptyAccount(dialect, withdrawals === undefined ? {} : { withdrawals });
  const { log } = await runProbe(stepsOf({}), change(doorTo(account)), { pace: 0 });
  await account.sandbox.close();
  const verdicts = verdictsOf(log);
  return NAMES.map((name) => {
    const verdict = verdicts[name];
    return verdict.kind === 'known' ? verdict.value : verdict.kind;
  });
}

const OTHERS = { withdrawalStatus: 'state', withdrawalPage: 'p', withdrawalPageSize: 'limit' } as const;

describe('the names of the withdrawals query', () => {
  it('are found by what they change, where an invalid value is ignored', async () => {
    expect(await namesOf({}, many)).toEqual(['status', 'page', 'per_page']);
    expect(await namesOf(OTHERS, many)).toEqual(['state', 'p', 'limit']);
  });

  it('are not concluded where the account holds too little for a change', async () => {
    expect(await namesOf(OTHERS, [row(1, 'approved')])).toEqual(['unseen', 'unseen', 'unseen']);
    expect(await namesOf(OTHERS, [row(1, 'approved'), row(2, 'approved')])).toEqual(['unseen', 'unseen', 'limit']);
    expect(await namesOf(OTHERS, [])).toEqual(['unseen', 'unseen', 'unseen']);
  });

  it('are found by invalid values there, if the service refuses them', async () => {
    const strict = (door: Door): Door => door;
    expect(await namesOf(OTHERS, [row(1, 'approved')], strict)).toEqual(['state', 'p', 'limit']);
    expect(await namesOf(OTHERS, [], strict)).toEqual(['state', 'p', 'limit']);
  });
});
