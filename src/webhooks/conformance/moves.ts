import type { ClaimResult } from '../stores/store.ts';
import { Bench, type Check, digestOf, LONG, same } from './bench.ts';

/** What every store promises. */
export const MOVES: readonly Check[] = [
  ['claims a key that is new', (bench) => bench.expect('a', 'claimed')],
  [
    'answers running, with the digest that stands, while a lease lasts, and changes nothing',
    async (bench) => {
      await bench.expect('a', 'claimed');
      await bench.expect('b', 'running', 'a');
      await bench.expect('c', 'running', 'a');
      same(await bench.ours('b'), [false, false]);
      same(await bench.ours('a'), [true, true]);
    },
  ],
  [
    'remembers what is done, with its digest',
    async (bench) => {
      await bench.expect('a', 'claimed', undefined, 0);
      same(await bench.ours('a'), [true, true]);
      await bench.expect('b', 'done', 'a');
      same(await bench.ours('b'), [false, false]);
      await bench.expect('c', 'done', 'a');
    },
  ],
  [
    'answers true to a completion by the same claim that comes again, as the first answer may have been lost',
    async (bench) => {
      await bench.expect('a', 'claimed', undefined, 0);
      await bench.takeOver('b');
      same(await bench.ours('b'), [true, true]);
      same(await bench.ours('b'), [false, true]);
      same(await bench.ours('a'), [false, false]);
      await bench.expect('c', 'done', 'b');
    },
  ],
  [
    'remembers what is done, also when the lease was over before the completion',
    async (bench) => {
      await bench.expect('a', 'claimed', undefined, 0);
      same(await bench.store.complete({ key: bench.key, owner: 'a' }), true);
      same(await bench.takeOver('b'), { state: 'done', digest: digestOf('a') });
    },
  ],
  [
    'lets a claim be taken over when its lease is over, and tells the digest that stood there',
    async (bench) => {
      await bench.expect('a', 'claimed', undefined, 0);
      same(await bench.takeOver('b'), { state: 'taken_over', digest: digestOf('a') });
      await bench.expect('c', 'running', 'b');
    },
  ],
  [
    'keeps a late loser from the winner’s record',
    async (bench) => {
      await bench.expect('a', 'claimed', undefined, 0);
      await bench.takeOver('b');
      same(await bench.ours('a'), [false, false]);
      await bench.store.release({ key: bench.key, owner: 'a' });
      await bench.expect('c', 'running', 'b');
      same(await bench.ours('b'), [true, true]);
      await bench.store.release({ key: bench.key, owner: 'a' });
      await bench.expect('c', 'done', 'b');
    },
  ],
  [
    'renews a claim, also one whose lease is over but that nobody took',
    async (bench) => {
      await bench.expect('a', 'claimed', undefined, 0);
      same(await bench.store.renew({ key: bench.key, owner: 'a' }, LONG), true);
      await bench.expect('b', 'running', 'a');
      same(await bench.store.renew({ key: bench.key, owner: 'a' }, 0), true);
      same((await bench.takeOver('b')).state, 'taken_over');
    },
  ],
  [
    'takes a claim back, and never what is done',
    async (bench) => {
      const claim = { key: bench.key, owner: 'a' };
      await bench.expect('a', 'claimed');
      await bench.store.release({ ...claim, owner: 'b' });
      await bench.expect('b', 'running', 'a');
      await bench.store.release(claim);
      same(await bench.ours('a'), [false, false]);
      await bench.expect('a', 'claimed');
      same(await bench.store.complete(claim), true);
      await bench.store.release(claim);
      await bench.expect('b', 'done', 'a');
    },
  ],
  [
    'answers false, and does nothing, for a key it does not know',
    async (bench) => {
      same(await bench.ours('a'), [false, false]);
      await bench.store.release({ key: bench.key, owner: 'a' });
      await bench.expect('a', 'claimed');
    },
  ],
  [
    'tells keys apart that are almost the same, and takes 300 characters',
    async (bench) => {
      const long = bench.key.padEnd(299, 'x');
      const keys = [
        `${bench.key}:a`,
        `${bench.key}:A`,
        `${bench.key}:a `,
        `${bench.key}:%`,
        `${bench.key}:=`,
        `${bench.key}:'"\\`,
      ];
      for (const key of [...keys, `${long}1`, `${long}2`]) {
        same(await bench.claim('a', LONG, { key }), { state: 'claimed' });
        same((await bench.claim('b', LONG, { key })).state, 'running');
      }
    },
  ],
  [
    'keeps the namespaces apart that stand before a key, and has a usable one or none',
    async (bench) => {
      const { namespace } = bench.store;
      same(namespace === undefined || (typeof namespace === 'string' && namespace !== ''), true);
      for (const key of [bench.key, `a/${bench.key}`, `b/${bench.key}`, `A/${bench.key}`, `a/b/${bench.key}`]) {
        same(await bench.claim('a', LONG, { key }), { state: 'claimed' });
        same(await bench.store.complete({ key, owner: 'a' }), true);
      }
    },
  ],
  ['gives a key to one of many who claim it at once', (bench) => contest(bench, 'claimed')],
  [
    'lets one of many take a claim over',
    async (bench) => {
      await bench.expect('a', 'claimed', undefined, 0);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await contest(bench, 'taken_over');
    },
  ],
];

async function contest(bench: Bench, state: ClaimResult['state']): Promise<void> {
  const owners = Array.from({ length: 25 }, () => crypto.randomUUID());
  const results = await Promise.all(owners.map((owner) => bench.claim(owner)));
  same(results.map((result) => result.state).sort(), [...Array(24).fill('running'), state].sort());
  const winner = owners[results.findIndex((result) => result.state === state)];
  same(await bench.store.complete({ key: bench.key, owner: winner ?? '' }), true);
}

/** What every store promises whose records outlive it. */
export const SHARED: readonly Check[] = [
  [
    'shares its records with another store over the same data',
    async (bench) => {
      const other = new Bench(await bench.again(), bench.again);
      const claim = { key: bench.key, owner: 'a' };
      await bench.expect('a', 'claimed');
      same((await other.store.claim({ ...claim, owner: 'b', digest: digestOf('b'), lease: LONG })).state, 'running');
      same(await other.store.complete({ ...claim, owner: 'b' }), false);
      same(await other.store.complete(claim), true);
      await bench.expect('b', 'done', 'a');
    },
  ],
];
