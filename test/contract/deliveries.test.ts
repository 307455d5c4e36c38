import { describe, expect, it } from 'vitest';
import { listDeliveries, resendWebhook } from '../../src/contract/deliveries.ts';
import * as wire from '../support/fixtures/deliveries.ts';
import { changed, decoded, refused, without } from './mutation.ts';

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
      id: '9482f7a5-08dc-4796-82e3-a6b5c3d3e7f8',
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
        {
          status_code: null,
          success: false,
          error: 'connection error',
          duration_ms: 15000,
          triggered_by: 'schedule',
          created_at: new Date('2026-01-31T09:42:13.000Z'),
        },
        {
          status_code: 204,
          success: true,
          error: null,
          duration_ms: 41,
          triggered_by: 'manual',
          created_at: new Date('2026-01-31T09:47:13.000Z'),
        },
      ],
    });
  });

  it.each([
    ['a list', wire.deliveries],
    ['a page', wire.deliveryPage],
    ['a list under "deliveries"', { deliveries: wire.deliveries }],
    ['a list under "webhooks"', { webhooks: wire.deliveries }],
    ['a list under "results"', { results: wire.deliveries }],
    ['a list under "webhook_deliveries"', { webhook_deliveries: wire.deliveries }],
    ['a list under "data" once more', { data: wire.deliveries }],
  ])('is found in %s', (_name, payload) => {
    expect(decoded(listDeliveries.data, payload).map((delivery) => delivery.id)).toEqual([
      '9482f7a5-08dc-4796-82e3-a6b5c3d3e7f8',
      'a59308b6-19ed-48a7-93f4-b7c6d4e4f809',
    ]);
  });

  it.each([
    'id',
    'delivery_id',
    'webhook_delivery_id',
    'delivery_uuid',
    'webhook_uuid',
    'x_webhook_id',
    'X-Webhook-Id',
    'xWebhookId',
    'webhook_id',
    'webhookId',
    'uuid',
    'UUID',
    'deliveryId',
    'delivery-id',
    'DELIVERY_ID',
  ])('has its id as %s', (name) => {
    expect(first(renamed('delivery_id', name)).id).toBe('9482f7a5-08dc-4796-82e3-a6b5c3d3e7f8');
  });

  it('prefers the value of the header to every other id', () => {
    const record = { ...wire.deliveredRecord, id: 17, uuid: 'u', webhookId: 'w', 'X-Webhook-Id': 'header' };
    expect(first(record).id).toBe('header');
    expect(first({ ...wire.deliveredRecord, deliveryId: 'other' }).id, 'the exact name wins').toBe(
      wire.deliveredRecord['delivery_id'],
    );
  });

  it.each([
    ['camel', (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())],
    ['pascal', (name: string) => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())],
    ['kebab', (name: string) => name.replace(/_/g, '-')],
    ['upper', (name: string) => name.toUpperCase()],
  ])('may be written in %s case, its log too', (_case, rewrite) => {
    const rewritten = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(rewritten);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [rewrite(name), rewritten(member)]));
    };
    const { delivery_id: _wireName, ...plain } = { ...first(wire.deliveredRecord), delivery_id: '' };
    expect(first(rewritten(wire.deliveredRecord))).toMatchObject({ ...plain, attempt_log: expect.anything() });
    expect(first(rewritten(wire.deliveredRecord)).attempt_log).toMatchObject(plain.attempt_log);
    expect(decoded(listDeliveries.data, rewritten({ webhook_deliveries: wire.deliveries }))).toHaveLength(2);
  });

  describe('without a status, follows the last attempt of its log', () => {
    const record = (log: readonly object[], more: object = {}) => ({
      ...(without(without(wire.deliveredRecord, 'status'), 'next_retry_at') as object),
      attempt_log: log,
      ...more,
    });
    const at = (minute: number, success: unknown, status_code: unknown = null) => ({
      success,
      status_code,
      created_at: `2026-01-31T09:${String(minute).padStart(2, '0')}:00Z`,
    });

    it.each<[string, readonly object[], object, string]>([
      ['delivered', [at(1, false), at(2, true)], {}, 'delivered'],
      ['newest first', [at(2, true), at(1, false)], {}, 'delivered'],
      ['failed', [at(1, true), at(2, false)], {}, 'failed'],
      ['failed, newest first', [at(2, false), at(1, true)], {}, 'failed'],
      ['with a retry to come', [at(1, false)], { next_retry_at: '2026-01-31T09:42:13Z' }, 'pending'],
      ['by the HTTP status alone, from 200', [at(1, null, 200)], {}, 'delivered'],
      ['by the HTTP status alone, to 299', [at(1, null, 299)], {}, 'delivered'],
      ['by the HTTP status alone, from 300', [at(1, null, 300)], {}, 'failed'],
      ['by the HTTP status alone, to 199', [at(1, null, 199)], {}, 'failed'],
      ['by an HTTP status that refuses', [at(1, null, '503')], {}, 'failed'],
      ['without times, the one at the end', [{ success: true }, { success: true }, { success: false }], {}, 'failed'],
      ['by text', [at(1, 'true')], {}, 'delivered'],
    ])('%s', (_name, log, more, status) => {
      expect(first(record(log, more)).status).toBe(status);
    });

    it('and keeps its own where it has one', () => {
      expect(first({ ...record([at(1, true)]), status: 'failed' }).status).toBe('failed');
    });
  });

  it.each<[string, unknown]>([
    ['under "delivery"', { delivery: wire.deliveredRecord }],
    ['under "webhook"', { webhook: wire.deliveredRecord }],
    ['under "webhook_delivery"', { webhook_delivery: wire.deliveredRecord }],
    ['under "webhook_history"', { webhook_history: wire.deliveredRecord }],
    ['under "delivery_history"', { delivery_history: wire.deliveredRecord }],
    ['under "history", in a list', { history: [wire.deliveredRecord] }],
    ['under "webhook", a list under "deliveries"', { webhook: { deliveries: [wire.deliveredRecord] } }],
    ['a page under "history"', { history: { items: [wire.deliveredRecord], page: 1 } }],
    ['"history" under "data" under "webhook"', { webhook: { data: { history: [wire.deliveredRecord] } } }],
    ['beside the invoice', { invoice: { uuid: 'i', status: 'success' }, webhooks: [wire.deliveredRecord] }],
    ['inside the invoice', { uuid: 'i', status: 'success', webhooks: [wire.deliveredRecord] }],
    ['each row under "delivery"', [{ delivery: wire.deliveredRecord }]],
    ['beside the number of its row', [{ id: 17, delivery: wire.deliveredRecord }]],
    ['beside an id of null', [{ uuid: null, status: 'ok', delivery: wire.deliveredRecord }]],
    [
      'its log beside it',
      [{ webhook: without(wire.deliveredRecord, 'attempt_log'), attempt_log: wire.deliveredRecord.attempt_log }],
    ],
  ])('may stand %s', (_name, payload) => {
    const found = decoded(listDeliveries.data, payload);
    expect(found.map(({ id, status, attempt_log }) => [id, status, attempt_log.length])).toEqual([
      ['9482f7a5-08dc-4796-82e3-a6b5c3d3e7f8', 'delivered', 3],
    ]);
  });

  it.each(['status', 'attempt_log'])('without %s is not looked for in its webhook', (name) => {
    const record = { ...(without(wire.deliveredRecord, name) as object), webhook: { status: 'active' } };
    expect(first(record).status).toBe('delivered');
  });

  it.each([
    ['a number stands under a name of the list', { deliveries: 1, data: wire.deliveries }],
    ['an object stands under a name of the list', { results: {}, data: wire.deliveries }],
    ['text stands under a name of a wrapper', { data: 'ok', delivery: { history: wire.deliveries } }],
  ])('is found where %s', (_case, payload) => {
    expect(decoded(listDeliveries.data, payload)).toHaveLength(wire.deliveries.length);
  });

  it('has its log beside the object that holds it', () => {
    const { attempt_log, ...record } = wire.deliveredRecord;
    expect(decoded(listDeliveries.data, { data: record, attempt_log })[0]?.attempt_log).toHaveLength(3);
  });

  it.each([
    [3, true],
    [4, false],
  ])('in %d wrappers is read: %s', (wrappers, isRead) => {
    let payload: unknown = wire.deliveredRecord;
    for (let depth = 0; depth < wrappers; depth += 1) payload = { delivery: payload };
    if (isRead) expect(decoded(listDeliveries.data, payload)).toHaveLength(1);
    else expect(refused(listDeliveries.data, payload)).toHaveLength(1);
  });

  it('is not looked for without end', () => {
    const deep = { webhook: { webhook: { webhook: { webhook: { history: [wire.deliveredRecord] } } } } };
    expect(refused(listDeliveries.data, deep)).not.toEqual([]);
  });

  it('is refused among a million others in no time', () => {
    const rows = Array.from({ length: 1_001 }, () => wire.deliveredRecord);
    expect(decoded(listDeliveries.data, rows.slice(1))).toHaveLength(1_000);
    expect(refused(listDeliveries.data, rows)[0]?.path).toBe('0.id');
  });

  it.each([
    ['one of 10,000 attempts', [10_000], true],
    ['one of 10,001', [10_001], false],
    ['two of 5,000 each', [5_000, 5_000], true],
    ['two of 5,000 and 5,001', [5_000, 5_001], false],
  ])('has at most 10,000 attempts in all: %s', (_name, counts, isRead) => {
    const [attempt] = wire.deliveredRecord.attempt_log;
    const rows = counts.map((length) => ({ ...wire.deliveredRecord, attempt_log: Array(length).fill(attempt) }));
    const payloads: unknown[] = counts.length === 1 ? [rows, rows[0], { delivery: rows[0] }] : [rows];
    for (const payload of payloads) {
      if (isRead) expect(decoded(listDeliveries.data, payload)).toHaveLength(counts.length);
      else expect(refused(listDeliveries.data, payload)[0]?.path).toBe(`${counts.length - 1}.attempt_log`);
    }
  });

  it('keeps members that are not known in an attempt with other names', () => {
    const attempt = { StatusCode: 204, Success: true, note: 'late' };
    expect(first({ ...wire.deliveredRecord, attempt_log: [attempt] }).attempt_log[0]).toMatchObject({
      status_code: 204,
      success: true,
      note: 'late',
    });
  });

  it('is refused with the place of an attempt that is no object', () => {
    const record = { ...(without(wire.deliveredRecord, 'status') as object), attempt_log: [null] };
    expect(refused(listDeliveries.data, [record]).map(({ path }) => path)).toContain('0.attempt_log.0');
  });

  it('prefers the delivery id to the number of a row', () => {
    expect(first({ ...wire.deliveredRecord, id: 17 }).id).toBe('9482f7a5-08dc-4796-82e3-a6b5c3d3e7f8');
  });

  it('takes an id that is a number as text', () => {
    expect(first({ ...(without(wire.deliveredRecord, 'delivery_id') as object), id: 17 }).id).toBe('17');
  });

  it.each(['event_type', 'event', 'type', 'event_name'])('has its event type as %s', (name) => {
    expect(first(renamed('event_type', name)).event_type).toBe('invoice.paid');
  });

  it.each(['status', 'state', 'delivery_status'])('has its status as %s', (name) => {
    // Its log would make it delivered.
    expect(first(renamed('status', name, { ...wire.deliveredRecord, status: 'held' })).status).toBe('held');
  });

  it.each(['attempts', 'attempts_made', 'attempt_count', 'attempts_count'])('counts its attempts as %s', (name) => {
    expect(first(renamed('attempts', name, { ...wire.deliveredRecord, attempts: 5 })).attempts).toBe(5);
  });

  it.each(['max_attempts', 'attempts_max', 'max_attempt_count'])('has its maximum as %s', (name) => {
    expect(first(renamed('max_attempts', name)).max_attempts).toBe(7);
  });

  it.each([
    'last_http_status',
    'last_status_code',
    'last_http_status_code',
    'last_response_status',
    'http_status',
    'last_status',
  ])('has its last HTTP status as %s', (name) => {
    expect(first(renamed('last_http_status', name)).last_http_status).toBe(204);
  });

  it.each([0, '0'])('has no last HTTP status where it is %j', (value) => {
    expect(first({ ...wire.deliveredRecord, last_http_status: value }).last_http_status).toBeNull();
  });

  it('does not take a word for an HTTP status', () => {
    expect(
      first({ ...(without(wire.deliveredRecord, 'last_http_status') as object), last_status: 'failed' }),
    ).toMatchObject({ last_http_status: null });
  });

  it.each(['next_retry_at', 'next_retry_time', 'next_retry', 'next_attempt_at', 'retry_at'])(
    'has its next retry as %s',
    (name) => {
      expect(first(renamed('next_retry_at', name, wire.pendingRecord)).next_retry_at).toEqual(
        new Date('2026-01-31T09:42:13.000Z'),
      );
    },
  );

  it.each(['delivered_at', 'delivered_time', 'delivery_time', 'received_at'])(
    'has its delivered time as %s',
    (name) => {
      expect(first(renamed('delivered_at', name)).delivered_at).toEqual(new Date('2026-01-31T09:47:13.000Z'));
    },
  );

  it.each(['attempt_log', 'attempts_log', 'attempt_logs', 'log', 'logs', 'history', 'attempt_history'])(
    'has its log as %s',
    (name) => {
      expect(first(renamed('attempt_log', name)).attempt_log).toHaveLength(3);
    },
  );

  it('may carry the log itself as attempts: then they are counted', () => {
    const { attempts: _count, attempt_log, ...rest } = wire.deliveredRecord;
    const delivery = first({ ...rest, attempts: attempt_log });
    expect(delivery.attempts).toBe(3);
    expect(delivery.attempt_log).toHaveLength(3);
  });

  it('may count its attempts out of a maximum', () => {
    expect(first({ ...wire.deliveredRecord, attempts: '12/70' }).attempts).toBe(12);
    expect(first({ ...wire.deliveredRecord, attempts: '2 / 7' }).attempts).toBe(2);
  });

  it.each([[{ made: 2, max: 7 }], ['some'], [null], [true]])('counts its log where its count is %j', (attempts) => {
    const { attempt_log } = wire.deliveredRecord;
    expect(first({ ...wire.deliveredRecord, attempts }).attempts).toBe(attempt_log.length);
  });

  it.each([[null], [{ items: null }], [{ deliveries: [] }], [[]], [{}], [{ deliveries: {} }], [{ history: [] }]])(
    'there is none in %j',
    (payload) => {
      expect(decoded(listDeliveries.data, payload)).toEqual([]);
    },
  );

  it('may stand alone', () => {
    expect(first(wire.deliveredRecord).id).toBe(decoded(listDeliveries.data, wire.deliveredRecord)[0]?.id);
    expect(decoded(listDeliveries.data, wire.deliveredRecord)).toHaveLength(1);
  });

  it('may have neither count nor log', () => {
    const delivery = first(without(without(wire.deliveredRecord, 'attempts'), 'attempt_log'));
    expect(delivery.attempts).toBe(0);
    expect(delivery.attempt_log).toEqual([]);
  });

  it.each(['event_type', 'max_attempts', 'last_http_status', 'next_retry_at', 'delivered_at'])(
    'has null for %s when it is absent or null',
    (name) => {
      expect(first(without(wire.deliveredRecord, name))).toHaveProperty(name, null);
      expect(first(changed(wire.deliveredRecord, name, null))).toHaveProperty(name, null);
    },
  );

  it('is refused without an id', () => {
    expect(refused(listDeliveries.data, [without(wire.deliveredRecord, 'delivery_id')])).toEqual([
      { path: '0.id', message: 'is required' },
    ]);
  });

  it.each([[[]], [null], [[{}]], [[{ created_at: '2026-01-31T09:41:13Z' }]]])(
    'is refused without a status when its log does not tell it: %j',
    (attempt_log) => {
      const record = { ...(without(wire.deliveredRecord, 'status') as object), attempt_log };
      expect(refused(listDeliveries.data, [record])).toEqual([{ path: '0.status', message: 'is required' }]);
    },
  );

  it('is refused for its log where the answer has more than 10,000 attempts', () => {
    const attempt_log = Array.from({ length: 5_001 }, () => wire.failedAttempt);
    const record = { ...wire.deliveredRecord, attempt_log };
    expect(refused(listDeliveries.data, [record, record])).toEqual([
      { path: '1.attempt_log', message: 'takes the answer beyond 10000 attempts' },
    ]);
  });

  it.each([
    [20, undefined],
    [21, true],
    [30, true],
  ])('is one of %i that cannot be read: 20 are named, and whether there are more', (count, isMore) => {
    const result = listDeliveries.data(
      Array.from({ length: count }, () => without(wire.deliveredRecord, 'delivery_id')),
    );
    expect(result).toHaveProperty('issues.length', 20);
    expect('isMore' in result ? result.isMore : undefined).toBe(isMore);
  });

  it('passes words that the interface does not list, and keeps unknown members', () => {
    expect(
      first({ ...wire.deliveredRecord, status: 'paused', event_type: 'invoice.reviewed', note: 'x' }),
    ).toMatchObject({ status: 'paused', event_type: 'invoice.reviewed', note: 'x' });
  });

  it.each([['text'], [5], [{ delivery: 1 }], [{ uuid: 'x' }], [{ status: 'failed' }], [[null]], [['x']]])(
    'is refused when the payload is %j',
    (payload) => {
      expect(refused(listDeliveries.data, payload).length).toBeGreaterThan(0);
    },
  );
});

describe('an entry of the attempt log', () => {
  const entry = (changes: Record<string, unknown>) =>
    first({ ...wire.deliveredRecord, attempt_log: [{ ...wire.failedAttempt, ...changes }] }).attempt_log[0];

  it.each(['status_code', 'success', 'error', 'duration_ms', 'triggered_by', 'created_at'])(
    'has null for %s when it is absent or null',
    (name) => {
      expect(entry({ [name]: null })).toHaveProperty(name, null);
      const log = [without(wire.failedAttempt, name)];
      expect(first({ ...wire.deliveredRecord, attempt_log: log }).attempt_log[0]).toHaveProperty(name, null);
    },
  );

  it.each([
    ['status_code', '503', 503],
    ['status_code', '', null],
    ['status_code', 0, null],
    ['status_code', '0', null],
    ['duration_ms', 0, 0],
    ['duration_ms', '181.5', 181.5],
    ['duration_ms', '181.25', 181.25],
    ['success', 'true', true],
    ['success', 'false', false],
    ['success', 'True', true],
    ['success', '1', true],
    ['success', '0', false],
    ['success', true, true],
    ['success', false, false],
    ['success', 1, true],
    ['success', 0, false],
    ['error', { type: 'timeout' }, '{"type":"timeout"}'],
    ['triggered_by', 7, '7'],
    ['created_at', '', null],
  ])('reads %s = %j as %j, because the types are not shown', (name, value, expected) => {
    expect(entry({ [name]: value })).toHaveProperty(name, expected);
  });

  it.each([
    ['status_code', 'none'],
    ['status_code', 'HTTP 503'],
    ['status_code', '503 Service Unavailable'],
    ['status_code', '5e2'],
    ['status_code', [503]],
    ['status_code', true],
    ['status_code', Number.POSITIVE_INFINITY], // 1e999 in JSON
    ['success', 'perhaps'],
    ['success', ''],
    ['success', 2],
    ['success', [true]],
    ['duration_ms', '12 ms'],
    ['duration_ms', {}],
    ['created_at', 'yesterday'],
    ['created_at', 8.65e15], // beyond what a Date can hold
    ['created_at', {}],
  ])('has null where %s = %j cannot be read: the others are worth having', (name, value) => {
    expect(entry({ [name]: value })).toHaveProperty(name, null);
    const rest = Object.keys(wire.failedAttempt).filter((other) => other !== name && other !== 'error');
    for (const other of rest) expect(entry({ [name]: value })).not.toHaveProperty(other, null);
  });

  it.each([
    [1769852832, '2026-01-31T09:47:12.000Z'],
    ['1769852832', '2026-01-31T09:47:12.000Z'],
    [1769852832.5, '2026-01-31T09:47:12.500Z'],
    [1769852832123, '2026-01-31T09:47:12.123Z'],
    [99_999_999_999, '5138-11-16T09:46:39.000Z'], // the last that is read as seconds
    [100_000_000_000, '1973-03-03T09:46:40.000Z'],
  ])('reads the epoch time %j', (value, time) => {
    expect(entry({ created_at: value })?.created_at?.toISOString()).toBe(time);
  });
});

describe('the answer to a resend', () => {
  it.each([[undefined], [null], [''], [{}], [{ success: true, data: null }], [[1]]])('may be %j', (body) => {
    expect(resendWebhook.data(body)).toEqual({ ok: true, value: undefined });
  });
});
