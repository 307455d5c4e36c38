import { expect, it } from 'vitest';
import { verdictsOf } from '../../src/probe/verdict.ts';
import { emptyAccount, learned, livedInAccount, probe } from './account.ts';

it('x', async () => {
  const account = await livedInAccount({});
  account.sandbox.faults.next({ type: 'rate_limit', retryAfter: 3 });
  const result = await probe(account, { conflict: 'order-paid', create: 'probe-1', resend: 'order-paid' });
  console.log(
    result.requests,
    result.stop,
    result.skipped.map((s) => s.template),
  );
  const v = verdictsOf([...result.log, ...learned(account)]);
  console.log(
    Object.entries(v)
      .map(([n, x]) => `${n} ${JSON.stringify(x).slice(0, 90)} ${account.sandbox.dialect[n as never]}`)
      .join('\n'),
  );
  const e = emptyAccount({});
  const r2 = await probe(e);
  console.log(r2.requests, Object.entries(verdictsOf(r2.log)).filter(([, x]) => x.kind === 'known').length);
});
