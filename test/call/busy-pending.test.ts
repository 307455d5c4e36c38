import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/sandbox/state/random.ts';
import { answer } from '../support/fault-steps.ts';
import { pendingWithdrawal } from '../support/fixtures/withdrawals.ts';
import { type MovingList, movingList, uuids } from '../support/moving-list.ts';
import { clientOf } from '../support/test-client.ts';

// A shop with much traffic: while its pending invoices are listed, new ones join at the top and others end. The total
// shows only the difference.

interface Walked {
  readonly seen: ReadonlySet<string>;
  readonly error: unknown;
}

type Client = ReturnType<typeof clientOf>;

async function walked(
  { server }: MovingList,
  listOf: (client: Client) => AsyncIterable<{ readonly uuid: string }>,
): Promise<Walked> {
  const seen = new Set<string>();
  try {
    for await (const { uuid } of listOf(clientOf(server.url))) seen.add(uuid);
    return { seen, error: null };
  } catch (error) {
    return { seen, error };
  }
}

/** Each request is made when the one before it is answered, so their order is certain. */
const ONE_BY_ONE = { prefetch: 1 };
const pending = ({ invoices }: Client) => invoices.list({ status: 'pending' }, ONE_BY_ONE);

/** Before each read, about one invoice is created and about one ends. */
function busy(list: MovingList, seed: string): void {
  const { next } = createRandom(seed);
  const some = (): number => Math.round(2 * next());
  list.beforeRead = (read) => {
    if (read === 1) return;
    for (let index = some(); index > 0; index -= 1) list.rows.splice(Math.floor(next() * list.rows.length), 1);
    list.rows.unshift(...uuids(some(), `new-${read}`));
  };
}

/** With these, rows that have left look like rows that no page has. */
const SEEDS = ['s0', 's6', 's40'];

describe('the pending list of a busy shop', () => {
  test.each(SEEDS)('is walked to its end (%s)', async (seed) => {
    const list = await movingList(uuids(400));
    busy(list, seed);
    const { seen, error } = await walked(list, pending);
    expect(error).toBeNull();
    expect(seen.size).toBeGreaterThan(400);
    expect(list.asked.length, 'it was read twice').toBeGreaterThan(2 * 20);
  });

  test.each(SEEDS)('of withdrawals is walked as well (%s)', async (seed) => {
    const list = await movingList(uuids(400));
    busy(list, seed);
    list.edit = (page) => {
      const items = (page['items'] as { uuid: string }[]).map(({ uuid }) => ({ ...pendingWithdrawal, uuid }));
      return answer(200, { success: true, data: { ...page, items } });
    };
    expect(
      (await walked(list, ({ withdrawals }) => withdrawals.list({ status: 'pending' }, ONE_BY_ONE))).error,
    ).toBeNull();
  });

  test.each(SEEDS)(
    'is the only one: nothing leaves the list of all invoices, or of the paid ones (%s)',
    async (seed) => {
      for (const status of [undefined, 'success'] as const) {
        const list = await movingList(uuids(400));
        busy(list, seed);
        if (status !== undefined) {
          list.edit = (page) => {
            const items = (page['items'] as object[]).map((item) => ({ ...item, status }));
            return answer(200, { success: true, data: { ...page, items } });
          };
        }
        const { error } = await walked(list, ({ invoices }) =>
          invoices.list(status === undefined ? {} : { status }, ONE_BY_ONE),
        );
        expect(error).toMatchObject({ code: 'SDK_PAGE' });
        expect((error as Error).message).toMatch(/\d+ of \d+ rows (is|are) missing/);
      }
    },
  );
});

describe('a pending list without a stable order ends with an error', () => {
  test.each<[string, (rows: readonly string[], read: number, page: number) => readonly string[]]>([
    [
      'where a page always begins with the last row of the one before, instead of its own first',
      (rows) => rows.map((row, place) => (place > 0 && place % 20 === 0 ? (rows[place - 1] ?? row) : row)),
    ],
    [
      'where rows of the first page return behind others',
      (rows, _read, page) => (page === 2 ? rows.map((row, place) => (place === 30 ? 'row-0' : row)) : rows),
    ],
    [
      'where each read is sorted anew',
      (rows, read) => {
        const { next } = createRandom(`read ${read}`);
        return rows
          .map((row) => [next(), row] as const)
          .sort(([a], [b]) => a - b)
          .map(([, row]) => row);
      },
    ],
  ])('%s', async (_name, arrange) => {
    const list = await movingList(uuids(200));
    list.arrange = arrange;
    expect((await walked(list, pending)).error).toMatchObject({ code: 'SDK_PAGE' });
  });

  test('where it also moves, and more is missing than has left', async () => {
    const list = await movingList(uuids(200));
    list.beforeRead = (read) => {
      if (read !== 12) return;
      list.rows.splice(5, 1); // one that the second reading would have shown
      list.rows.unshift('new-0');
    };
    const hidden = new Set(uuids(160).slice(100, 105)); // five that no page ever has
    list.arrange = (rows) => rows.map((row, place) => (hidden.has(row) ? (rows[place - 20] ?? row) : row)).slice();
    expect((await walked(list, pending)).error).toMatchObject({ code: 'SDK_PAGE' });
  });
});
