import { expect, it } from 'vitest';
import { randomDialects } from '../../behaviour/random-dialects.ts';
import { scaled } from '../../support/scaled.ts';
import { AGAIN } from '../../support/seed.ts';
import { livedInAccount } from '../account.ts';
import { fileOf, issuesOf, journey } from './client-journey.ts';

it.each(randomDialects(scaled(50)))(`service %i of ${AGAIN} never contradicts its own file`, async (_, dialect) => {
  const file = await fileOf(dialect);
  const account = await livedInAccount(dialect);
  expect(issuesOf(await journey(account, { dialect: file, onDrift: 'throw' }))).toEqual([]);
  await account.sandbox.close();
});
