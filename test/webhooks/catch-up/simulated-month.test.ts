import { describe, expect, it } from 'vitest';
import { makeInvoices } from '../../../scripts/catch-up/invoices.ts';
import { LIST_ORDERS, ListService, type ListServiceOptions } from '../../../scripts/catch-up/list-service.ts';
import { Shop } from '../../../scripts/catch-up/shop.ts';
import { below } from '../../../scripts/random.ts';
import { createRandom } from '../../../src/sandbox/state/random.ts';
import { DAY, HOUR, START } from './world.ts';

// A month of a shop whose webhooks never arrive. Invoices live for minutes, hours or weeks, disputes correct amounts, and
// the lists move with each request.

const COUNT = 900;

async function playMonth(every: number, options: Partial<ListServiceOptions>) {
  const random = createRandom(11).next;
  const invoices = makeInvoices(COUNT, START - 20 * DAY, START + 30 * DAY, random);
  for (let index = 0; index < COUNT; index += 20) {
    invoices.finished[index] = (invoices.created[index] ?? 0) + random() * 40 * DAY; // a dispute
  }
  const service = new ListService({ order: LIST_ORDERS[0], now: START, latency: 20_000, ...options, invoices });
  const shop = new Shop(service, invoices);
  const requests: number[] = [];
  let began = START;
  for (let now = START; now <= START + 30 * DAY; now += every + below(random, 1000)) {
    service.advanceTo(now);
    began = service.now;
    const result = await shop.catchUp();
    expect(result).toMatchObject({ failed: 0, busy: 0, invalid: 0 });
    requests.push(result.requests);
    service.adjust(below(random, COUNT));
  }
  return { lost: shop.lost(began, invoices), first: requests.shift(), most: Math.max(...requests) };
}

describe('a month of runs', () => {
  it.each([LIST_ORDERS[0], LIST_ORDERS[1]])('loses nothing and asks little: %s', async (order) => {
    const { lost, most } = await playMonth(DAY, { order });
    expect(lost).toEqual([]);
    expect(most).toBeLessThanOrEqual(20);
  });

  it.each([LIST_ORDERS[2], LIST_ORDERS[3]])('loses nothing where every list is read to its end: %s', async (order) => {
    const { lost } = await playMonth(4 * DAY, { order });
    expect(lost).toEqual([]);
  });

  it.each([
    ['an hour ahead', HOUR],
    ['an hour behind', -HOUR],
  ])('loses nothing where the clock of the answers is %s', async (_name, skew) => {
    const date = (now: number) => new Date(now + skew).toUTCString();
    const { lost, most } = await playMonth(2 * DAY, { date });
    expect(lost).toEqual([]);
    expect(most).toBeLessThanOrEqual(20);
  });

  it.each([
    ['lacks the header Date', null],
    ['has garbage for a Date', 'at noon'],
  ])('loses nothing where an answer %s: everything is read', async (_name, date) => {
    const { lost, first, most } = await playMonth(6 * DAY, { date: () => date });
    expect(lost).toEqual([]);
    expect(most).toBeGreaterThanOrEqual(first ?? Number.NaN);
  });

  it('loses nothing where the totals are wrong', async () => {
    const { lost } = await playMonth(5 * DAY, { total: (total) => total + (total % 3) });
    expect(lost).toEqual([]);
  });
});
