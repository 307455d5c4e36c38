import { expect, it } from 'vitest';
import { verdictsOf } from '../../src/probe/verdict.ts';
import { TABLE } from '../behaviour/hold.ts';
import { livedInAccount } from './account.ts';
import { everythingOf, untruths } from './truth.ts';

/** Values that no answer shows for certain, and why. */
const HIDDEN: ReadonlySet<string> = new Set([
  // One member of an attempt at a time has no value.
  'attemptNulls null',
  'attemptNulls mixed',
  // Both forms are accepted, so none is refused.
  'identRefusal not_found',
  'identRefusal invalid',
  // The probe creates no invoice that cannot be paid.
  'unpayableAmount refused',
  'unpayableAmount accepted',
  // A single rate limit without the header proves nothing.
  'retryAfterForm absent',
  // A proxy answers like this as well.
  'serverBody detail',
  'serverBody html',
  'serverBody empty',
]);

it.each(TABLE.flatMap(([name, { values }]) => values.map((value) => [name, value] as const)))(
  'under %s: %j nothing untrue is concluded, and the value itself with everything at hand',
  async (name, value) => {
    const account = await livedInAccount({ [name]: value });
    const verdicts = verdictsOf(await everythingOf(account));
    const verdict = verdicts[name as never];
    expect(untruths(verdicts, account.sandbox.dialect)).toEqual([]);
    await account.sandbox.close();
    if (!HIDDEN.has(`${name} ${value}`)) expect(verdict).toMatchObject({ kind: 'known', value });
  },
);
