import { describe, expect, it } from 'vitest';
import { fakeCall, fakeError, fakeInvoice, fakeListCall, fakePage } from '../../src/testing/index.ts';

async function collected<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of iterable) items.push(item);
  return items;
}

describe('fakeCall', () => {
  it('is a promise of its value, with both views', async () => {
    const invoice = fakeInvoice();
    const call = fakeCall(invoice, { requestId: 'r-1', headers: { date: 'today' }, raw: '{}' });
    expect(await call).toBe(invoice);
    expect(await call.result()).toEqual({ ok: true, value: invoice });
    const { data, response } = await call.withResponse();
    expect(data).toBe(invoice);
    expect(response).toMatchObject({
      status: 200,
      requestId: 'r-1',
      attempts: 1,
      durationMs: 0,
      recovered: false,
      raw: '{}',
    });
    expect(response.headers.get('date')).toBe('today');
  });

  it('rejects with an error of the package, and its result holds it', async () => {
    const error = fakeError('SDK_HTTP_404');
    const call = fakeCall(error);
    await expect(call).rejects.toBe(error);
    await expect(call.withResponse()).rejects.toBe(error);
    expect(await call.result()).toEqual({ ok: false, error });
  });

  it('is no unhandled rejection while a mock holds it', async () => {
    const seen: unknown[] = [];
    const listener = (reason: unknown): void => void seen.push(reason);
    process.on('unhandledRejection', listener);
    const held = [fakeCall(fakeError('SDK_TLS')), fakeListCall(fakeError('SDK_TLS'))];
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    process.off('unhandledRejection', listener);
    expect([held.length, seen]).toEqual([2, []]);
  });

  it('refuses an unknown member of the response', () => {
    expect(() => fakeCall(1, { requestID: 'r' } as object)).toThrow('response has no "requestID"');
  });
});

describe('fakeListCall', () => {
  const items = Array.from({ length: 5 }, () => fakeInvoice());

  it('is one page, all items, all pages, and the first items', async () => {
    const call = fakeListCall(items, { per_page: 2, page: 2 });
    expect(await call).toEqual({
      items: items.slice(2, 4),
      page: 2,
      per_page: 2,
      total_items: 5,
      total_pages: 3,
      has_next: true,
      has_prev: true,
    });
    const all = await collected(fakeListCall(items, { per_page: 2 }));
    expect(all).toEqual(items);
    const pages = await collected(call.pages());
    expect(pages.map(({ page, items: { length } }) => [page, length])).toEqual([
      [2, 2],
      [3, 1],
    ]);
    expect(await fakeListCall(items, { per_page: 2 }).collect({ limit: 3 })).toEqual(items.slice(0, 3));
    await expect(call.collect({} as never)).rejects.toThrow('collect needs a limit');
  });

  it('may be empty, may repeat a row, and is a copy of the list', async () => {
    expect(await fakeListCall([])).toMatchObject({ items: [], total_items: 0, has_next: false });
    const list = [...items];
    const call = fakeListCall(list, { per_page: 2 });
    list.length = 0;
    expect((await collected(call)).length).toBe(5);
  });

  it('rejects each view with an error', async () => {
    const error = fakeError('SDK_HTTP_503');
    const call = fakeListCall(error);
    await expect(call).rejects.toBe(error);
    await expect(collected(call)).rejects.toBe(error);
    expect(await call.result()).toEqual({ ok: false, error });
  });

  it.each<[object, RegExp]>([
    [{ perPage: 2 }, /no "perPage"/],
    [{ page: 0 }, /page must be a whole number from 1/],
    [{ per_page: 101 }, /per_page must be a whole number from 1 to 100/],
  ])('refuses %o', (options, message) => {
    expect(() => fakeListCall(items, options)).toThrow(message);
  });

  it('cuts pages as fakePage does', () => {
    expect(fakePage([1], { page: 3, per_page: 1, total_items: 4 })).toMatchObject({ total_pages: 4, has_next: true });
    expect(fakePage([1, 2])).toMatchObject({
      page: 1,
      total_items: 2,
      total_pages: 1,
      has_next: false,
      has_prev: false,
    });
    expect(() => fakePage([], { perPage: 1 } as object)).toThrow('no "perPage"');
  });
});
