import { getEventListeners, setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AbortedError } from '../../src/errors/classes.ts';
import { FakeRuntime, TIMEOUT } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { answer, ok, refuse, stall, stallMidBody } from '../support/fault-steps.ts';
import { createdInvoice } from '../support/fixtures/invoices.ts';
import { scaled } from '../support/scaled.ts';
import { API_KEY, clientOf, errorOf, order } from '../support/test-client.ts';

const reason = { why: 'the customer has gone' };

describe('an abort ends the call at every stage, with the reason of the caller', () => {
  it('before it begins: no request', async () => {
    const server = await serve(ok(createdInvoice));
    const error = await errorOf(clientOf(server.url).invoices.create(order, { signal: AbortSignal.abort(reason) }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ kind: 'aborted', code: 'SDK_ABORTED', outcome: 'not_sent', stoppedBy: 'aborted' });
    expect(error).toHaveProperty('reason', reason);
    expect(error.message).toContain("the caller's signal, which was over before this request");
    expect(Object.keys(error)).not.toContain('reason');
    expect(error.attempts).toEqual([]);
    expect(server.requests).toHaveLength(0);
  });

  it('while the key is fetched: no request', async () => {
    const server = await serve(ok(createdInvoice));
    const controller = new AbortController();
    const apiKey = () => {
      setImmediate(() => controller.abort(reason));
      return new Promise<string>(() => {});
    };
    const error = await errorOf(clientOf(server.url, { apiKey }).invoices.create(order, { signal: controller.signal }));
    expect(error).toMatchObject({ kind: 'aborted', outcome: 'not_sent', reason });
    expect(server.requests).toHaveLength(0);
  });

  it('in any of the turns after the call: what was not sent is never sent, also by a fetch that ignores its signal', async () => {
    let requests = 0;
    const client = clientOf('https://pay.example', {
      fetch: async () => {
        requests += 1;
        return Response.json({ success: true, data: [] });
      },
    });
    await client.rates.list(); // the first call waits for ky
    const outcomes = new Set<string>();
    for (let turns = 0; turns < 30; turns += 1) {
      requests = 0;
      const controller = new AbortController();
      const error = errorOf(client.invoices.create(order, { signal: controller.signal, retry: false }));
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      controller.abort(reason);
      const { outcome } = await error;
      await new Promise(setImmediate);
      expect([turns, requests]).toEqual([turns, outcome === 'not_sent' ? 0 : 1]);
      outcomes.add(outcome);
    }
    expect([...outcomes]).toEqual(['not_sent', 'unknown']);
  });

  it('while fetch is at work and ignores its signal', async () => {
    const controller = new AbortController();
    const fetch = () => {
      setImmediate(() => controller.abort(reason));
      return new Promise<Response>(() => {});
    };
    const client = clientOf('https://pay.example', { fetch });
    const error = await errorOf(client.invoices.create(order, { signal: controller.signal }));
    expect(error).toMatchObject({ kind: 'aborted', outcome: 'unknown', reason });
  });

  it.each<[string, (reached: () => void) => Step]>([
    ['before the headers', stall],
    ['in the body of a 200', (reached) => stallMidBody(reached, 200)],
    ['in the body of a 400', (reached) => stallMidBody(reached, 400)],
    ['in the body of a 503', (reached) => stallMidBody(reached, 503)],
  ])('%s: one request, whose outcome is unknown', async (_name, step) => {
    const controller = new AbortController();
    const server = await serve(step(() => controller.abort(reason)));
    const error = await errorOf(clientOf(server.url).invoices.create(order, { signal: controller.signal }));
    expect(error).toMatchObject({ kind: 'aborted', outcome: 'unknown', stoppedBy: 'aborted', reason });
    expect(error.attempts).toEqual([{ code: 'SDK_ABORTED', status: null, outcome: 'unknown' }]);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [503, 'unknown'],
    [429, 'rejected'],
  ])('in the wait after a %i: the timer is taken back', async (status, outcome) => {
    const controller = new AbortController();
    const runtime = new FakeRuntime();
    let running = 0;
    runtime.timer = (milliseconds, callback) => {
      if (milliseconds === TIMEOUT) return FakeRuntime.prototype.timer.call(runtime, milliseconds, callback);
      running += 1;
      setImmediate(() => controller.abort(reason)); // the wait itself would never end
      return () => {
        running -= 1;
      };
    };
    const server = await serve(answer(status, ''));
    const call = clientOf(server.url, { runtime }).invoices.create(order, { signal: controller.signal });
    expect(await errorOf(call)).toMatchObject({ kind: 'aborted', outcome, reason });
    expect(server.requests).toHaveLength(1);
    expect([running, getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0]);
  });

  it('in the wait for a rate limit that another call met: nothing was sent', async () => {
    const controller = new AbortController();
    const runtime = new FakeRuntime();
    const server = await serve(refuse(429, null, undefined, { 'retry-after': '9' }));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list({}, { retry: false }));
    runtime.onWait = () => setImmediate(() => controller.abort(reason));
    const error = await errorOf(client.invoices.get('order-1042', { signal: controller.signal }));
    expect(error).toMatchObject({ kind: 'aborted', outcome: 'not_sent' });
    expect(server.requests).toHaveLength(1);
  });

  it.each([['a word'], [new TypeError('mine')], [undefined], [0]])('a reason of any kind: %s', async (given) => {
    const controller = new AbortController();
    controller.abort(given);
    const error = await errorOf(clientOf('https://pay.example').rates.list({}, { signal: controller.signal }));
    expect(error).toHaveProperty('reason', controller.signal.reason);
  });

  it('a signal that times out is an abort of the caller', async () => {
    const server = await serve(stall());
    const error = await errorOf(clientOf(server.url).rates.list({}, { signal: AbortSignal.timeout(20) }));
    expect(error).toMatchObject({ kind: 'aborted' });
    expect(error).toHaveProperty('reason.name', 'TimeoutError');
  });
});

describe('nothing is left behind', () => {
  it('a response that comes too late is let go', async () => {
    const controller = new AbortController();
    let canceled = false;
    let answerNow: (response: Response) => void = () => {};
    const client = clientOf('https://pay.example', {
      fetch: () => {
        setImmediate(() => controller.abort(reason));
        return new Promise((resolve) => {
          answerNow = resolve;
        });
      },
    });
    await errorOf(client.rates.list({}, { signal: controller.signal }));
    const body = new ReadableStream({
      cancel() {
        canceled = true;
      },
    });
    answerNow(new Response(body));
    await new Promise((resolve) => setImmediate(resolve));
    expect(canceled).toBe(true);
  });

  const MANY = 50 * scaled(30);
  it(`no listener and no timer of ${MANY} calls on one signal`, async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    const { signal } = new AbortController();
    setMaxListeners(0, signal); // Node 22.12 still warns at the eleventh listener of a signal, whoever adds it
    const runtime = new FakeRuntime();
    const server = await serve(answer(503, ''), refuse(404, null), ok([]));
    const client = clientOf(server.url, { runtime, apiKey: async () => API_KEY });
    for (let begun = 0; begun < MANY; begun += 50) {
      await Promise.allSettled(Array.from({ length: 50 }, () => client.rates.list({}, { signal })));
    }
    expect(server.requests.length).toBeGreaterThanOrEqual(MANY);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(runtime.pending).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});
