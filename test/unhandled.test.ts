import { afterEach, beforeEach, expect, it } from 'vitest';
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

const fetch = async () => new Response('', { status: 404 });
const { invoices, rates } = clientOf('https://pay.example', { fetch });
type List = ReturnType<typeof invoices.list>;

/** The rejections that nobody has handled once nothing is left to do. */
async function settled(): Promise<readonly unknown[]> {
  await rates.list().result(); // the first call of a process waits for ky
  for (let turns = 50; turns > 0; turns -= 1) await new Promise(setImmediate);
  return unhandled;
}

it('a call that nobody consumes rejects unhandled, once', async () => {
  void invoices.get('a');
  expect(await settled()).toHaveLength(1);
});

it('withResponse that nobody consumes rejects unhandled, once', async () => {
  void invoices.get('a').withResponse();
  expect(await settled()).toHaveLength(1);
});

async function iterate(call: List): Promise<void> {
  for await (const { uuid } of call) throw new Error(`never: ${uuid}`);
}

it.each<[string, (call: List) => Promise<unknown>]>([
  ['await', async (call) => await call],
  ['withResponse', (call) => call.withResponse()],
  ['result', (call) => call.result()],
  ['iteration', iterate],
  ['pages', (call) => call.pages().next()],
  ['collect', (call) => call.collect({ limit: 1 })],
])('a call consumed by %s alone rejects nowhere else', async (_name, consume) => {
  await consume(invoices.list()).catch(() => {});
  expect(await settled()).toEqual([]);
});

it('an abort leaves no unhandled rejection', async () => {
  const controller = new AbortController();
  const call = invoices.get('a', { signal: controller.signal });
  controller.abort();
  expect(await call.result()).toMatchObject({ ok: false, error: { kind: 'aborted' } });
  expect(await settled()).toEqual([]);
});
