import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serve } from './support/fault-server.ts';
import { refuse } from './support/fault-steps.ts';
import { clientOf } from './support/test-client.ts';

const unhandled: unknown[] = [];
const onUnhandled = (error: unknown) => void unhandled.push(error);
let before: NodeJS.UnhandledRejectionListener[] = [];

beforeEach(() => {
  unhandled.length = 0;
  before = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection'); // the runner's own would fail the test that provokes one
  process.on('unhandledRejection', onUnhandled);
});
afterEach(() => {
  process.removeAllListeners('unhandledRejection');
  for (const listener of before) process.on('unhandledRejection', listener);
});

/** Time for a loopback answer, and for the platform to find that nobody listens. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 60));

/** One unhandled rejection, however long the response takes, and no second one after it. */
async function expectOne(): Promise<void> {
  await vi.waitFor(() => expect(unhandled).not.toEqual([]), { timeout: 30_000 });
  await settle();
  expect(unhandled).toHaveLength(1);
}

async function failing() {
  return clientOf((await serve(refuse(404, 'NO_SUCH_INVOICE'))).url);
}

describe('unhandled rejections', () => {
  it('a call that nobody consumes rejects unhandled, once', async () => {
    void (await failing()).invoices.get('a');
    await expectOne();
  });

  it.each<[string, (call: ReturnType<Awaited<ReturnType<typeof failing>>['invoices']['list']>) => unknown]>([
    ['await', (call) => call.catch(() => {})],
    ['withResponse', (call) => call.withResponse().catch(() => {})],
    ['result', (call) => call.result()],
    [
      'iteration',
      async (call) => {
        try {
          for await (const _ of call) break;
        } catch {}
      },
    ],
    [
      'pages',
      (call) =>
        call
          .pages()
          .next()
          .catch(() => {}),
    ],
    ['collect', (call) => call.collect({ limit: 1 }).catch(() => {})],
  ])('a call consumed by %s alone rejects nowhere else', async (_name, consume) => {
    await consume((await failing()).invoices.list());
    await settle();
    expect(unhandled).toEqual([]);
  });

  it('withResponse that nobody consumes rejects unhandled, once', async () => {
    void (await failing()).invoices.get('a').withResponse();
    await expectOne();
  });

  it('an abort, a deadline and a stalled key leave none', async () => {
    const client = await failing();
    const controller = new AbortController();
    const call = client.invoices.get('a', { signal: controller.signal });
    controller.abort();
    expect(await call.result()).toMatchObject({ ok: false, error: { kind: 'aborted' } });
    await settle();
    expect(unhandled).toEqual([]);
  });
});
