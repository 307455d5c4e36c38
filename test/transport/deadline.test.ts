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

describe('the deadline of a call', () => {
  it('in the first attempt: a TimeoutError of its own code', async () => {
    const clock = new HandClock();
    const server = await serve(stall(() => clock.advance(8_000)));
    const error = await errorOf(create(clientOf(server.url, { runtime: clock, deadline: 8_000 })));
    expect(error).toMatchObject({ kind: 'timeout', code: 'SDK_DEADLINE', outcome: 'unknown', stoppedBy: 'deadline' });
    expect(error.message).toContain('8000 ms');
    expect(error.attempts).toEqual([{ code: 'SDK_DEADLINE', status: null, outcome: 'unknown' }]);
  });

  it('in the body of a response', async () => {
    const clock = new HandClock();
    const server = await serve(stallMidBody(() => clock.advance(8_000)));
    const error = await errorOf(create(clientOf(server.url, { runtime: clock, deadline: 8_000 })));
    expect(error).toMatchObject({ code: 'SDK_DEADLINE', outcome: 'unknown', stoppedBy: 'deadline' });
  });

  it('in the body of a refusal: the refusal', async () => {
    const clock = new HandClock();
    const server = await serve(stallMidBody(() => clock.advance(8_000), 503, '<h1>Unavail'));
    const error = await errorOf(create(clientOf(server.url, { runtime: clock, deadline: 8_000 })));
    expect(error).toMatchObject({ kind: 'server', status: 503, raw: '<h1>Unavail', stoppedBy: 'deadline' });
  });

  it('in a later attempt: the last real failure, with the outcome of all of them', async () => {
    const clock = new HandClock();
    const limited: Step = {
      play(exchange) {
        refuse(429, 'SLOW_DOWN').play(exchange);
        onceRead(() => clock.advance(600)); // the wait of the 429
      },
    };
    const server = await serve(
      limited,
      stall(() => clock.advance(8_000)),
    );
    const error = await errorOf(create(clientOf(server.url, { runtime: clock, deadline: 8_000 })));
    expect(error).toMatchObject({ kind: 'rate_limit', code: 'SLOW_DOWN', outcome: 'unknown', stoppedBy: 'deadline' });
    expect(error.attempts.map(({ code }) => code)).toEqual(['SLOW_DOWN', 'SDK_DEADLINE']);
  });

  it('in a wait that came back late: no attempt is made of it', async () => {
    const clock = new HandClock();
    const unavailable: Step = {
      play(exchange) {
        refuse(503, null).play(exchange);
        onceRead(() => clock.advance(9_000));
      },
    };
    const server = await serve(unavailable, ok([]));
    const error = await errorOf(create(clientOf(server.url, { runtime: clock, deadline: 8_000 })));
    expect(error).toMatchObject({ kind: 'server', status: 503, stoppedBy: 'deadline' });
    expect(error.attempts).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
  });

  it('cuts the last attempt short; before, the attempt has its own limit', async () => {
    const clock = new HandClock();
    const server = await serve(stall(() => clock.advance(10_000)));
    const call = clientOf(server.url, { runtime: clock, deadline: 25_000, retry: false }).rates.list();
    expect(await errorOf(call)).toMatchObject({ code: 'SDK_ATTEMPT_TIMEOUT', stoppedBy: 'attempts' });
  });

  it('of a call goes before that of the client', async () => {
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
