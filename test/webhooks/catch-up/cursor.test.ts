import { describe, expect, it } from 'vitest';
import { uuidOf } from '../../../scripts/catch-up/invoices.ts';
import { LIST_ORDERS } from '../../../scripts/catch-up/list-service.ts';
import type { CatchUpCursor } from '../../../src/webhooks/index.ts';
import { DAY, HOUR, MINUTE, type Row, START, steadyRows, world } from './world.ts';

/** Six hundred invoices in ten hours, and one that stays open for a month. */
const ROWS: readonly Row[] = [[0, 43_200], ...steadyRows(600, 1)];
const LONG = 0;
const END = 700;
/** The account check, the pending list, and the first page of each final status. */
const LEAST = ['get', 'pending 1', 'success 1', 'fail 1', 'expired 1', 'canceled 1'];

/** A shop that has a cursor: it has run once. */
async function caughtUp(...given: Parameters<typeof world>) {
  const made = world(...given);
  made.at(END);
  await made.shop.catchUp();
  made.requests();
  return made;
}

describe('a run with a cursor', () => {
  it('begins with a shop that has no invoices yet', async () => {
    const { shop, at, lost } = world(steadyRows(50, END + 10));
    at(END);
    expect(await shop.catchUp()).toMatchObject({ played: 0 });
    expect(shop.cursor).toMatchObject({ account: null, newest: null, pending: [] });
    at(END + 90);
    expect(await shop.catchUp()).toMatchObject({ played: 50 });
    expect(lost()).toEqual([]);
  });

  it('reads one page of each list where nothing is new', async () => {
    const { shop, at, requests } = await caughtUp(ROWS);
    at(END + 60);
    expect(await shop.catchUp()).toMatchObject({ played: 0, failed: 0 });
    expect(requests()).toEqual(LEAST);
  });

  it('plays what was created since', async () => {
    const { shop, at, requests, lost } = await caughtUp([...ROWS, ...steadyRows(50, END + 10)]);
    at(END + 90);
    expect(await shop.catchUp()).toMatchObject({ played: 50 });
    expect(requests()).toEqual(LEAST);
    expect(lost()).toEqual([]);
  });

  it('reads an old invoice that has ended by its uuid', async () => {
    const { shop, at, requests, lost } = await caughtUp(ROWS);
    at(43_300);
    expect(await shop.catchUp()).toMatchObject({ played: 1 });
    expect(requests()).toEqual([...LEAST, 'get']);
    expect(lost()).toEqual([]);
    expect(await shop.catchUp()).toMatchObject({ played: 0 });
    expect(requests()).toEqual(LEAST);
  });

  it.each([404, 422, 501])('finds it in the list where the service answers %i to a uuid', async (status) => {
    const { shop, at, answers, requests, lost } = await caughtUp(ROWS);
    at(43_300);
    answers.of = async (url, answer) =>
      url.pathname.includes('/0000') ? Response.json({ success: false, error: { code: 'NO' } }, { status }) : answer();
    expect(await shop.catchUp()).toMatchObject({ played: 1 });
    expect(requests()).toContain('success 7');
    expect(lost()).toEqual([]);
  });

  it('finds it in the list where a single read lacks the members of the end', async () => {
    const { shop, at, answers, lost } = await caughtUp(ROWS);
    at(43_300);
    answers.of = async (url, answer) => {
      if (!url.pathname.includes('/0000')) return await answer();
      const body = await (await answer()).json();
      return Response.json({ ...body, data: { ...body.data, finished_at: null, settled_amount_usdt: null } });
    };
    expect(await shop.catchUp()).toMatchObject({ played: 1, failed: 0 });
    expect(lost()).toEqual([]);
  });

  it('plays what has ended also where no walk over the pending list can be complete, and reads everything the next time', async () => {
    const open = Array.from({ length: 250 }, (_, index): Row => [index, 43_200]);
    const { shop, at, answers, requests, lost } = world([...open, ...steadyRows(300, 1)]);
    at(END);
    let ofFirst: unknown[] = [];
    answers.of = async (url, answer) => {
      const response = await answer();
      if (url.searchParams.get('status') !== 'pending') return response;
      const body = await response.json();
      if (body.data.page === 1) ofFirst = body.data.items.slice(-30);
      else body.data.items.splice(0, ofFirst.length, ...ofFirst); // in the place of others, which no page has
      return Response.json(body, { headers: response.headers });
    };
    const { played, cursor } = await shop.catchUp();
    expect(played).toBe(300);
    expect(cursor).toMatchObject({ pending: null });
    expect(shop.reports).toEqual([expect.stringMatching(/cannot be read to its end\..*rows are missing/)]);
    requests();
    at(END + 60);
    expect(await shop.catchUp()).toMatchObject({ played: 0 });
    expect(requests()).toContain('success 3');
    at(43_300);
    await shop.catchUp();
    expect(lost()).toEqual([]);
  });

  it('rejects where the pending list is refused for another reason', async () => {
    const open = Array.from({ length: 250 }, (_, index): Row => [index, 43_200]);
    const { shop, at, answers } = world(open);
    at(END);
    answers.of = async (url, answer) =>
      url.searchParams.get('status') === 'pending' && url.searchParams.get('page') === '2'
        ? Response.json({ success: false, error: { code: 'ACCOUNT_FROZEN' } }, { status: 403 })
        : answer();
    await expect(shop.catchUp()).rejects.toMatchObject({ code: 'ACCOUNT_FROZEN' });
  });

  it('misses no row where a page is answered later than those behind it', async () => {
    const { shop, at, answers, requests, lost } = world([
      ...steadyRows(600, 1),
      [END - 1, END + 1],
      [END - 1, END + 90],
    ]);
    at(300);
    await shop.catchUp();
    at(END);
    let answered = (): void => {};
    const fourth = new Promise<void>((resolve) => {
      answered = resolve;
    });
    answers.of = async (url, answer) => {
      const page = url.searchParams.get('status') === 'success' ? url.searchParams.get('page') : null;
      if (page === '3') {
        await fourth;
        at(END + 2); // one more row at the top
      }
      const response = await answer();
      if (page === '4') answered();
      return response;
    };
    requests();
    await shop.catchUp({ prefetch: 8 });
    expect(requests()).toContain('success 4');
    answers.of = async (_url, answer) => await answer();
    await shop.catchUp();
    expect(lost()).toEqual([]);
  });

  it('finds many of them with less than a request for each', async () => {
    const old = Array.from({ length: 400 }, (): Row => [0, 43_200]);
    const { shop, at, requests, lost } = await caughtUp([...old, ...steadyRows(300, 1)]);
    at(43_300);
    expect(await shop.catchUp()).toMatchObject({ played: 400 });
    expect(requests().length).toBeLessThan(20);
    expect(lost()).toEqual([]);
  });

  it('finds twenty that ended shortly before with a page of their list', async () => {
    const old = Array.from({ length: 20 }, (_, index): Row => [index / 2, END + 20 + index / 2]);
    const { shop, at, requests, lost } = await caughtUp([...old, ...steadyRows(150, 11)]);
    at(END + 60);
    expect(await shop.catchUp()).toMatchObject({ played: 20 });
    expect(requests()).toEqual([...LEAST, 'success 2']);
    expect(lost()).toEqual([]);
  });

  it('names the pending invoices also where two left the list between its pages', async () => {
    const open = Array.from({ length: 150 }, (_, index): Row => [END + index / 2, 43_200]);
    const { shop, service, at, answers, requests, lost } = await caughtUp([
      ...steadyRows(300),
      ...open,
      [END + 80, END + 91],
      [END + 81, END + 91],
    ]);
    at(END + 90);
    answers.of = async (url, answer) => {
      if (url.searchParams.get('status') === 'pending' && url.searchParams.get('page') === '2')
        service.advanceTo(Math.max(service.now, START + (END + 92) * MINUTE));
      return await answer();
    };
    await shop.catchUp();
    expect(shop.cursor?.pending).not.toBeNull();
    requests();
    await shop.catchUp();
    expect(requests()).toEqual([...LEAST.slice(0, 2), 'pending 2', 'pending 1', ...LEAST.slice(2)]);
    at(43_300);
    expect(await shop.catchUp()).toMatchObject({ played: 150 });
    expect(lost()).toEqual([]);
  });

  it('names a pending invoice also where it was on no page of the first reading, and nothing shows that', async () => {
    const { shop, at, answers, requests } = world(Array.from({ length: 350 }, (_, index): Row => [index, 43_200]));
    at(END);
    let isFirst = true;
    answers.of = async (url, answer) => {
      const response = await answer();
      if (!isFirst || url.search !== '?status=pending&page=2&per_page=100') return response;
      isFirst = false;
      const body = await response.json();
      // In its place is one that leaves the list before it is read again.
      body.data.items[99] = { ...body.data.items[99], uuid: uuidOf(900), external_id: 'order-900' };
      return Response.json(body, { headers: response.headers });
    };
    await shop.catchUp();
    expect(isFirst).toBe(false);
    expect(shop.cursor?.pending).toContain(uuidOf(150)); // the last one of the second page
    expect(requests().filter((line) => line.startsWith('pending'))).toHaveLength(8); // two readings of four pages
  });

  it('is not made unreliable by a second reading of the pending list that breaks off', async () => {
    const { shop, at, answers } = world(Array.from({ length: 350 }, (_, index): Row => [index, 43_200]));
    at(END);
    let readings = 0;
    answers.of = async (url, answer) => {
      const response = await answer();
      if (url.searchParams.get('status') !== 'pending') return response;
      const body = await response.json();
      if (body.data.page === 1) readings += 1;
      else if (readings === 2) body.data.page = 9; // another page than the requested one: SDK_PAGE
      return Response.json(body, { headers: response.headers });
    };
    await shop.catchUp();
    expect(readings).toBe(2);
    expect(shop.reports).toEqual([]);
    expect(shop.cursor?.pending).toHaveLength(348); // the next run finds those of the last minute in the lists
  });

  it('names at most a thousand pending invoices, and loses none of the others', async () => {
    const open = Array.from({ length: 2_300 }, (_, index): Row => [400 + index / 10, 43_200]);
    const { shop, at, lost } = await caughtUp([...steadyRows(300), ...open]);
    expect(shop.cursor?.pending).toHaveLength(1_000);
    expect(JSON.stringify(shop.cursor).length).toBeLessThan(45_000);
    at(43_300);
    expect(await shop.catchUp()).toMatchObject({ played: 2_300 });
    expect(lost()).toEqual([]);
  });

  it('finds an invoice that ends while the lists are read, with one more look at the pending list', async () => {
    const { shop, service, at, answers, requests, lost } = await caughtUp(ROWS);
    at(43_199.5);
    answers.of = async (url, answer) => {
      if (url.searchParams.get('status') === 'success') service.advanceTo(service.now + MINUTE);
      return await answer();
    };
    expect(await shop.catchUp()).toMatchObject({ played: 1 });
    expect(requests()).toEqual([...LEAST, 'pending 1', 'get']);
    expect(lost()).toEqual([]);
    answers.of = async (_url, answer) => await answer();
    await shop.catchUp();
    expect(requests()).toEqual(LEAST);
  });

  it('reads a list on where its total shows an invoice that nothing else does', async () => {
    const { shop, service, at, requests, lost, invoices } = await caughtUp([...steadyRows(600), [601, 609, 'expired']]);
    at(END + 60);
    service.change(200, 'fail'); // one final status to another: the expired event was played, the other was not
    invoices.finished[200] = START + 200 * MINUTE;
    shop.handled[200] = 0;
    expect(await shop.catchUp()).toMatchObject({ played: 1 });
    expect(requests()).toEqual([...LEAST, 'pending 1', ...[2, 3, 4, 5, 6].map((page) => `success ${page}`)]);
    expect(lost()).toEqual([]);
  });

  it.each<[string, (typeof LIST_ORDERS)[number]]>([
    ['oldest first', LIST_ORDERS[2]],
    ['in no order', LIST_ORDERS[3]],
  ])('reads a list to its end that comes %s', async (_name, order) => {
    const { shop, at, requests, lost } = await caughtUp([...ROWS, ...steadyRows(50, END + 10)], { order });
    at(END + 90);
    expect(await shop.catchUp()).toMatchObject({ played: 50 });
    expect(requests()).toContain('success 7');
    expect(lost()).toEqual([]);
  });

  it('believes in the order where the merchant vouches for it', async () => {
    const { shop, at, requests } = world(ROWS, { order: LIST_ORDERS[0] });
    at(END);
    await shop.catchUp({ order: 'newest' });
    requests();
    expect(await shop.catchUp({ order: 'newest' })).toMatchObject({ played: 0 });
    expect(requests()).toEqual(LEAST);
  });

  it('is the same for two runs at the same time', async () => {
    const { shop, at, lost } = await caughtUp([...ROWS, ...steadyRows(50, END + 10)]);
    at(END + 90);
    const both = await Promise.all([shop.catchUp(), shop.catchUp()]);
    expect(both.reduce((sum, { played }) => sum + played, 0)).toBe(50);
    expect(await shop.catchUp()).toMatchObject({ played: 0, busy: 0 });
    expect(lost()).toEqual([]);
  });
});

describe('a cursor advances', () => {
  it('with what has failed, which the next run tries again', async () => {
    const { shop, at, requests, lost } = world(ROWS);
    at(END);
    shop.fails = (index) => index === 100;
    expect(await shop.catchUp()).toMatchObject({ played: 599, failed: 1 });
    requests();
    expect(shop.cursor?.retry).toHaveLength(1);
    expect(await shop.catchUp({ since: START + 30 * DAY })).toMatchObject({ failed: 1 });
    expect(requests()).toEqual([...LEAST, 'get']);
    shop.fails = () => false;
    expect(await shop.catchUp({ since: START + 30 * DAY })).toMatchObject({ played: 1, failed: 0 });
    expect(shop.cursor?.retry).toEqual([]);
    expect(lost()).toEqual([]);
  });

  it('with what cannot be decoded, which the next run reads by its uuid', async () => {
    const { shop, at, answers, lost, requests } = world(ROWS);
    at(END);
    answers.of = async (_url, answer) => {
      const text = await (await answer()).text();
      const broken = text.replace(/("external_id":"order-100",.*?"amount":)"25.00"/, '$1[]');
      return new Response(broken, { headers: { date: new Date(START + END * MINUTE).toUTCString() } });
    };
    expect(await shop.catchUp()).toMatchObject({ played: 599, invalid: 1 });
    expect(shop.cursor?.unreadable).toHaveLength(1);
    requests();
    expect(await shop.catchUp()).toMatchObject({ played: 0, invalid: 1 });
    expect(requests()).toEqual([...LEAST, 'get']);
    answers.of = async (_url, answer) => await answer();
    expect(await shop.catchUp()).toMatchObject({ played: 1, invalid: 0 });
    expect(shop.cursor?.unreadable).toEqual([]);
    expect(lost()).toEqual([]);
  });

  it('not, where something cannot be carried: too many failed', async () => {
    const { shop, at, lost } = await caughtUp([...ROWS, ...steadyRows(1_100, END + 10)]);
    const { cursor } = shop;
    at(END + 1_500);
    shop.fails = (index) => index > 600;
    expect(await shop.catchUp()).toMatchObject({ failed: 1_100 });
    expect(shop.cursor).toEqual(cursor);
    shop.fails = () => false;
    expect(await shop.catchUp()).toMatchObject({ played: 1_100 });
    expect(lost()).toEqual([]);
  });

  it('not, where an answer comes from a cache', async () => {
    const { shop, service, at, answers, lost } = await caughtUp([...ROWS, ...steadyRows(50, END + 10)]);
    const kept = await service.fetch('https://pay.example.com/api/v1/external/invoices?status=success&per_page=100');
    const body = await kept.text();
    const date = kept.headers.get('date') ?? '';
    at(END + 90);
    answers.of = async (url, answer) =>
      url.searchParams.get('status') === 'success' && !url.searchParams.has('page')
        ? new Response(body, { headers: { date } })
        : await answer();
    const { cursor } = shop;
    await shop.catchUp();
    expect(shop.cursor).toEqual(cursor);
    answers.of = async (_url, answer) => await answer();
    await shop.catchUp();
    expect(lost()).toEqual([]);
  });

  it('not, where the run is aborted', async () => {
    const { shop, at, lost } = await caughtUp([...ROWS, ...steadyRows(50, END + 10)]);
    const { cursor } = shop;
    at(END + 90);
    const stop = new AbortController();
    const run = shop.catchUp({ signal: stop.signal, onProgress: ({ played }) => played > 10 && stop.abort('deploy') });
    await expect(run).rejects.toMatchObject({ kind: 'aborted', reason: 'deploy', outcome: 'unknown' });
    expect(shop.cursor).toEqual(cursor);
    expect((await shop.catchUp()).played).toBeGreaterThan(0);
    expect(lost()).toEqual([]);
  });

  it('only by the newest invoice that was seen, where the clock of the answers is ahead', async () => {
    const date = (now: number) => new Date(now + 5 * HOUR).toUTCString();
    const rows = [...steadyRows(660), ...steadyRows(50, END + 10)];
    const { shop, at, requests, lost } = world(rows, { date });
    at(END - 45);
    await shop.catchUp();
    requests();
    at(END + 90);
    expect(await shop.catchUp()).toMatchObject({ failed: 0 });
    expect(requests()).toEqual(LEAST);
    expect(lost()).toEqual([]);
  });

  it('not without the time of the service', async () => {
    const { shop, at, requests } = world(ROWS, { date: () => null });
    at(END);
    expect(await shop.catchUp()).not.toHaveProperty('cursor');
    requests();
    await shop.catchUp();
    expect(requests()).toContain('success 6');
  });
});

describe('since, with a cursor', () => {
  it('may be later than what the cursor has not seen', async () => {
    const { shop, at, lost } = await caughtUp([...ROWS, ...steadyRows(50, END + 10)]);
    at(END + 3_000);
    expect(await shop.catchUp({ since: START + (END + 2_900) * MINUTE })).toMatchObject({ played: 50 });
    expect(lost()).toEqual([]);
  });

  it('before that of the earlier runs reads everything', async () => {
    const { shop, at, requests, lost } = world(ROWS);
    at(END);
    expect(await shop.catchUp({ since: START + 400 * MINUTE })).toMatchObject({ played: 211 });
    expect(await shop.catchUp({ since: START + 400 * MINUTE })).toMatchObject({ played: 0 });
    requests();
    expect(await shop.catchUp({ since: START })).toMatchObject({ played: 389 });
    expect(requests()).toContain('success 6');
    expect(lost()).toEqual([]);
    await shop.catchUp({ since: START });
    expect(requests()).toEqual(LEAST);
  });

  it('ends a first run early where a longest lifetime is stated', async () => {
    const { shop, at, requests } = world(steadyRows(600, 1));
    at(END);
    expect(await shop.catchUp({ since: START + 500 * MINUTE, maxLifetime: 20 * MINUTE })).toMatchObject({
      played: 111,
    });
    expect(requests()).toContain('success 2');
    expect(requests()).not.toContain('success 5');
  });
});

describe('a cursor is refused', () => {
  it.each<[string, (cursor: CatchUpCursor) => unknown, RegExp]>([
    ['as text', (cursor) => JSON.stringify(cursor), /cursor is text\. Pass JSON\.parse\(cursor\)\./],
    ['as a list', () => [], /cursor must be an object, not an array/],
    ['of another version', (cursor) => ({ ...cursor, version: 2 }), /version 2, and this package reads version 1/],
    ['without a version', ({ version: _, ...cursor }) => cursor, /version undefined/],
    ['without a member', ({ pending: _, ...cursor }) => cursor, /damaged: pending/],
    ['with another member', (cursor) => ({ ...cursor, pages: 1 }), /cursor has no "pages"/],
    ['with a wrong uuid', (cursor) => ({ ...cursor, pending: [7] }), /damaged: pending/],
    ['with a wrong list', (cursor) => ({ ...cursor, retry: 'none' }), /damaged: retry/],
    ['with a wrong time', (cursor) => ({ ...cursor, readTo: '2026-01-01' }), /damaged: readTo/],
    ['with a wrong account', (cursor) => ({ ...cursor, account: { uuid: 'a' } }), /damaged: account/],
    ['with a wrong total', (cursor) => ({ ...cursor, totals: { ...cursor.totals, fail: {} } }), /damaged: totals/],
    ['with a wrong namespace', (cursor) => ({ ...cursor, namespace: 5 }), /damaged: namespace/],
    ['with a wrong newest time', (cursor) => ({ ...cursor, newest: 'today' }), /damaged: newest/],
    ['with a total below zero', (cursor) => withTotal(cursor, [-1, 0]), /damaged: totals/],
    ['with a total of no range', (cursor) => withTotal(cursor, [3, 2]), /damaged: totals/],
    ['of another namespace', (cursor) => ({ ...cursor, namespace: 'b' }), /a store with another namespace/],
  ])('%s', async (_name, change, message) => {
    const { shop, requests } = await caughtUp(ROWS);
    if (shop.cursor === undefined) throw new Error('no cursor');
    shop.cursor = change(shop.cursor) as CatchUpCursor; // broken on purpose
    await expect(shop.catchUp()).rejects.toMatchObject({
      kind: 'configuration',
      operation: 'handler.catchUp',
      message: expect.stringMatching(message),
    });
    expect(requests()).toEqual([]);
  });

  it('of another account, before anything is played', async () => {
    const { shop } = await caughtUp(ROWS);
    const other = world([[0, 5], ...steadyRows(10, 1)]);
    other.at(END);
    other.shop.cursor = shop.cursor;
    await expect(other.shop.catchUp()).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(/belongs to another account.*Leave the cursor out once/),
    });
    expect(other.shop.handled.every((count) => count === 0)).toBe(true);
    expect(other.requests()).toEqual(['get', 'get']);
  });

  it('of an invoice of another account with the same order id', async () => {
    const { shop } = await caughtUp(ROWS);
    const other = await caughtUp(ROWS);
    if (shop.cursor?.account == null) throw new Error('no cursor');
    other.shop.cursor = {
      ...shop.cursor,
      account: { ...shop.cursor.account, uuid: 'ffffffff-0000-4000-8000-0000ffffffff' },
    };
    await expect(other.shop.catchUp()).rejects.toThrow('belongs to another account');
  });

  it.each([undefined, null])('but not %s, which is none', async (cursor) => {
    const { shop } = await caughtUp(ROWS);
    expect(await shop.catchUp({ cursor })).toMatchObject({ alreadyDone: 600 });
  });

  it('is left as it was given', async () => {
    const { shop } = await caughtUp(ROWS);
    const before = JSON.stringify(shop.cursor);
    const { cursor } = shop;
    await shop.catchUp({ cursor });
    expect(JSON.stringify(cursor)).toBe(before);
  });
});

function withTotal(cursor: CatchUpCursor, created: readonly [number, number]): CatchUpCursor {
  return { ...cursor, totals: { ...cursor.totals, fail: { ...cursor.totals.fail, created } } };
}

it('the long-lived invoice of these tests is the first', () => {
  expect(ROWS[LONG]).toEqual([0, 43_200]);
});
