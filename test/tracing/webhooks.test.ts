import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { recordTraces } from '../support/trace-recorder.ts';
import { canceledBody, deferred, endpoint, paidBody, request, send } from '../webhooks/endpoint.ts';
import { settle } from '../webhooks/manual-clock.ts';
import { SECRET, UUID } from '../webhooks/vectors.ts';

const KEY = `${UUID}:paid`;

describe('a delivery under a tracer', () => {
  test('is a trace with its order, its key and how it ended', async () => {
    const traces = recordTraces();
    const place = endpoint();
    await send(place);
    await send(place, paidBody, 'dlv_2');
    const facts = { source: 'webhook', externalId: 'order-1042', type: 'invoice.paid', key: KEY, status: 200 };
    expect(traces.map(({ channel, context }) => ({ channel, ...context }))).toEqual([
      { channel: 'webhook', ...facts, deliveryId: 'dlv_1', verdict: 'done' },
      { channel: 'webhook', ...facts, deliveryId: 'dlv_2', verdict: 'duplicate' },
    ]);
    for (const { steps } of traces) expect(steps).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
  });

  test('is the parent of what the function does', async () => {
    const traces = recordTraces('webhook');
    const inside: unknown[] = [];
    const place = endpoint({
      onPaid: async () => {
        await null;
        inside.push(recordTraces('call').length);
        inside.push(traces.length);
      },
    });
    await send(place);
    expect(inside).toEqual([0, 1]);
  });

  test.each<[string, unknown, object]>([
    [
      'a signature that does not match',
      { ...paidBody, amount: '26.00' },
      { verdict: 'signature_mismatch', status: 401 },
    ],
  ])('with %s is no error of the receiver, and names no order', async (_name, body, end) => {
    const traces = recordTraces();
    const place = endpoint();
    const genuine = await request(place.clock);
    await place.handler.handle({ ...genuine, body: Buffer.from(JSON.stringify(body)) });
    expect(traces).toMatchObject([{ context: { externalId: null, type: null, key: null, ...end } }]);
    expect(traces[0]?.steps).not.toContain('error');
  });

  test('whose function throws is an error, without anything of what was thrown', async () => {
    const traces = recordTraces();
    const place = endpoint({
      onPaid: () => {
        throw new Error('customer 7 has moved');
      },
    });
    await send(place);
    expect(traces).toMatchObject([
      {
        context: {
          verdict: 'handler_failed',
          status: 500,
          externalId: 'order-1042',
          error: { message: 'handler_failed' },
        },
      },
    ]);
    expect(traces[0]?.steps).toContain('error');
    expect(inspect(traces, { depth: 9, showHidden: true })).not.toMatch(/customer 7|26\.91/);
    expect(inspect(traces, { depth: 9 })).not.toContain(SECRET);
  });

  test('that takes too long ends at the time limit', async () => {
    const traces = recordTraces();
    const { promise, resolve } = deferred();
    const place = endpoint({ onPaid: () => promise });
    const reply = send(place);
    await settle();
    expect(traces[0]?.steps).toEqual(['start', 'end']);
    place.clock.advance(12_000);
    expect((await reply).status).toBe(503);
    expect(traces).toMatchObject([{ context: { verdict: 'time_limit', status: 503, externalId: 'order-1042' } }]);
    resolve();
    await settle();
    expect(traces).toHaveLength(1);
  });

  test('of a cancelled order has its type', async () => {
    const traces = recordTraces();
    await send(endpoint(), canceledBody);
    expect(traces).toMatchObject([{ context: { type: 'invoice.canceled', verdict: 'done' } }]);
  });
});
