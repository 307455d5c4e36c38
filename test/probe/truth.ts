import { type Sighting, type Verdicts, verdictsOf } from '../../src/probe/verdict.ts';
import type { Dialect } from '../../src/sandbox/index.ts';
import { type Account, emptyAccount, learned, livedInAccount, probe } from './account.ts';

const EVERYTHING = { conflict: 'order-paid', create: 'probe-1', resend: 'order-paid' };

/** What a probe with every option, a receiver, a rate limit and a failure shows of a lived-in account. */
export async function everythingOf(account: Account): Promise<readonly Sighting[]> {
  account.sandbox.faults.next({ type: 'rate_limit', retryAfter: 3 }, { operation: 'rates.list' });
  account.sandbox.faults.next({ type: 'server_error' }, { operation: 'invoices.list' });
  const { log } = await probe(account, EVERYTHING);
  return [...log, ...learned(account, ['order-paid', 'order-canceled', 'order-refused-1', 'order-refused-2'])];
}

/** Every point about which a conclusion is neither the value in force nor a mask nor nothing. */
export function untruths(verdicts: Verdicts, inForce: Dialect): readonly string[] {
  return Object.entries(verdicts).flatMap(([point, verdict]) => {
    if (verdict.kind !== 'known' || verdict.value === inForce[point as keyof Dialect]) return [];
    return [`${point} is ${inForce[point as keyof Dialect]}, and the probe says ${verdict.value}`];
  });
}

/** The untruths of a probe of both accounts, with everything and with reads alone. */
export async function untruthsUnder(dialect: Partial<Dialect>): Promise<readonly string[]> {
  const kinds: readonly (readonly [string, () => Promise<readonly Sighting[]>, Account])[] = await (async () => {
    const [full, read, empty] = [await livedInAccount(dialect), await livedInAccount(dialect), emptyAccount(dialect)];
    return [
      ['everything', () => everythingOf(full), full],
      ['reads of a lived-in account', async () => (await probe(read)).log, read],
      ['reads of an empty account', async () => (await probe(empty)).log, empty],
    ] as const;
  })();
  const found: string[] = [];
  for (const [name, log, { sandbox }] of kinds) {
    found.push(...untruths(verdictsOf(await log()), sandbox.dialect).map((problem) => `${name}: ${problem}`));
    await sandbox.close();
  }
  return found;
}
