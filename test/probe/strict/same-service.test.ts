import { expect, it } from 'vitest';
import { createRandom } from '../../../src/sandbox/state/random.ts';
import { TABLE } from '../../behaviour/hold.ts';
import { scaled } from '../../support/scaled.ts';
import { livedInAccount } from '../account.ts';
import { fileOf, issuesOf, journey } from './client-journey.ts';

const SEED = process.env['PROBE_SEED'] ?? String(Math.floor(Math.random() * 2 ** 32));
const { next } = createRandom(SEED);
const mixes = Array.from({ length: scaled(50) }, (_, index) => {
  const dialect = TABLE.map(([name, { values }]) => [name, values[Math.floor(next() * values.length)]] as const);
  return [index + 1, Object.fromEntries(dialect)] as const;
});

it.each(mixes)(`service %i of PROBE_SEED=${SEED} never contradicts its own file`, async (_, dialect) => {
  const file = await fileOf(dialect);
  const account = await livedInAccount(dialect);
  expect(issuesOf(await journey(account, { dialect: file, onDrift: 'throw' }))).toEqual([]);
  await account.sandbox.close();
});
