import { describe, expect, it } from 'vitest';
import type { MerchantClient } from '../../src/client.ts';
import { START } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { ok, onceRead, refuse, stall, stallMidBody } from '../support/fault-steps.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

/** A clock that moves only by hand; timers are kept with the time at which they are due. */
class HandClock {
  time = START;
  readonly #timers = new Map<() => void, number>();

  now = (): number => this.time;
  monotonic = (): number => this.time;
  random = (): number => 0.5;
  timer = (milliseconds: number, callback: () => void): (() => void) => {
    this.#timers.set(callback, this.time + milliseconds);
    return () => this.#timers.delete(callback);
  };

  advance(milliseconds: number): void {
    this.time += milliseconds;
    for (const [callback, due] of this.#timers) {
      if (due > this.time) continue;
      this.#timers.delete(callback);
      callback();
    }
  }
}

const create = (client: MerchantClient) => client.invoices.create(order);

/** A step, and what happens once the client has read its response. */
const then = (step: Step, run: () => void): Step => ({
  play(exchange) {
    step.play(exchange);
    onceRead(run);
  },
});

describe('the deadline of a call', () => {
  const ONLY = [{ code: 'SDK_DEADLINE', status: null, outcome: 'unknown' }];
  const LIMITED = { code: 'SLOW_DOWN', status: 429, outcome: 'rejected' };
  const REFUSED = { code: 'SDK_HTTP_503', status: 503, outcome: 'unknown' };

  it.each<[string, (pass: (milliseconds: number) => () => void) => Step[], object]>([
    [
      'in the first attempt: a TimeoutError of its own code',
      (pass) => [stall(pass(8_000))],
      { kind: 'timeout', code: 'SDK_DEADLINE', message: expect.stringContaining('8000 ms'), attempts: ONLY },
    ],
    [
      'in the body of a response: the same',
      (pass) => [stallMidBody(pass(8_000))],
      { kind: 'timeout', code: 'SDK_DEADLINE', attempts: ONLY },
    ],
    [
      'in the body of an error response: the error response',
      (pass) => [stallMidBody(pass(8_000), 503, '<h1>Unavail')],
      { kind: 'server', status: 503, raw: '<h1>Unavail', attempts: [REFUSED] },
    ],
    [
      'in a later attempt: the last real failure, with the outcome of all of them',
      (pass) => [then(refuse(429, 'SLOW_DOWN'), pass(600)), stall(pass(8_000))], // the wait of the 429
      { kind: 'rate_limit', code: 'SLOW_DOWN', attempts: [LIMITED, ...ONLY] },
    ],
    [
      'in a wait that came back late: no attempt is made of it',
      (pass) => [then(refuse(503, null), pass(9_000)), ok([])],
      { kind: 'server', status: 503, attempts: [REFUSED] },
    ],
  ])('%s', async (_name, script, expected) => {
    const clock = new HandClock();
    const server = await serve(...script((milliseconds) => () => clock.advance(milliseconds)));
    const error = await errorOf(create(clientOf(server.url, { runtime: clock, deadline: 8_000 })));
    expect(error).toMatchObject({ ...expected, outcome: 'unknown', stoppedBy: 'deadline' });
    expect(server.requests).toHaveLength(error.attempts.length);
  });

  it('an attempt ends at its timeout while the deadline is further away', async () => {
    const clock = new HandClock();
    const server = await serve(stall(() => clock.advance(10_000)));
    const call = clientOf(server.url, { runtime: clock, deadline: 25_000, retry: false }).rates.list();
    expect(await errorOf(call)).toMatchObject({ code: 'SDK_ATTEMPT_TIMEOUT', stoppedBy: 'attempts' });
  });

  it('of a call overrides that of the client', async () => {
    const clock = new HandClock();
    const server = await serve(stall(() => clock.advance(3_000)));
    const client = clientOf(server.url, { runtime: clock });
    expect(await errorOf(client.rates.list({}, { deadline: 3_000 }))).toMatchObject({ code: 'SDK_DEADLINE' });
    const once = { timeout: 3_000, retry: false } as const;
    expect(await errorOf(client.rates.list({}, once))).toMatchObject({ code: 'SDK_ATTEMPT_TIMEOUT' });
  });

  it('covers a key function that hangs', async () => {
    const clock = new HandClock();
    const server = await serve(ok([]));
    const apiKey = () => {
      setImmediate(() => clock.advance(2_000));
      return new Promise<string>(() => {});
    };
    const call = create(clientOf(server.url, { runtime: clock, apiKey, deadline: 2_000 }));
    expect(await errorOf(call)).toMatchObject({ code: 'SDK_DEADLINE', outcome: 'not_sent' });
    expect(server.requests).toHaveLength(0);
  });
});
