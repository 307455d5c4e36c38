import { expect, it, vi } from 'vitest';
import { type MovingList, movingList, uuids } from '../support/moving-list.ts';
import { clientOf } from '../support/test-client.ts';

// Which pages a walk requests by default, and when: none before the first page is used up, then two ahead.

const ROWS = uuids(200); // ten pages
const WAIT = { timeout: 30_000 };

/** No time limit ends a request before the test does. */
const LIMITS = { timeout: 600_000, deadline: 600_000 };
const listOf = (list: MovingList) => clientOf(list.server.url, LIMITS).invoices.list();

/** A list whose requests are counted as they are sent: one that is ended at once may never reach the server. */
function countedList(list: MovingList, query: { page?: number } = {}) {
  const sent: number[] = [];
  const counting: typeof fetch = (input, init) => {
    const { url } = new Request(input, init);
    sent.push(Number(new URL(url).searchParams.get('page') ?? 1));
    return fetch(input, init);
  };
  return { sent, call: clientOf(list.server.url, { ...LIMITS, fetch: counting }).invoices.list(query) };
}
const sorted = (pages: readonly number[]) => [...pages].sort((a, b) => a - b);

/** A server with these rows, whose responses to the pages from `held` on wait until they are let go. */
async function heldList(held: number) {
  const list = await movingList(ROWS);
  const waiting = new Map<number, () => void>();
  const [step] = list.server.script;
  const closed: number[] = [];
  list.server.script = [
    {
      play(exchange) {
        const page = Number(new URL(exchange.request.url, 'http://list').searchParams.get('page') ?? 1);
        exchange.response.on('close', () => {
          if (!exchange.response.writableFinished) closed.push(page);
        });
        if (page < held) return void step?.play(exchange);
        waiting.set(page, () => step?.play(exchange));
      },
    },
  ];
  /** Waits until exactly these pages are held, and answers them in this order. */
  const letGo = async (...pages: number[]) => {
    await vi.waitFor(() => expect(sorted([...waiting.keys()])).toEqual(sorted(pages)), WAIT);
    for (const page of pages) waiting.get(page)?.();
    for (const page of pages) waiting.delete(page);
  };
  return { list, waiting, closed, letGo };
}

it.each([1, 19, 20])('a loop that leaves at item %i of a page of 20 makes one request', async (last) => {
  const list = await movingList(ROWS);
  let seen = 0;
  for await (const _ of listOf(list)) {
    seen += 1;
    if (seen === last) break;
  }
  expect(list.asked).toEqual([1]);
});

it('so do a loop over pages that leaves at the first, the list as a promise, and a loop that throws', async () => {
  const list = await movingList(ROWS);
  for await (const page of listOf(list).pages()) {
    expect(page.items).toHaveLength(20);
    break;
  }
  await listOf(list);
  await listOf(list).withResponse();
  await listOf(list).result();
  const failing = async () => {
    for await (const invoice of listOf(list)) throw new Error(invoice.uuid);
  };
  await expect(failing()).rejects.toThrow('row-0');
  expect(list.asked).toEqual([1, 1, 1, 1, 1]);
});

it.each([
  [1, 1, [1]],
  [1, 20, [1]],
  [1, 21, [1, 2]],
  [1, 100, [1, 2, 3, 4, 5]],
  [4, 45, [4, 5, 6]],
  [9, 1_000, [9, 10]],
])('collect from page %i of %i requests the pages that it needs', async (page, limit, pages) => {
  const { sent, call } = countedList(await movingList(ROWS), { page });
  const found = (await call.collect({ limit })).map(({ uuid }) => uuid);
  expect(found).toEqual(ROWS.slice((page - 1) * 20, (page - 1) * 20 + limit));
  expect(sent).toEqual(pages);
});

it('collect reads on where pages have fewer items than rows', async () => {
  const list = await movingList(ROWS);
  list.edit = (page, asked) => (asked === 2 ? Object.assign(page, { items: [] }) : page);
  expect(await listOf(list).collect({ limit: 60 })).toHaveLength(60);
});

it('behind the first page three requests are in flight, and each page that is used up adds one', async () => {
  const { letGo, list } = await heldList(2);
  const walk = listOf(list).pages();
  expect((await walk.next()).value?.page).toBe(1);
  expect(list.asked).toEqual([1]);
  const second = walk.next();
  await letGo(4, 3, 2); // in any order
  expect((await second).value?.page).toBe(2);
  const third = walk.next();
  await letGo(5);
  expect((await third).value?.page).toBe(3);
  expect((await third).value?.items[0]?.uuid).toBe('row-40');
  const fourth = walk.next();
  await letGo(6);
  expect((await fourth).value?.page).toBe(4);
  await walk.return();
  expect(sorted(list.asked)).toEqual([1, 2, 3, 4, 5, 6]);
});

it('a loop that leaves ends the requests in flight, and their failures reach nobody', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  try {
    const { list, waiting, closed } = await heldList(2);
    const walk = (async () => {
      for await (const { uuid } of listOf(list)) if (uuid === 'row-25') return uuid;
      return null;
    })();
    await vi.waitFor(() => expect(sorted([...waiting.keys()])).toEqual([2, 3, 4]), WAIT);
    waiting.get(2)?.();
    expect(await walk).toBe('row-25');
    await vi.waitFor(() => expect(sorted(closed)).toEqual([3, 4]), WAIT);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off('unhandledRejection', unhandled);
  }
});
