import type { ClaimResult } from '../stores/store.ts';
import { assertSame, type ConformanceChecks, digestOf, LONG_LEASE, StoreUnderTest } from './store-under-test.ts';

/** The checks for every store. */
export const CLAIM_CHECKS: ConformanceChecks = {
  'claims a key that is new': (tested) => tested.expectClaim('a', 'claimed'),
  async 'returns running with the current digest during a lease, and changes nothing'(tested) {
    await tested.expectClaim('a', 'claimed');
    await tested.expectClaim('b', 'running', 'a');
    await tested.expectClaim('c', 'running', 'a');
    assertSame(await tested.renewAndComplete('b'), [false, false]);
    assertSame(await tested.renewAndComplete('a'), [true, true]);
  },
  async 'remembers a completed event with its digest'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    assertSame(await tested.renewAndComplete('a'), [true, true]);
    await tested.expectClaim('b', 'done', 'a');
    assertSame(await tested.renewAndComplete('b'), [false, false]);
    await tested.expectClaim('c', 'done', 'a');
  },
  async 'returns true for a repeated completion by the same claim, because the first answer may have been lost'(
    tested,
  ) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    await tested.takeOver('b');
    assertSame(await tested.renewAndComplete('b'), [true, true]);
    assertSame(await tested.renewAndComplete('b'), [false, true]);
    assertSame(await tested.renewAndComplete('a'), [false, false]);
    await tested.expectClaim('c', 'done', 'b');
  },
  async 'remembers a completed event whose lease expired before the completion'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    assertSame(await tested.store.complete({ key: tested.key, owner: 'a' }), true);
    assertSame(await tested.takeOver('b'), { state: 'done', digest: digestOf('a') });
  },
  async 'lets a claim with an expired lease be taken over, and returns the previous digest'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    assertSame(await tested.takeOver('b'), { state: 'taken_over', digest: digestOf('a') });
    await tested.expectClaim('c', 'running', 'b');
  },
  async 'protects a record from the claim that lost it'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    await tested.takeOver('b');
    assertSame(await tested.renewAndComplete('a'), [false, false]);
    await tested.store.release({ key: tested.key, owner: 'a' });
    await tested.expectClaim('c', 'running', 'b');
    assertSame(await tested.renewAndComplete('b'), [true, true]);
    await tested.store.release({ key: tested.key, owner: 'a' });
    await tested.expectClaim('c', 'done', 'b');
  },
  async 'renews a claim, also one with an expired lease that was not taken over'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    assertSame(await tested.store.renew({ key: tested.key, owner: 'a' }, LONG_LEASE), true);
    await tested.expectClaim('b', 'running', 'a');
    assertSame(await tested.store.renew({ key: tested.key, owner: 'a' }, 0), true);
    assertSame((await tested.takeOver('b')).state, 'taken_over');
  },
  async 'releases a claim, but not a completed event'(tested) {
    const claim = { key: tested.key, owner: 'a' };
    await tested.expectClaim('a', 'claimed');
    await tested.store.release({ ...claim, owner: 'b' });
    await tested.expectClaim('b', 'running', 'a');
    await tested.store.release(claim);
    assertSame(await tested.renewAndComplete('a'), [false, false]);
    await tested.expectClaim('a', 'claimed');
    assertSame(await tested.store.complete(claim), true);
    await tested.store.release(claim);
    await tested.expectClaim('b', 'done', 'a');
  },
  async 'returns false for an unknown key, and changes nothing'(tested) {
    assertSame(await tested.renewAndComplete('a'), [false, false]);
    await tested.store.release({ key: tested.key, owner: 'a' });
    await tested.expectClaim('a', 'claimed');
  },
  async 'distinguishes similar keys, and accepts 300 characters'(tested) {
    const long = tested.key.padEnd(299, 'x');
    const similar = ['a', 'A', 'a ', '%', '=', `'"\\`].map((end) => `${tested.key}:${end}`);
    for (const key of [...similar, `${long}1`, `${long}2`]) {
      assertSame(await tested.claim('a', LONG_LEASE, { key }), { state: 'claimed' });
      assertSame((await tested.claim('b', LONG_LEASE, { key })).state, 'running');
    }
  },
  async 'separates the namespaces in keys, and has a valid namespace or none'(tested) {
    const { namespace } = tested.store;
    assertSame(namespace === undefined || (typeof namespace === 'string' && namespace !== ''), true);
    for (const key of [tested.key, `a/${tested.key}`, `b/${tested.key}`, `A/${tested.key}`, `a/b/${tested.key}`]) {
      assertSame(await tested.claim('a', LONG_LEASE, { key }), { state: 'claimed' });
      assertSame(await tested.store.complete({ key, owner: 'a' }), true);
    }
  },
  'gives a key to one of many concurrent claims': (tested) => contest(tested, 'claimed'),
  async 'lets one of many concurrent claims take a claim over'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await contest(tested, 'taken_over');
  },
};

async function contest(tested: StoreUnderTest, state: ClaimResult['state']): Promise<void> {
  const owners = Array.from({ length: 25 }, () => crypto.randomUUID());
  const results = await Promise.all(owners.map((owner) => tested.claim(owner)));
  assertSame(results.map((result) => result.state).sort(), [...Array(24).fill('running'), state].sort());
  const winner = owners[results.findIndex((result) => result.state === state)];
  assertSame(await tested.store.complete({ key: tested.key, owner: winner ?? '' }), true);
}

/** The checks for stores whose records outlive one store object. */
export const SHARED_CHECKS: ConformanceChecks = {
  async 'shares its records with another store on the same data'(tested) {
    const other = new StoreUnderTest(await tested.again(), tested.again);
    const claim = { key: tested.key, owner: 'a' };
    await tested.expectClaim('a', 'claimed');
    assertSame((await other.claim('b', LONG_LEASE, { key: tested.key })).state, 'running');
    assertSame(await other.store.complete({ ...claim, owner: 'b' }), false);
    assertSame(await other.store.complete(claim), true);
    await tested.expectClaim('b', 'done', 'a');
  },
};
