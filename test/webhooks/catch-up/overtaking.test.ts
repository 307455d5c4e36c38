import { expect, it } from 'vitest';
import { makeInvoices } from '../../../scripts/catch-up/invoices.ts';
import { LIST_ORDERS, ListService } from '../../../scripts/catch-up/list-service.ts';
import { pageClient } from '../../../scripts/catch-up/page-client.ts';
import { Shop } from '../../../scripts/catch-up/shop.ts';
import { below } from '../../../scripts/random.ts';
import { EventClock } from '../../../scripts/simulate/event-clock.ts';
import { Life } from '../../../scripts/simulate/life.ts';
import { createRandom } from '../../../src/sandbox/state/random.ts';
import { scaled } from '../../support/scaled.ts';
import { SEED } from '../../support/seed.ts';
import { HOUR, MINUTE, START } from './world.ts';

const SHOPS = scaled(40);
const COUNT = 3_000;

/** A few hours of a busy shop whose webhooks never arrive. Requests take different times, so pages overtake each other. */
async function playHours(seed: number) {
  const random = createRandom(seed).next;
  const order = LIST_ORDERS[below(random, 2)] ?? LIST_ORDERS[0];
  const invoices = makeInvoices(COUNT, START, START + 3 * HOUR, random);
  const service = new ListService({ invoices, order, now: START });
  const shop = new Shop(service, invoices);
  const clock = new EventClock(START);
  const life = new Life(clock, Number.POSITIVE_INFINITY);
  shop.merchant = pageClient(service, invoices, async () => {
    const takes = below(random, 4) === 0 ? random() * MINUTE : random() * 2_000;
    await life.sleep(takes);
    service.advanceTo(clock.now());
  });
  const options = { prefetch: 1 + below(random, 8), concurrency: 1 + below(random, 4) };
  const ends = START + 4 * HOUR;
  const failures: unknown[] = [];
  let [runs, began] = [0, START];
  const run = (): true => {
    service.advanceTo(clock.now());
    runs += 1;
    const begins = clock.now();
    const isLast = begins >= ends;
    shop.catchUp(options).then(
      () => {
        began = begins;
        if (!isLast) clock.at(clock.now() + below(random, HOUR / 2), run);
      },
      (error) => failures.push(error),
    );
    return true;
  };
  clock.at(START + below(random, HOUR), run);
  await clock.run();
  expect({ failures, isOver: began >= ends }, `seed ${seed}`).toEqual({ failures: [], isOver: true });
  return { runs, lost: shop.lost(began, invoices).map((index) => `seed ${seed}: ${index}`) };
}

it(`catchUp loses nothing where requests overtake each other, in ${SHOPS} shops`, async () => {
  const lost: string[] = [];
  let runs = 0;
  for (let seed = SEED; seed < SEED + SHOPS; seed += 1) {
    const played = await playHours(seed);
    runs += played.runs;
    lost.push(...played.lost);
  }
  expect(lost).toEqual([]);
  expect(runs).toBeGreaterThan(3 * SHOPS);
});
