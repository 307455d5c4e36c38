import { describe, expect, it } from 'vitest';
import { IdentProof, type InvoicePaths, readByPath } from '../../src/lookup/by-path.ts';
import { type Habits, invoiceService, type Row } from '../support/invoice-service.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

// What a 404 of a single read means depends on the idents that the service was seen to read.

const uuidOf = (number: number) => `0b9f6e1c-7f43-4e0d-9f5a-${String(number).padStart(12, '0')}`;
const row = (number: number, external_id = `order-${number}`): Row => ({ uuid: uuidOf(number), external_id });
const LIST = '?page=1&per_page=20';

function lookup(rows: readonly Row[], habits: Habits = {}) {
  const { fetch, asked } = invoiceService(rows, habits);
  const { invoices } = clientOf('https://pay.example', { fetch, retry: false });
  const paths: InvoicePaths<Row> = {
    get: async (ident) => ({ ...(await invoices.get(ident)) }),
    firstPage: async () => (await invoices.list({ page: 1, per_page: 20 })).items.map((each) => ({ ...each })),
  };
  const proof = new IdentProof();
  const read = (ident: string, known?: { exists: boolean }) => readByPath(ident, paths, proof, known);
  return { asked, proof, read };
}

describe('a 404', () => {
  it('is none in a client that has read an invoice by its external_id', async () => {
    const { read, asked } = lookup([row(1)]);
    expect(await read('order-1')).toMatchObject({ is: 'invoice', invoice: { uuid: uuidOf(1) } });
    expect(await read('order-2')).toMatchObject({ is: 'none', error: { kind: 'not_found' } });
    expect(asked).toEqual(['/order-1', '/order-2']);
  });

  it('is none after the question to the list, which is asked once, also by reads at the same time', async () => {
    const { read, asked } = lookup([row(1)]);
    const readings = await Promise.all(['order-2', 'order-3', 'order-4'].map((ident) => read(ident)));
    expect(readings.map(({ is }) => is)).toEqual(['none', 'none', 'none']);
    await read('order-5');
    expect(asked.filter((path) => path === LIST || path === '/order-1')).toEqual([LIST, '/order-1']);
  });

  it('says nothing at a service that reads uuids alone, which is asked once', async () => {
    const { read, asked } = lookup([row(1), row(2)], { reads: 'uuid' });
    expect((await read(uuidOf(1))).is).toBe('invoice');
    for (const ident of ['order-2', 'order-9', 'order-2']) expect((await read(ident)).is).toBe('unread');
    expect(asked.filter((path) => path === LIST || path === '/order-1')).toEqual([LIST, '/order-1']);
  });

  it.each<[string, Row[]]>([
    ['no invoice', []],
    ['the asked one alone', [row(1)]],
  ])('says nothing where the list has %s', async (_name, rows) => {
    const { read } = lookup(rows, { reads: 'uuid' });
    expect((await read('order-1')).is).toBe('unread');
  });

  it('is asked for again, where the list could not be read', async () => {
    let isDown = true;
    const instead = (path: string) => (isDown && path === LIST ? new Response('', { status: 503 }) : undefined);
    const { read } = lookup([row(1)], { instead });
    expect((await read('order-2')).is).toBe('unread');
    isDown = false;
    expect((await read('order-2')).is).toBe('none');
  });

  it('of an invoice that the service says it has is never none', async () => {
    const { read, asked } = lookup([row(1)]);
    await read('order-1');
    expect((await read('order-2', { exists: true })).is).toBe('unread');
    expect(asked).toEqual(['/order-1', '/order-2']);
  });
});

describe('ids in the form of a uuid', () => {
  it('are not proved by others: an order of such an id may exist where the path takes it for a uuid', async () => {
    const { read } = lookup([row(1), row(2, uuidOf(92))], { reads: 'uuid' });
    expect((await read(uuidOf(1))).is).toBe('invoice');
    expect((await read(uuidOf(92))).is).toBe('unread');
  });

  it('are none after both kinds were read: the service’s and the merchant’s', async () => {
    const { read, asked } = lookup([row(1), row(2, uuidOf(92))]);
    expect((await read(uuidOf(99))).is).toBe('none');
    expect((await read('order-9')).is, 'a service that reads them reads all external ids').toBe('none');
    expect(asked).toEqual([`/${uuidOf(99)}`, LIST, `/${uuidOf(92)}`, `/${uuidOf(1)}`, '/order-9']);
  });

  it('say nothing where no order has such an id', async () => {
    const { read } = lookup([row(1), row(2)]);
    await read('order-1');
    await read(uuidOf(2));
    expect((await read(uuidOf(99))).is).toBe('unread');
  });

  it('that are read by their uuid in other letters prove uuids', () => {
    const proof = new IdentProof();
    const none: InvoicePaths<Row> = { get: () => Promise.reject(), firstPage: async () => [] };
    proof.note(uuidOf(1).toUpperCase(), row(1));
    proof.note(uuidOf(92), row(2, uuidOf(92)));
    return expect(proof.covers(uuidOf(99), none)).resolves.toBe(true);
  });
});

describe('a read that is not about the ident', () => {
  it.each([401, 403, 429, 503])('throws: %i', async (status) => {
    const { read } = lookup([], { instead: () => new Response('', { status }) });
    expect(await errorOf(read('order-1'))).toMatchObject({ status });
  });

  it.each<[string, () => Response]>([
    ['the 404 of a stranger', () => new Response('<html>', { status: 404 })],
    ['a 410 of a stranger', () => new Response('', { status: 410 })],
    ['a 500', () => new Response('', { status: 500 })],
    ['another shape', () => Response.json({ success: true, data: { id: 7 } })],
    ['another invoice', () => Response.json({ success: true, data: { ...row(1), external_id: 'order-8' } })],
  ])('says nothing, also in a client that has read external ids: %s', async (_name, response) => {
    const { read } = lookup([row(1)], { instead: (path) => (path === '/order-2' ? response() : undefined) });
    await read('order-1');
    expect((await read('order-2')).is).toBe('unread');
  });
});
