import { describe, expect, test, vi } from 'vitest';

// Platforms and hosts with other channels than Node's. Each test loads the module anew, because it looks the channels up
// once.

interface FakeChannel {
  hasSubscribers?: unknown;
  publish(context: object): void;
  runStores(context: object, work: () => unknown): unknown;
}
const STEPS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;

/** A channel that notes what is published. */
function fakeTracing(change: Partial<FakeChannel> = {}, members: object = {}) {
  const published: string[] = [];
  const step = (name: string): FakeChannel => ({
    publish: () => void published.push(name),
    runStores(_context, work) {
      published.push(name);
      return work();
    },
    ...change,
  });
  return { published, tracing: { ...Object.fromEntries(STEPS.map((name) => [name, step(name)])), ...members } };
}

async function tracingUnder(process: unknown): Promise<typeof import('../../src/tracing.ts')> {
  vi.resetModules();
  vi.stubGlobal('process', process);
  try {
    const module = await import('../../src/tracing.ts');
    module.heard('call'); // looks the channel up
    return module;
  } finally {
    vi.unstubAllGlobals();
  }
}

const under = (diagnostics: unknown) => tracingUnder({ getBuiltinModule: () => diagnostics });
const given = (tracing: unknown) => under({ tracingChannel: () => tracing });

describe('nobody is heard', () => {
  test.each<[string, unknown]>([
    ['without a process', undefined],
    ['without getBuiltinModule', {}],
    ['where the module does not exist', { getBuiltinModule: () => undefined }],
    ['where it cannot be asked for', { getBuiltinModule: () => fail() }],
    ['where the module has no tracing channels', { getBuiltinModule: () => ({}) }],
    ['where a channel cannot be made', { getBuiltinModule: () => ({ tracingChannel: fail }) }],
    ['where the process may not be read', new Proxy({}, { get: fail })],
  ])('%s', async (_name, process) => {
    expect((await tracingUnder(process)).heard('call')).toBeNull();
  });

  test('where the host throws, and it is asked once', async () => {
    let asked = 0;
    const getBuiltinModule = () => {
      asked += 1;
      return fail();
    };
    vi.resetModules();
    vi.stubGlobal('process', { getBuiltinModule });
    const { heard } = await import('../../src/tracing.ts');
    const answers = [heard('call'), heard('call')];
    vi.unstubAllGlobals();
    expect([...answers, asked]).toEqual([null, null, 1]);
  });

  test.each<[string, object]>([
    ['a boolean', { hasSubscribers: false }],
    ['a method, as in workerd', { hasSubscribers: () => false }],
    ['nothing at all, as in Bun', {}],
    ['a getter that throws', Object.defineProperty({}, 'hasSubscribers', { get: fail, enumerable: true })],
  ])('where a channel says so by %s', async (_name, members) => {
    const tracing = Object.create(fakeTracing().tracing, Object.getOwnPropertyDescriptors(members));
    expect((await given(tracing)).heard('call')).toBeNull();
  });
});

describe('a subscriber is heard', () => {
  test.each<[string, Partial<FakeChannel>, object]>([
    ['by a boolean', {}, { hasSubscribers: true }],
    ['by a method, as in workerd', {}, { hasSubscribers: () => true }],
    ['by one of the five channels, as in Bun', { hasSubscribers: true }, {}],
  ])('%s', async (_name, change, members) => {
    const { published, tracing } = fakeTracing(change, members);
    const { heard, traced } = await given(tracing);
    const channel = heard('call');
    if (channel === null) return expect.fail('not heard');
    expect(await traced(channel, {}, async () => 'data')).toBe('data');
    expect(published).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
  });
});

describe('the work is done once, and its result comes back', () => {
  test.each<[string, Partial<FakeChannel>]>([
    ['where channels throw', { publish: fail, runStores: fail }],
    ['where a channel does not run the work', { runStores: () => undefined }],
    [
      'where a channel runs the work twice',
      {
        runStores(_context, work) {
          work();
          return work();
        },
      },
    ],
    [
      'where a channel runs the work and throws',
      {
        runStores(_context, work) {
          work();
          return fail();
        },
      },
    ],
    ['where a channel has no methods', { publish: undefined as never, runStores: undefined as never }],
  ])('%s', async (_name, change) => {
    const { heard, traced } = await given(fakeTracing(change, { hasSubscribers: true }).tracing);
    const channel = heard('call');
    if (channel === null) return expect.fail('not heard');
    let done = 0;
    const work = async (): Promise<string> => {
      done += 1;
      return 'data';
    };
    expect(await traced(channel, {}, work)).toBe('data');
    expect(done).toBe(1);
    const mine = new Error('mine');
    await expect(traced(channel, { error: mine }, () => Promise.reject(mine))).rejects.toBe(mine);
  });
});

function fail(): never {
  throw new Error('the host refuses');
}
