import { describe, expect, test } from 'vitest';
import type { Page } from '../../src/contract/types.ts';
import { AuthenticationError, ConnectionError, NotFoundError, ServerError } from '../../src/errors/classes.ts';
import { type PageSource, walkPages } from '../../src/resources/list.ts';
import { uuids } from '../support/moving-list.ts';

// Which pages are asked for, in which order, and what each yields: told exactly, read by read.

const PER_PAGE = 2;
const rows = uuids(10, 'r'); // five pages

function pageOf(list: readonly string[], page: number, edit: Partial<Page<string>> = {}): Page<string> {
  const total_pages = Math.ceil(list.length / PER_PAGE);
  return {
    items: list.slice((page - 1) * PER_PAGE, page * PER_PAGE),
    page,
    per_page: PER_PAGE,
    total_items: list.length,
    total_pages,
    has_next: page < total_pages,
    has_prev: page > 1,
    ...edit,
  };
}

/** What a read answers; told by the page asked for. */
type Answer = (asked: number) => Page<string>;
const of =
  (list: readonly string[], edit?: Partial<Page<string>>): Answer =>
  (asked) =>
    pageOf(list, asked, edit);
/** A service that answers the last page where there is none so high. */
const lastOf =
  (list: readonly string[]): Answer =>
  (asked) =>
    pageOf(list, Math.min(asked, Math.max(1, Math.ceil(list.length / PER_PAGE))));
const refuses =
  (error: Error): Answer =>
  () => {
    throw error;
  };

interface Walked {
  /** Pages asked for after the first, in order. */
  readonly asked: readonly number[];
  /** Each page that was yielded: its number and its rows. */
  readonly yielded: readonly (readonly [number, ...string[]])[];
  readonly error: unknown;
}

/** Walks a list whose reads are answered in turn; the last answer stays. */
async function walked(answers: readonly Answer[], options: Partial<PageSource<string>> = {}): Promise<Walked> {
  const asked: number[] = [];
  const yielded: [number, ...string[]][] = [];
  const startPage = options.startPage ?? 1;
  const source: PageSource<string> = {
    operation: 'rows.list',
    first: (answers[0] ?? of([]))(startPage),
    startPage,
    prefetch: 1,
    signal: null,
    key: (row) => row,
    async read(page) {
      asked.push(page);
      const answer = answers[Math.min(asked.length, answers.length - 1)] ?? of([]);
      return answer(page);
    },
    ...options,
  };
  let error: unknown = null;
  try {
    for await (const page of walkPages(source)) yielded.push([page.page, ...page.items]);
  } catch (thrown) {
    error = thrown;
  }
  return { asked, yielded, error };
}

const notFound = new NotFoundError({ code: 'NOT_FOUND', message: 'no such page', status: 404 });
const without = (...gone: number[]) => rows.filter((_, place) => !gone.includes(place));

describe('reading ahead', () => {
  test('as many pages as asked for are in flight, and none behind the last', async () => {
    const asked: number[] = [];
    const source: PageSource<string> = {
      operation: 'rows.list',
      first: pageOf(rows, 1),
      startPage: 1,
      prefetch: 3,
      signal: null,
      key: (row) => row,
      async read(page) {
        asked.push(page);
        return pageOf(rows, page);
      },
    };
    const inFlight: number[] = [];
    for await (const _ of walkPages(source)) inFlight.push(asked.length);
    expect(inFlight).toEqual([0, 3, 4, 4, 4]);
    expect(asked).toEqual([2, 3, 4, 5]);
  });

  test('nothing is read ahead of a page that is read again', async () => {
    const shorter = without(0, 1, 2); // r-4 and r-5 are now behind the front
    const { asked } = await walked([of(rows), of(rows), of(shorter)], { prefetch: 2 });
    // 4 is in flight when the loss shows on page 3; it is the last by then, and 2 and 1 are read again alone.
    expect(asked).toEqual([2, 3, 4, 2, 1]);
  });
});

describe('going back', () => {
  test('the pages into which rows have moved are read again, last first, once', async () => {
    const { asked, yielded } = await walked([of(rows), of(rows), of(without(0, 1, 2, 3))]);
    expect(asked).toEqual([2, 3, 2, 1]);
    expect(yielded).toEqual([
      [1, 'r-0', 'r-1'],
      [2, 'r-2', 'r-3'],
      [3, 'r-8', 'r-9'],
      [2, 'r-6', 'r-7'],
      [1, 'r-4', 'r-5'],
    ]);
  });

  test('a page that was read again in vain yields nothing', async () => {
    const { asked, yielded } = await walked([of(rows), of(rows), of(without(9))]); // behind the front: nothing moved
    expect(asked).toEqual([2, 3, 2, 4, 5]);
    expect(yielded.map(([page]) => page)).toEqual([1, 2, 3, 4, 5]);
  });

  test('two gaps are read from the last to the first', async () => {
    const long = uuids(20, 'r');
    const first = long.slice(1); // one is lost when page 4 is read: perhaps on page 3
    const second = long.slice(2); // and one more when page 3 is read
    const { asked } = await walked([of(long), of(long), of(long), of(first), of(second)]);
    expect(asked).toEqual([2, 3, 4, 3, 5, 4, 6, 7, 8, 9]);
  });

  test('rows that join meanwhile move the gap backward, as far as the front', async () => {
    const long = uuids(12, 'r');
    const shorter = long.slice(2); // the gap is page 2
    const grown = [...uuids(4, 'new'), ...shorter]; // and now all that was on 2 is on 4
    const { asked, yielded } = await walked([of(long), of(long), of(shorter), of(grown)]);
    const seen = yielded.flatMap(([, ...items]) => items);
    expect(seen).toEqual(expect.arrayContaining(shorter));
    expect(new Set(seen).size).toBe(seen.length);
    expect(asked).toEqual([2, 3, 2, 4, 3, 5, 6, 7]);
  });

  test('a list that loses a row with each read is walked on all the same', async () => {
    const long = uuids(12, 'r');
    const { asked, error } = await walked([0, 0, 1, 2, 3, 4, 5, 6, 7, 8].map((lost) => of(long.slice(lost))));
    expect(error).toBeNull();
    // The gap on the front page itself waits for the next one: 3 is read again after 4, not before.
    expect(asked).toEqual([2, 3, 2, 4, 3, 2, 5, 3]);
  });

  test('a loss that shows after the end opens no new gap', async () => {
    const shorter = without(0, 1); // shows on page 5, the last: 4 is read again, and more is lost then
    const { asked } = await walked([of(rows), of(rows), of(rows), of(rows), of(shorter), of(shorter.slice(2))]);
    expect(asked).toEqual([2, 3, 4, 5, 4, 3]);
  });
});

describe('a list that never rests', () => {
  test('costs no more for what has been read: its gaps do not pile up', async () => {
    let turn = 0;
    const long = () => uuids(400, `t${turn}-`);
    const source: PageSource<string> = {
      operation: 'rows.list',
      first: pageOf(long(), 1, { total_items: 1_000 }),
      startPage: 1,
      prefetch: 1,
      signal: null,
      key: (row) => row,
      async read(page) {
        turn += 1;
        return pageOf(long(), page, { total_items: 1_000 - (turn % 3) * 7, total_pages: 500, has_next: true });
      },
    };
    let rows = 0;
    const walk = async () => {
      for await (const { items } of walkPages(source)) rows += items.length;
    };
    await expect(walk()).rejects.toMatchObject({ code: 'SDK_PAGE' });
    expect(turn).toBe(1 + 3 * 500 + 10 - 2);
    expect(rows).toBeGreaterThan(0);
  });
});

describe('the second reading of a list without stable order', () => {
  test('asks again for a page that was read ahead and not needed before', async () => {
    const repeats: Answer = (page) => pageOf(rows, 1, { page });
    const last: Answer = (page) => pageOf(rows, page, { total_items: 6, total_pages: 3, has_next: false });
    const [shrunk, grown] = [of(rows.slice(0, 6)), of(rows.slice(0, 8))];
    const answers = [of(rows), repeats, last, of(rows), of(rows), shrunk, shrunk, grown];
    const { asked, error } = await walked(answers, { prefetch: 4 });
    expect(error).toBeNull();
    expect(asked).toEqual([2, 3, 4, 5, 2, 1, 1, 2, 3, 4, 5]); // 4 and 5 were in flight when page 3 said that it is the last
  });

  test('ends with an error that says why, and where it began', async () => {
    const repeats: Answer = (page) => pageOf(rows, page === 2 ? 1 : page, { page, has_next: page < 5 });
    const { error } = await walked([repeats]);
    expect(error).toMatchObject({ code: 'SDK_PAGE', page: 2 });
    expect((error as Error).message).toContain('2 of 10 rows are missing: pages repeat rows of others');
  });
});

describe('rows that are served and left out', () => {
  const leftOutOn = (...pages: number[]): Answer => {
    return (page) => pageOf(rows, page, pages.includes(page) ? { items: [] } : {});
  };

  test('count as rows: a page of them is read once', async () => {
    const leftOut = ({ page }: Page<string>) => (page === 2 || page === 3 ? [`odd-${page}`, `odd-${page}b`] : []);
    const { asked, yielded, error } = await walked([leftOutOn(2, 3)], { leftOut });
    expect(error).toBeNull();
    expect(asked).toEqual([2, 3, 4, 5]);
    expect(yielded.map(([page]) => page)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('the end', () => {
  test('is an error at the third page of repeats that nothing explains', async () => {
    const stuck = of(rows.slice(0, 2), { has_next: true, total_items: 100, total_pages: 50 });
    const { asked, error } = await walked([stuck, (page) => ({ ...stuck(1), page })]);
    expect(asked).toEqual([2, 3, 4]);
    expect(error).toMatchObject({ code: 'SDK_PAGE', page: 2 });
    expect((error as Error).message).toContain('98 of 100 rows are missing: 3 pages in a row');
  });

  test('may come before the count says, and nobody needs to listen', async () => {
    const { asked, error } = await walked([of(rows, { total_items: 11 })]);
    expect(error).toBeNull();
    expect(asked).toEqual([2, 3, 4, 5, 6]);
  });

  test('is a page of repeats behind the last that is counted', async () => {
    const list = of(rows, { has_next: true });
    const { asked, error } = await walked([list, list, list, list, list, (page) => ({ ...list(1), page })]);
    expect(asked).toEqual([2, 3, 4, 5, 6]);
    expect(error).toBeNull();
  });

  test('is not a page of repeats as long as that many rows have joined', async () => {
    const joined = ['new-0', 'new-1', ...rows];
    const { asked, yielded } = await walked([of(rows), of(joined)]);
    expect(asked).toEqual([2, 3, 4, 5, 6]);
    expect(yielded).toContainEqual([2]); // r-0 and r-1 again
    expect(yielded.at(-1)).toEqual([6, 'r-8', 'r-9']);
  });

  test('rows that joined explain as many repeats, once', async () => {
    const head = { has_next: true, total_items: 102, total_pages: 51 };
    const again = (page: number) => ({ ...pageOf(rows, 1, head), page });
    const { asked, error } = await walked([of(rows, { ...head, total_items: 100 }), again]);
    expect(asked).toEqual([2, 3, 4, 5]);
    expect(error).toMatchObject({ code: 'SDK_PAGE', page: 3 });
  });

  test('empty pages that are not the last by their own word are an error', async () => {
    const { asked, error } = await walked([of(rows), of([], { has_next: true, total_items: 10, total_pages: 5 })]);
    expect(asked).toEqual([2, 3, 4]);
    expect((error as Error).message).toContain('8 of 10 rows are missing');
  });
});

describe('behind the end', () => {
  test('a walk that begins there yields nothing and asks nothing', async () => {
    expect(await walked([lastOf(rows)], { startPage: 9 })).toEqual({ asked: [], yielded: [], error: null });
  });

  test('a walk over an empty list ends at once, whichever page it begins at', async () => {
    expect(await walked([of([])])).toMatchObject({ asked: [], yielded: [[1]], error: null });
    expect(await walked([lastOf([])], { startPage: 2 })).toMatchObject({ asked: [], yielded: [], error: null });
  });

  test('the last page instead of the one asked for ends the walk, after the pages behind have been looked at', async () => {
    const shorter = without(0, 1, 2, 3, 4); // three pages, of which the third has one row
    const { asked, yielded, error } = await walked([of(rows), of(rows), of(rows), lastOf(shorter)]);
    expect(error).toBeNull();
    expect(asked).toEqual([2, 3, 4, 2, 1]);
    const seen = yielded.flatMap(([, ...items]) => items);
    expect(seen).toEqual(['r-0', 'r-1', 'r-2', 'r-3', 'r-4', 'r-5', 'r-9', 'r-7', 'r-8', 'r-6']);
  });

  test.each([
    ['404', notFound],
    ['422', new (class extends NotFoundError {})({ code: 'VALIDATION_ERROR', message: 'page', status: 422 })],
  ])('a page refused with %s is looked for one page earlier', async (_name, refusal) => {
    const shorter = without(0, 1, 2, 3);
    const { asked, yielded, error } = await walked([of(rows), of(rows), of(rows), refuses(refusal), of(shorter)]);
    expect(error).toBeNull();
    expect(asked).toEqual([2, 3, 4, 3, 2]); // what was on 3 is on 1, and seen
    expect(yielded.flatMap(([, ...items]) => items).sort()).toEqual([...rows].sort());
  });

  test('further and further back, while pages are refused', async () => {
    const { asked, error } = await walked([
      of(rows),
      of(rows),
      of(rows),
      refuses(notFound),
      refuses(notFound),
      refuses(notFound),
      of(['r-9']),
    ]);
    expect(error).toBeNull();
    expect(asked).toEqual([2, 3, 4, 3, 2, 1]);
  });

  test('a page that is refused, and counted by the next one back, is asked for again', async () => {
    const shorter = without(0, 1, 2); // seven rows: there is a fourth page
    const { asked, yielded, error } = await walked([of(rows), of(rows), of(rows), refuses(notFound), of(shorter)]);
    expect(error).toBeNull();
    expect(asked.slice(0, 6)).toEqual([2, 3, 4, 3, 2, 4]); // page 2, because rows have moved
    expect(yielded.flatMap(([, ...items]) => items)).toEqual(expect.arrayContaining(shorter));
  });

  test('and is an error when it is refused three times', async () => {
    const shorter = without(0, 1, 2);
    const refused = (page: number) => (page === 4 ? refuses(notFound)(page) : of(shorter)(page));
    const { asked, error } = await walked([of(rows), of(rows), of(rows), refused]);
    expect(error).toBe(notFound);
    expect(asked).toEqual([2, 3, 4, 3, 2, 4, 3, 4, 3]);
    // Six rows fill three pages: the fourth is rightly refused.
    const six = without(0, 1, 2, 3);
    expect((await walked([of(rows), of(rows), of(rows), refuses(notFound), of(six)])).error).toBeNull();
  });

  test('where even page 1 is refused, the first refusal is the error', async () => {
    const second = new NotFoundError({ code: 'NOT_FOUND', message: 'second', status: 404 });
    expect(await walked([of(rows), refuses(notFound), refuses(second)])).toMatchObject({ asked: [2, 1] });
    expect((await walked([of(rows), refuses(notFound), refuses(second)])).error).toBe(notFound);
  });

  test.each([
    ['a failure of the service', new ServerError({ code: 'X', message: 'no', status: 500 })],
    ['a key that is refused', new AuthenticationError({ code: 'X', message: 'no', status: 403 })],
    ['a broken connection', new ConnectionError({ code: 'SDK_CONNECTION', message: 'no' })],
  ])('%s does not show an end, not even on the way back', async (_name, failure) => {
    expect(await walked([of(rows), refuses(failure)])).toMatchObject({ asked: [2], error: failure });
    const back = await walked([of(rows), of(rows), refuses(notFound), refuses(failure)]);
    expect(back).toMatchObject({ asked: [2, 3, 2] });
    expect(back.error).toBe(failure);
  });
});

describe('an answer to another question', () => {
  test.each([
    ['another page, lower than the last', of(rows, { page: 1 }), 'page 2 was asked for and page 1 answered'],
    ['the last page, though the page asked for is there', of(rows, { page: 5 }), 'page 2 was asked for and page 5'],
    ['a page that is not the last', of(rows, { page: 4, total_pages: 1 }), 'page 2 was asked for and page 4 answered'],
    ['another size', of(rows, { per_page: 3 }), 'the walk began with pages of 2, and pages of 3 are answered now'],
    ['no size', of(rows, { per_page: 0 }), 'the walk began with pages of 2, and pages of 0 are answered now'],
  ])('%s', async (_name, answer, problem) => {
    const { asked, error, yielded } = await walked([of(rows), answer]);
    expect(error).toMatchObject({
      code: 'SDK_PAGE',
      page: 2,
      status: 200,
      outcome: 'rejected',
      operation: 'rows.list',
    });
    expect((error as Error).message).toContain(`rows.list: ${problem}`);
    expect((error as Error).message).toContain('docs/errors.md#sdk_page');
    expect(asked).toEqual([2]);
    expect(yielded).toHaveLength(1);
  });

  test('a list that never comes to rest is given up, and the message says after how much', async () => {
    let total = 1_000;
    const { error, asked } = await walked([
      (page) => {
        total -= 2;
        return pageOf(uuids(2, `p${total}-`), 1, { page, has_next: true, total_items: total, total_pages: 2 });
      },
    ]);
    expect(asked).toHaveLength(15); // and the first: 3 × 2 pages + 10
    expect((error as Error).message).toContain('16 requests for a list of 2 pages');
  });
});

describe('signals', () => {
  /** The signal that the reads of this walk are given. */
  async function signalOf(signal: AbortSignal | null, during: (given: AbortSignal) => void) {
    let given: AbortSignal | undefined;
    const read = async (page: number, own: AbortSignal) => {
      given = own;
      during(own);
      return pageOf(rows, page);
    };
    const source = { operation: 'rows.list', first: pageOf(rows, 1), startPage: 1, prefetch: 1 };
    let pages = 0;
    for await (const _ of walkPages({ ...source, signal, key: (row: string) => row, read })) {
      pages += 1;
      if (pages === 2) break;
    }
    return given;
  }

  test('leaving the loop ends what is in flight', async () => {
    const given = await signalOf(null, (own) => expect(own.aborted).toBe(false));
    expect(given?.aborted).toBe(true);
  });

  test('a signal that is aborted before the walk reaches its first read, with its reason', async () => {
    await signalOf(AbortSignal.abort('never mind'), (own) => expect(own.reason).toBe('never mind'));
  });

  test('and one that is aborted in the middle', async () => {
    const controller = new AbortController();
    await signalOf(controller.signal, (own) => {
      controller.abort('enough');
      expect(own.reason).toBe('enough');
    });
  });
});
