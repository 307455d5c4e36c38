import { describe, expect, it } from 'vitest';
import { listDeliveries } from '../../src/contract/deliveries.ts';
import * as wire from '../support/fixtures/deliveries.ts';
import { decoded, refused, without } from './mutation.ts';

// The interface shows neither the names of a delivery's members nor the form of the list. Single members: members.test.ts.

const [FIRST, SECOND] = ['9482f7a5-08dc-4796-82e3-a6b5c3d3e7f8', 'a59308b6-19ed-48a7-93f4-b7c6d4e4f809'];
const DELIVERED = new Date('2026-01-31T09:47:13.000Z');

const first = (record: unknown) => decoded(listDeliveries.data, [record])[0];

describe('a delivery', () => {
  it('is decoded with its attempt log', () => {
    expect(first(wire.deliveredRecord)).toMatchObject({
      id: FIRST,
      event_type: 'invoice.paid',
      status: 'delivered',
      attempts: 3,
      max_attempts: 7,
      last_http_status: 204,
      next_retry_at: null,
      delivered_at: DELIVERED,
      attempt_log: [
        {
          ...{ status_code: 503, success: false, error: 'HTTP 503', duration_ms: 182, triggered_by: 'schedule' },
          created_at: new Date('2026-01-31T09:41:13.000Z'),
        },
        { status_code: null, success: false, error: 'connection error', duration_ms: 15000 },
        { status_code: 204, success: true, error: null, duration_ms: 41, triggered_by: 'manual' },
      ],
    });
  });

  it.each<[string, unknown, readonly string[]]>([
    ['a list', wire.deliveries, [FIRST, SECOND]],
    ['a page', wire.deliveryPage, [FIRST, SECOND]],
    ['a list under "deliveries"', { deliveries: wire.deliveries }, [FIRST, SECOND]],
    ['a list under "webhooks"', { webhooks: wire.deliveries }, [FIRST, SECOND]],
    ['a list under "webhook_deliveries"', { webhook_deliveries: wire.deliveries }, [FIRST, SECOND]],
    ['a list under "results"', { results: wire.deliveries }, [FIRST, SECOND]],
    ['a list under "data"', { data: wire.deliveries }, [FIRST, SECOND]],
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
    'is not guessed from %j',
    (payload) => expect(refused(listDeliveries.data, payload)).not.toEqual([]),
  );

  it.each<[name: string, value: unknown, wireNames: string]>([
    ['id', FIRST, 'delivery_id id webhook_delivery_id x_webhook_id webhook_id uuid'],
    ['event_type', 'invoice.paid', 'event_type event type event_name'],
    ['status', 'delivered', 'status state delivery_status'],
    ['attempts', 3, 'attempts attempts_made attempt_count attempts_count'],
    ['last_http_status', 204, 'last_http_status last_status_code last_http_status_code http_status'],
    ['delivered_at', DELIVERED, 'delivered_at delivered_time received_at'],
    ['next_retry_at', DELIVERED, 'next_retry_at next_retry_time next_retry next_attempt_at'],
    [
      'attempt_log',
      expect.objectContaining({ length: 3 }),
      'attempt_log attempts attempt_logs attempts_log attempt_history log history',
    ],
  ])('may have its %s, %j, under any of the names %s', (name, value, wireNames) => {
    const [usual = '', ...others] = wireNames.split(' ');
    const { [usual]: raw, ...rest }: Record<string, unknown> = {
      ...wire.deliveredRecord,
      next_retry_at: wire.deliveredRecord.delivered_at,
    };
    for (const other of [usual, ...others]) expect(first({ ...rest, [other]: raw })).toHaveProperty(name, value);
  });

  it.each([
    ['the delivery id, before the number of a row', { delivery_id: FIRST, id: 17 }, FIRST],
    ['a number as text', { id: 17 }, '17'],
    ['its id, before another uuid', { id: FIRST, uuid: SECOND }, FIRST],
  ])('has as its id %s', (_name, ids, id) => {
    const { delivery_id: _, ...rest } = wire.deliveredRecord;
    expect(first({ ...rest, ...ids })).toMatchObject({ id });
  });

  it('is refused without an id', () => {
    expect(refused(listDeliveries.data, [without(wire.deliveredRecord, 'delivery_id')])).toEqual([
      { path: '0.id', message: 'is required' },
    ]);
  });

  it.each([[{ made: 2, max: 7 }], ['some'], [null], [true]])('counts its log where its count is %j', (attempts) => {
    expect(first({ ...wire.deliveredRecord, attempts })).toMatchObject({ attempts: 3 });
  });

  it('may have neither count nor log', () => {
    const delivery = first(without(without(wire.deliveredRecord, 'attempts'), 'attempt_log'));
    expect(delivery).toMatchObject({ attempts: null, attempt_log: [] });
  });
});
