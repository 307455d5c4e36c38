import { describe, expect, it } from 'vitest';
import { listDeliveries, resendWebhook } from '../../src/contract/deliveries.ts';
import * as wire from '../support/fixtures/deliveries.ts';
import { changed, decoded, refused, without } from './mutation.ts';

const [FIRST, SECOND] = ['9482f7a5-08dc-4796-82e3-a6b5c3d3e7f8', 'a59308b6-19ed-48a7-93f4-b7c6d4e4f809'];

const first = (record: unknown) => {
  const [delivery] = decoded(listDeliveries.data, [record]);
  if (delivery === undefined) throw new Error('no delivery');
  return delivery;
};

function renamed(from: string, to: string, record: Record<string, unknown> = wire.deliveredRecord): unknown {
  const { [from]: value, ...rest } = record;
  return { ...rest, [to]: value };
}

describe('a delivery record', () => {
  it('is decoded with its attempt log', () => {
    expect(first(wire.deliveredRecord)).toMatchObject({
      id: FIRST,
      event_type: 'invoice.paid',
      status: 'delivered',
      attempts: 3,
      max_attempts: 7,
      last_http_status: 204,
      next_retry_at: null,
      delivered_at: new Date('2026-01-31T09:47:13.000Z'),
      attempt_log: [
        {
          status_code: 503,
          success: false,
          error: 'HTTP 503',
          duration_ms: 182,
          triggered_by: 'schedule',
          created_at: new Date('2026-01-31T09:41:13.000Z'),
        },
        { status_code: null, success: false, error: 'connection error', duration_ms: 15000 },
        { status_code: 204, success: true, error: null, duration_ms: 41, triggered_by: 'manual' },
      ],
    });
  });

  // The forms of the table in src/contract/deliveries.ts, each with an example.
  it.each<[string, unknown, readonly string[]]>([
    ['a list', wire.deliveries, [FIRST, SECOND]],
    ['a page', wire.deliveryPage, [FIRST, SECOND]],
    ...['deliveries', 'webhooks', 'webhook_deliveries', 'results', 'data'].map((name): [string, unknown, string[]] => [
      `a list under "${name}"`,
      { [name]: wire.deliveries },
      [FIRST, SECOND],
    ]),
    ['a list beside the invoice', { invoice: { uuid: 'i' }, webhooks: [wire.deliveredRecord] }, [FIRST]],
    ['a list inside the invoice', { uuid: 'i', status: 'success', webhooks: [wire.deliveredRecord] }, [FIRST]],
    ['one record', wire.deliveredRecord, [FIRST]],
    ['one record under its name', { delivery: wire.deliveredRecord }, [FIRST]],
    ['rows under their name', [{ webhook: wire.deliveredRecord }], [FIRST]],
    ['null', null, []],
    ['an empty list', [], []],
    ['an empty object', {}, []],
    ['a page of null', { items: null }, []],
  ])('is read from %s', (_form, payload, ids) => {
    expect(decoded(listDeliveries.data, payload).map(({ id }) => id)).toEqual(ids);
  });

  it.each([['text'], [5], [{ delivery: 1 }], [{ uuid: 'x' }], [{ status: 'failed' }], [[null]], [['x']]])(
    'is refused when the payload is %j',
    (payload) => {
      expect(refused(listDeliveries.data, payload).length).toBeGreaterThan(0);
    },
  );

  it.each<[string, string, unknown]>([
    ['delivery_id', 'id', FIRST],
    ['delivery_id', 'webhook_delivery_id', FIRST],
    ['delivery_id', 'x_webhook_id', FIRST],
    ['delivery_id', 'webhook_id', FIRST],
    ['delivery_id', 'uuid', FIRST],
    ['event_type', 'event', 'invoice.paid'],
    ['event_type', 'type', 'invoice.paid'],
    ['event_type', 'event_name', 'invoice.paid'],
    ['status', 'state', 'delivered'],
    ['status', 'delivery_status', 'delivered'],
    ['attempts', 'attempts_made', 3],
    ['attempts', 'attempt_count', 3],
    ['attempts', 'attempts_count', 3],
    ['last_http_status', 'last_status_code', 204],
    ['last_http_status', 'last_http_status_code', 204],
    ['last_http_status', 'http_status', 204],
    ['delivered_at', 'delivered_time', new Date('2026-01-31T09:47:13.000Z')],
    ['delivered_at', 'received_at', new Date('2026-01-31T09:47:13.000Z')],
    ...['next_retry_time', 'next_retry', 'next_attempt_at'].map((name): [string, string, unknown] => [
      'next_retry_at',
      name,
      null,
    ]),
    ...['attempts', 'attempt_logs', 'attempts_log', 'attempt_history', 'log', 'history'].map(
      (name): [string, string, unknown] => ['attempt_log', name, expect.objectContaining({ length: 3 })],
    ),
  ])('may have its %s as %s', (name, wireName, value) => {
    const ours = name === 'delivery_id' ? 'id' : name;
    expect(first(renamed(name, wireName))).toHaveProperty(ours, value);
  });

  it('has the time of its next retry', () => {
    expect(first(renamed('next_retry_at', 'next_retry', wire.pendingRecord)).next_retry_at).toEqual(
      new Date('2026-01-31T09:42:13.000Z'),
    );
  });

  it.each([
    ['the delivery id, before the number of a row', { delivery_id: FIRST, id: 17 }, FIRST],
    ['a number as text', { id: 17 }, '17'],
    ['its id, before another uuid', { id: FIRST, uuid: SECOND }, FIRST],
  ])('has as its id %s', (_name, ids, id) => {
    const { delivery_id: _, ...rest } = wire.deliveredRecord;
    expect(first({ ...rest, ...ids }).id).toBe(id);
  });

  it.each([[{ made: 2, max: 7 }], ['some'], [null], [true]])('counts its log where its count is %j', (attempts) => {
    expect(first({ ...wire.deliveredRecord, attempts }).attempts).toBe(wire.deliveredRecord.attempt_log.length);
  });

  it('may have neither count nor log', () => {
    const delivery = first(without(without(wire.deliveredRecord, 'attempts'), 'attempt_log'));
    expect(delivery).toMatchObject({ attempts: null, attempt_log: [] });
  });

  it.each(['event_type', 'max_attempts', 'last_http_status', 'next_retry_at', 'delivered_at'])(
    'has null for %s when it is absent or null',
    (name) => {
      expect(first(without(wire.deliveredRecord, name))).toHaveProperty(name, null);
      expect(first(changed(wire.deliveredRecord, name, null))).toHaveProperty(name, null);
    },
  );

  it.each([
    ['delivery_id', '0.id'],
    ['status', '0.status'],
  ])('is refused without %s', (name, path) => {
    expect(refused(listDeliveries.data, [without(wire.deliveredRecord, name)])).toEqual([
      { path, message: 'is required' },
    ]);
  });

  it('passes words that the interface does not list, and keeps unknown members', () => {
    const odd = { status: 'paused', event_type: 'invoice.reviewed', note: 'x' };
    expect(first({ ...wire.deliveredRecord, ...odd })).toMatchObject(odd);
  });
});

describe('an entry of the attempt log', () => {
  const entry = (changes: Record<string, unknown>) =>
    first({ ...wire.deliveredRecord, attempt_log: [{ ...wire.failedAttempt, ...changes }] }).attempt_log[0];

  it.each(['status_code', 'success', 'error', 'duration_ms', 'triggered_by', 'created_at'])(
    'has null for %s when it is absent or null',
    (name) => {
      expect(entry({ [name]: null })).toHaveProperty(name, null);
      expect(entry({ [name]: undefined })).toHaveProperty(name, null);
    },
  );

  it.each([
    ['status_code', '503', 503],
    ['status_code', 0, null],
    ['status_code', 'none', null],
    ['status_code', [503], null],
    ['duration_ms', 0, 0],
    ['duration_ms', '181.5', 181.5],
    ['duration_ms', '12 ms', null],
    ['success', 'true', true],
    ['success', 'False', false],
    ['success', '0', false],
    ['success', 1, true],
    ['success', 2, null],
    ['success', 'perhaps', null],
    ['success', [true], null],
    ['error', { type: 'timeout' }, '{"type":"timeout"}'],
    ['triggered_by', 7, '7'],
    ['created_at', '', null],
    ['created_at', 'yesterday', null],
  ])('reads %s = %j as %j, because the types are not shown', (name, value, expected) => {
    expect(entry({ [name]: value })).toHaveProperty(name, expected);
  });
});

it.each([[undefined], [null], [''], [{}], [{ success: true, data: null }], [[1]]])(
  'the answer to a resend may be %j',
  (body) => expect(resendWebhook.data(body)).toEqual({ ok: true, value: undefined }),
);
