import { describe, expect, it } from 'vitest';
import { type DriftEvent, MerchantClient, type MerchantClientOptions } from '../../../src/index.ts';
import { DialectWatch } from '../../../src/transport/drift/dialect-watch.ts';

// A client with a function as onDrift only observes. What the comparison cannot do must not change a call.

const dialect = {
  merchantInvoicingDialect: 1,
  package: '0.1.0',
  points: { withdrawalStatus: { value: 'status', seen: 1, at: [] } },
};

/** JSON that no text can be made of. */
const TEXTLESS = { toString: 1, valueOf: 1 };

function clientOf(answer: unknown, headers: object, more: Partial<MerchantClientOptions> = {}) {
  const text = JSON.stringify(answer);
  const requests: unknown[] = [];
  const fetch = async (url: unknown) => {
    requests.push(url);
    return { status: 200, headers, body: new Response(text).body };
  };
  const options = { baseUrl: 'https://pay.test', apiKey: 'sk_live', retry: false, onDrift: () => {}, fetch, ...more };
  return { merchant: new MerchantClient(options as unknown as MerchantClientOptions), requests }; // a fake
}

describe('a client with a dialect file and a function as onDrift', () => {
  const row = { uuid: '0b0e9c1e-6a1b-4a55-8f5e-6d2f9f9f0a01', status: TEXTLESS };
  const page = {
    items: [row],
    page: 1,
    per_page: 20,
    total_items: 1,
    total_pages: 1,
    has_next: false,
    has_prev: false,
  };

  it.each([
    ['a status without text', { success: true, data: page }, new Headers()],
    [
      'headers that only have get',
      { success: true, data: { ...page, items: [], total_items: 0 } },
      { get: () => null },
    ],
  ])('answers as a client without the file: %s', async (_, answer, headers) => {
    const outcomes = [{ dialect }, {}].map(async (more) => {
      const { merchant, requests } = clientOf(answer, headers, more);
      const result = await merchant.withdrawals.list({ status: 'approved' }).result();
      return { result: result.ok ? result.value : [result.error.code, result.error.message], requests };
    });
    const [watched, plain] = await Promise.all(outcomes);
    expect(watched).toEqual(plain);
  });

  it('does not compare an answer of a size that would block the process', async () => {
    const events: DriftEvent[] = [];
    const onDrift = (event: DriftEvent) => events.push(event);
    const compared = { ...dialect, points: { dateHeader: { value: 'present', seen: 1, at: [] } } };
    for (const filler of ['x'.repeat(300_000), 'x']) {
      const { merchant } = clientOf({ success: true, data: [], filler }, new Headers(), { dialect: compared, onDrift });
      await expect(merchant.rates.list()).resolves.toEqual([]);
      expect(events.filter(({ kind }) => kind === 'other_dialect')).toHaveLength(filler === 'x' ? 1 : 0);
    }
  });
});

describe('a comparison whose rules cannot be loaded', () => {
  type Call = Parameters<DialectWatch['judged']>[0];
  const timer = (_: number, run: () => void) => {
    expire = run;
    return () => {};
  };
  let expire = (): void => {};
  const callOf = (signal: AbortSignal | null, deadlineAt = 20): Call =>
    ({
      endpoint: { operation: 'rates.list' },
      timeout: 10,
      deadlineAt,
      signal,
      client: { runtime: { monotonic: () => 0, timer } },
    }) as unknown as Call; // the parts that waiting needs
  const call = callOf(null);
  const success = { value: 'done', answer: {} } as never;

  it('lets the call continue where it only observes', async () => {
    const watch = new DialectWatch(() => Promise.reject(new Error('chunk')), false);
    await expect(watch.judged(call, null, async () => success)).resolves.toBe(success);
  });

  it("refuses the call with onDrift: 'throw', and loads again with the next", async () => {
    let loads = 0;
    const load = async () => {
      loads += 1;
      if (loads === 1) throw new Error('chunk');
      return () => [];
    };
    const watch = new DialectWatch(load, true);
    await expect(watch.judged(call, null, async () => success)).rejects.toMatchObject({ code: 'SDK_CONFIGURATION' });
    await expect(watch.judged(call, null, async () => success)).resolves.toBe(success);
  });

  it.each([false, true])('does not hold a call that its caller aborts, strict: %s', async (isStrict) => {
    const controller = new AbortController();
    const watch = new DialectWatch(() => new Promise(() => {}), isStrict);
    const judged = watch.judged(callOf(controller.signal), null, async () => success);
    controller.abort();
    await expect(judged).resolves.toBe(success); // the work says that it was aborted
  });

  it.each([
    ['its deadline', 5, true],
    ['the time of an attempt, where it only observes', 20, false],
  ])('does not hold a call for longer than %s', async (_, deadlineAt, isStrict) => {
    const watch = new DialectWatch(() => new Promise(() => {}), isStrict);
    const judged = watch.judged(callOf(null, deadlineAt), null, async () => success);
    expire();
    await expect(judged).resolves.toBe(success);
  });
});
