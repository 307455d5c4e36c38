import { expect, test } from 'vitest';
import * as root from '../../src/index.ts';
import * as sandbox from '../../src/sandbox/index.ts';
import * as webhooks from '../../src/webhooks/index.ts';

interface Journey {
  readonly JOURNEY: readonly string[];
  playJourney(entries: object): Promise<string[]>;
}
const place = new URL('./journey.mjs', import.meta.url).href;

test('a collector receives the spans of a journey: charge, retry, payment, webhook, catch-up, a missing order', async () => {
  const { JOURNEY, playJourney } = (await import(place)) as Journey;
  expect(await playJourney({ root, sandbox, webhooks })).toEqual(JOURNEY);
});
