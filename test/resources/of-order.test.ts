import { describe, expect, it } from 'vitest';
import type { MerchantClientOptions } from '../../src/options.ts';
import { type Habits, invoiceService, notFound, type Row } from '../support/invoice-service.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

// ofOrder: all invoices of an order, whichever idents the paths of the service accept.

const uuidOf = (number: number) => `0b9f6e1c-7f43-4e0d-9f5a-${String(number).padStart(12, '0')}`;
const row = (number: number, external_id: string, change: object = {}): Row => ({
  uuid: uuidOf(number),
  external_id,
  ...change,
});
const others = (count: number) => Array.from({ length: count }, (_, index) => row(1_000 + index, `other-${index}`));
const LIST = '?page=1&per_page=100';

const FIRST = row(1, 'order-7', { status: 'expired' });
const SECOND = row(2, 'order-7--1', { status: 'expired' });
const THIRD = row(3, 'order-7--2', { status: 'success', settled_amount_usdt: '26.86' });
const ORDER = [FIRST, SECOND, THIRD];

function clientFor(rows: readonly Row[], habits: Habits = {}, options: MerchantClientOptions = {}) {
  const { fetch, asked } = invoiceService(rows, habits);
  return { asked, ...clientOf('https://pay.example', { fetch, ...options }) };
}

const idsOf = (invoices: readonly { external_id: string }[]) => invoices.map(({ external_id }) => external_id);

describe('an order whose invoices are read by path', () => {
  it('has its first invoice and each renewal until one does not exist', async () => {
    const { invoices, asked } = clientFor([...others(3), ...ORDER, row(9, 'order-7--4'), row(10, 'order-70')]);
    const { data, response } = await invoices.ofOrder('order-7').withResponse();
    expect(data.map(({ external_id, status }) => [external_id, status])).toEqual([
      ['order-7', 'expired'],
      ['order-7--1', 'expired'],
      ['order-7--2', 'success'],
    ]);
    expect(data[2]?.settled_amount_usdt?.toFixed()).toBe('26.86');
    expect(asked).toEqual(['/order-7', '/order-7--1', '/order-7--2', '/order-7--3']);
    expect(response.attempts).toBe(4);
    expect(JSON.parse(response.raw).data.external_id, 'the response is that of the last one').toBe('order-7--2');
  });

  it.each([uuidOf(1), uuidOf(2), uuidOf(3), uuidOf(3).toUpperCase(), 'order-7', 'order-7--1', 'order-7--2'])(
    'is the order of %s',
    async (ident) => {
      const { invoices } = clientFor([...others(3), ...ORDER]);
      expect(idsOf(await invoices.ofOrder(ident))).toEqual(['order-7', 'order-7--1', 'order-7--2']);
    },
  );

  it('has the renewals up to the one that was named, also behind a hole', async () => {
    const { invoices } = clientFor([row(1, 'order-7'), row(3, 'order-7--2')]);
    expect(idsOf(await invoices.ofOrder('order-7--2'))).toEqual(['order-7', 'order-7--2']);
  });

  it('is none for the id of a renewal that does not exist, of an order that does', async () => {
    const { invoices } = clientFor([row(1, 'order-7')]);
    expect(idsOf(await invoices.ofOrder('order-7--5'))).toEqual(['order-7']);
  });

  it('may have a uuid as its id', async () => {
    const id = uuidOf(77);
    const rows = [...others(2), row(1, id, { status: 'expired' }), row(2, `${id}--1`), row(3, uuidOf(78))];
    const { invoices, asked } = clientFor(rows);
    const ids = [id, `${id}--1`];
    expect(idsOf(await invoices.ofOrder(id))).toEqual(ids);
    expect(asked, 'what was read by an id like a uuid proves the others').toEqual([`/${id}`, `/${id}--1`, `/${id}--2`]);
    expect(idsOf(await invoices.ofOrder(uuidOf(2)))).toEqual(ids);
  });
});

describe('an order that does not exist', () => {
  it('is an empty list, after the service has given an invoice by an external_id', async () => {
    const { invoices, asked } = clientFor([...others(3), row(1, 'order-7')]);
    await invoices.get('order-7');
    const { data, response } = await invoices.ofOrder('order-8').withResponse();
    expect([data, response.status]).toEqual([[], 404]);
    expect(asked).toEqual(['/order-7', '/order-8']);
  });

  it('is one after the first page of the list has shown such an invoice, which is asked for once', async () => {
    const { invoices, asked } = clientFor(others(3));
    expect(await invoices.ofOrder('order-8')).toEqual([]);
    expect(await invoices.ofOrder('order-9')).toEqual([]);
    expect(asked).toEqual(['/order-8', LIST, '/other-0', '/order-9']);
  });

  it('is one in a service without invoices: its list says so', async () => {
    const { invoices } = clientFor([]);
    expect(await invoices.ofOrder('order-8')).toEqual([]);
  });

  it('is one for an unknown uuid after the whole list: it may be the id of an order', async () => {
    const { invoices, asked } = clientFor(others(3));
    expect(await invoices.ofOrder(uuidOf(99))).toEqual([]);
    expect(asked.at(-1)).toBe(LIST);
  });
});

describe('a service that reads uuids alone, with 404 in its own form', () => {
  it.each(['order-7', 'order-7--1', uuidOf(1), uuidOf(3)])('shows the order of %s in its list', async (ident) => {
    const { invoices, asked } = clientFor([...others(150), ...ORDER], { reads: 'uuid' });
    expect(idsOf(await invoices.ofOrder(ident))).toEqual(['order-7', 'order-7--1', 'order-7--2']);
    const again = asked.length;
    expect(await invoices.ofOrder('order-8'), 'the whole list does not show it').toEqual([]);
    expect(asked.slice(again), 'not asked again whether it reads an external_id').toEqual([
      '/order-8',
      LIST,
      '?page=2&per_page=100',
    ]);
  });

  it('shows an order whose id is a uuid, and does not take it for the uuid of another invoice', async () => {
    const id = uuidOf(2); // the service's id of an invoice of another order
    const rows = [row(1, id, { status: 'expired' }), row(2, 'order-7'), row(3, `${id}--1`)];
    const { invoices } = clientFor(rows, { reads: 'uuid' });
    expect(idsOf(await invoices.ofOrder(uuidOf(1)))).toEqual([id, `${id}--1`]);
    expect(idsOf(await invoices.ofOrder(`${id}--1`))).toEqual([id, `${id}--1`]);
  });

  it.each([
    [2_000, true],
    [2_001, false],
  ])('has a list of %i invoices: read whole is %s', async (count, isRead) => {
    const { invoices, asked } = clientFor(others(count), { reads: 'uuid' });
    const result = await invoices.ofOrder('order-7').result();
    expect(asked.filter((path) => path.startsWith('?'))).toHaveLength(1 + 20);
    if (isRead) return expect(result).toMatchObject({ ok: true, value: [] });
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'SDK_PAGE', operation: 'invoices.ofOrder', externalId: 'order-7' },
    });
    const message = 'ok' in result && !result.ok ? result.error.message : '';
    expect(message).toContain('longer than the 20 pages that a call reads. Pass the uuid of its invoice');
  });

  it.each<[string, object, boolean]>([
    ['of the order', { external_id: 'order-7--1', amount: null }, false],
    ['without an external_id', { external_id: null }, false],
    ['of another order', { external_id: 'order-9', amount: null }, true],
  ])('whose list has a row %s that cannot be read: it is sure of the order: %s', async (_name, change, isSure) => {
    const rows = [FIRST, { ...SECOND, ...change } as Row]; // wrong on purpose
    const result = await clientFor(rows, { reads: 'uuid' }).invoices.ofOrder('order-7').result();
    if (isSure) return expect(result).toMatchObject({ ok: true, value: [{ external_id: 'order-7' }] });
    expect(result).toMatchObject({ ok: false, error: { code: 'SDK_PAGE' } });
  });
});

describe('a service that reads external ids alone', () => {
  it('shows the order of a uuid in its list', async () => {
    const { invoices } = clientFor([...others(3), ...ORDER], { reads: 'external_id' });
    expect(idsOf(await invoices.ofOrder(uuidOf(3)))).toEqual(['order-7', 'order-7--1', 'order-7--2']);
  });
});

describe('a path that says nothing of an invoice', () => {
  const html = (status: number) => new Response('<html>Not here</html>', { status });

  it.each<[string, () => Response]>([
    ['the 404 of a stranger', () => html(404)],
    ['500, as where a database wants a uuid', () => html(500)],
    [
      'a 422',
      () => Response.json({ success: false, error: { code: 'VALIDATION_ERROR', message: '' } }, { status: 422 }),
    ],
    ['another invoice', () => Response.json({ success: true, data: { ...ORDER[0], external_id: 'order-8' } })],
  ])('is %s: the list decides, and a stranger is no absence', async (_name, response) => {
    const instead = (path: string) => (path.startsWith('/order-7') ? response() : undefined);
    const { invoices } = clientFor([...others(3), ...ORDER], { instead }, { retry: false });
    await invoices.get('other-0'); // the service reads external ids
    expect(idsOf(await invoices.ofOrder('order-7'))).toEqual(['order-7', 'order-7--1', 'order-7--2']);
  });

  it('is an error where a stranger answers everything, and never an empty list', async () => {
    const { invoices } = clientFor(ORDER, { instead: () => html(404) });
    const error = await errorOf(invoices.ofOrder('order-7'));
    expect(error).toMatchObject({ code: 'SDK_HTTP_404', operation: 'invoices.ofOrder', answeredBy: 'other' });
  });

  it('is an error where the list fails, and never an empty list', async () => {
    const instead = (path: string) => (path.startsWith('?') ? html(503) : undefined);
    const { invoices } = clientFor(ORDER, { instead, reads: 'uuid' }, { retry: false });
    const error = await errorOf(invoices.ofOrder('order-7'));
    expect(error).toMatchObject({ code: 'SDK_HTTP_503', operation: 'invoices.ofOrder' });
  });

  it('is found in the list where a renewal alone is not read', async () => {
    const instead = (path: string) => (path === '/order-7--1' ? html(500) : undefined);
    const { invoices } = clientFor(ORDER, { instead }, { retry: false });
    expect(idsOf(await invoices.ofOrder('order-7'))).toEqual(['order-7', 'order-7--1', 'order-7--2']);
  });
});

describe('a call of ofOrder', () => {
  it.each([401, 403, 429, 503])('fails with the error of a read that was refused with %i', async (status) => {
    const instead = (path: string) => (path === '/order-7--1' ? new Response('', { status }) : undefined);
    const { invoices } = clientFor(ORDER, { instead }, { retry: false });
    const error = await errorOf(invoices.ofOrder('order-7'));
    expect(error).toMatchObject({ operation: 'invoices.ofOrder', status });
  });

  it('is one call for the hooks', async () => {
    const told: string[] = [];
    const ids = new Set<string>();
    const hooks = {
      onRequest: ({ callId, operation }: { callId: string; operation: string }) => {
        ids.add(callId);
        told.push(`request ${operation}`);
      },
      onEnd: ({ operation, ok }: { operation: string; ok: boolean }) => void told.push(`end ${operation} ${ok}`),
    };
    await clientFor([FIRST], {}, { hooks }).invoices.ofOrder('order-7');
    expect(told).toEqual([...Array(2).fill('request invoices.ofOrder'), 'end invoices.ofOrder true']);
    expect(ids.size).toBe(1);
  });

  it('has one deadline for all of its reads', async () => {
    const instead = () => notFound();
    const { invoices } = clientFor(ORDER, { instead });
    expect(await errorOf(invoices.ofOrder('order-7', { deadline: 0.01 }))).toMatchObject({ code: 'SDK_DEADLINE' });
  });

  it.each(['', '.', '..', undefined, 7])('refuses the order %j before any request', async (order) => {
    const { invoices, asked } = clientFor(ORDER);
    const error = await errorOf(invoices.ofOrder(order as string)); // wrong on purpose
    expect(error).toMatchObject({ operation: 'invoices.ofOrder', outcome: 'not_sent' });
    expect(asked).toEqual([]);
  });
});
