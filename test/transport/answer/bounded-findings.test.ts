import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { MerchantClient } from '../../../src/client.ts';
import { listInvoices } from '../../../src/contract/invoices.ts';
import { check, integer, listOf, parameters, resource } from '../../../src/contract/values/codecs.ts';
import { driftsIn } from '../../../src/contract/values/drift.ts';
import type { AnyMerchantError } from '../../../src/errors/guards.ts';
import type { DriftEvent } from '../../../src/transport/observe/events.ts';
import { FakeRuntime } from '../../support/fake-runtime.ts';
import { type Step, serve } from '../../support/fault-server.ts';
import { answer, ok } from '../../support/fault-steps.ts';
import { createdInvoice, successInvoice } from '../../support/fixtures/invoices.ts';
import { scaled } from '../../support/scaled.ts';
import { clientOf, errorOf, order } from '../../support/test-client.ts';

// A few hundred compressed bytes can hold millions of wrong items. However many there are: a few findings, a short
// error, and work that ends with them. Where each item costs microseconds, these tests would take a minute each.

const MANY = scaled(3_450_000);
const itemsOf = (count: number) => `[${'{},'.repeat(count - 1)}{}]`;
const SOME = scaled(400_000);
const items = itemsOf(SOME); // enough to see a cost for each
const members = '"page":1,"per_page":20,"total_items":1,"total_pages":1,"has_next":false,"has_prev":false';

/** The text, packed; only few bytes travel. */
const packed = (status: number, text: string): Step => {
  const bytes = gzipSync(text, { level: 1 });
  return {
    play: ({ response }) =>
      response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bytes),
  };
};
const pageOf = (list: string) => `{"success":true,"data":{"items":${list},${members}}}`;

async function refusedBy(
  call: (client: MerchantClient) => PromiseLike<unknown>,
  step: Step,
): Promise<AnyMerchantError> {
  const server = await serve(step);
  const error = await errorOf(call(clientOf(server.url, { runtime: new FakeRuntime() })));
  expect(server.requests).toHaveLength(1);
  expect(JSON.stringify(error).length).toBeLessThan(5_000);
  expect('issues' in error ? error.issues.length : 0).toBeLessThanOrEqual(20);
  return error;
}

describe('empty items by the million', () => {
  const lists: Readonly<Record<string, (client: MerchantClient) => PromiseLike<unknown>>> = {
    'invoices.list': (client) => client.invoices.list(),
    'invoices.list, of 100': (client) => client.invoices.list({ per_page: 100 }),
    'invoices.list, with a report of each': (client) => client.invoices.list({}, { onInvalidItem: () => {} }),
    'withdrawals.list': (client) => client.withdrawals.list({ per_page: 1 }),
  };
  test.each(Object.entries(lists))('as a page of %s are refused before they are decoded', async (_name, call) => {
    const error = await refusedBy(call, packed(200, pageOf(items)));
    expect(error).toMatchObject({ code: 'SDK_PAGE', kind: 'unexpected_response', outcome: 'rejected', issues: [] });
    expect(error.message).toContain(`${SOME} answered`);
  });

  test('10 MiB of them', async () => {
    const page = await refusedBy((client) => client.invoices.list(), packed(200, pageOf(itemsOf(MANY))));
    expect(page.message).toContain(`${MANY} answered`);
    const list = packed(200, `{"data":${itemsOf(MANY)}}`);
    expect(await refusedBy((client) => client.paymentMethods.list(), list)).toMatchObject({ code: 'SDK_CONTRACT' });
  });

  const arrays: Readonly<Record<string, (client: MerchantClient) => PromiseLike<unknown>>> = {
    'paymentMethods.list': (client) => client.paymentMethods.list(),
    'webhooks.deliveries': (client) => client.webhooks.deliveries('order-1042'),
    'invoices.get': (client) => client.invoices.get('order-1042'),
    'withdrawals.get': (client) => client.withdrawals.get('w-1'),
    'invoices.create': (client) => client.invoices.create(order),
  };
  test.each(Object.entries(arrays))('as %s', async (_name, call) => {
    const error = await refusedBy(call, packed(200, `{"success":true,"data":${items}}`));
    expect(error).toMatchObject({ code: 'SDK_CONTRACT' });
  });

  test('as a page of deliveries, and as rates', async () => {
    const error = await refusedBy((client) => client.webhooks.deliveries('a'), packed(200, pageOf(items)));
    expect(error).toMatchObject({ code: 'SDK_CONTRACT' });
    const server = await serve(packed(200, `{"data":${items}}`));
    const rates = await clientOf(server.url).rates.list().result();
    // Rows without a price count as left out; whatever else is made of them, it is short.
    expect(JSON.stringify(rates).length).toBeLessThan(5_000);
  });

  test.each([
    ['errors', `{"success":false,"errors":${items}}`],
    ['details', `{"success":false,"error":{"code":"VALIDATION_ERROR","details":${items}}}`],
    ['detail', `{"success":false,"detail":${items}}`],
    ['an attempt', `{"success":false,"data":${items}}`],
  ])('as the %s of a refusal', async (_name, text) => {
    const error = await refusedBy((client) => client.invoices.create(order), packed(200, text));
    expect(error).toMatchObject({ kind: expect.stringMatching(/^(?:request|validation)$/) });
    await refusedBy((client) => client.webhooks.resend('a'), packed(200, text));
  });
});

describe('the size of a page', () => {
  const page = (count: number) =>
    answer(200, pageOf(JSON.stringify(Array.from({ length: count }, () => successInvoice))));
  const taken = async (count: number, query: object, options = {}) => {
    const server = await serve(page(count));
    return (await clientOf(server.url).invoices.list(query, options).result()).ok;
  };

  test.each<[string, number, object, object, boolean]>([
    ['ten times the largest size, where none is asked', 1_000, {}, {}, true],
    ['one more', 1_001, {}, {}, false],
    ['ten times the asked', 500, { per_page: 50 }, {}, true],
    ['one more than that', 501, { per_page: 50 }, {}, false],
    ['a hundred whatever was asked: the interface allows it', 100, { per_page: 1 }, {}, true],
    ['more than that', 101, { per_page: 1 }, {}, false],
    [
      'the most that the service allows where nothing usable is asked for',
      1_000,
      {},
      { query: { per_page: '0' } },
      true,
    ],
    ['more than that', 1_001, {}, { query: { per_page: '0' } }, false],
    ['the same for half a row', 1_001, {}, { query: { per_page: '1.5' } }, false],
    ['what another name asks for', 450, {}, { query: { per_page: '50' } }, true],
  ])('%s', async (_name, count, query, options, expected) => {
    expect(await taken(count, query, options)).toBe(expected);
  });

  test('counts under the name that is pinned', async () => {
    const withdrawals = Array.from({ length: 150 }, (_, index) => ({ uuid: `w-${index}`, status: 'approved' }));
    const server = await serve(answer(200, pageOf(JSON.stringify(withdrawals))));
    const client = clientOf(server.url, { withdrawalQuery: { per_page: 'limit' } });
    expect((await client.withdrawals.list({ per_page: 15 }).result()).ok).toBe(true);
    expect((await client.withdrawals.list({ per_page: 14 }).result()).ok).toBe(false);
  });
});

describe('findings', () => {
  test('are all there where they are few, with their paths', () => {
    const list = Array.from({ length: 5_000 }, (_, id) => ({ id: id % 1_000 === 999 ? null : id }));
    const result = check(() => resource({ items: listOf(resource({ id: integer })) }))({ items: list });
    const paths = [999, 1_999, 2_999, 3_999, 4_999].map((index) => ({
      path: `items.${index}.id`,
      message: 'must be an integer',
    }));
    expect(result).toEqual({ ok: false, issues: paths });
  });

  test.each([19, 20, 21])('%i of them', (count) => {
    const result = check(() => listOf(integer))(Array.from({ length: count }, () => 'x'));
    expect(result).toMatchObject({ ok: false, issues: { length: Math.min(20, count) } });
    expect(!result.ok && result.isMore).toBe(count > 20 ? true : undefined);
  });

  test.each([
    [undefined, 'is required'],
    [null, 'must be an array'],
    [{}, 'must be an array'],
    ['[]', 'must be an array'],
  ])('%j is no list', (value, message) => {
    expect(check(() => listOf(integer))(value)).toEqual({ ok: false, issues: [{ path: '', message }] });
  });

  test('their number is in the message', async () => {
    const rows = (count: number) => ok(Array.from({ length: count }, () => 7));
    const message = async (count: number) =>
      (await refusedBy((client) => client.paymentMethods.list(), rows(count))).message;
    expect(await message(1)).toContain(': 0 must be an object (HTTP 200)');
    expect(await message(3)).toContain(': 0 must be an object (3 findings) (HTTP 200)');
    expect(await message(20)).toContain('(20 findings)');
    expect(await message(9_000)).toContain('(more than 20 findings)');
  });

  test('of a call’s own parameters too', () => {
    const given = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`name_${index}`, 1]));
    expect(check(() => parameters({ id: integer }))(given)).toMatchObject({
      ok: false,
      isMore: true,
      issues: { length: 20 },
    });
  });

  test('of a 422: twenty, and how many there are', async () => {
    const refusal = (count: number) =>
      answer(422, {
        detail: Array.from({ length: count }, (_, index) => ({ loc: ['body', `f${index}`], msg: 'bad' })),
      });
    const error = async (count: number) => refusedBy((client) => client.invoices.create(order), refusal(count));
    expect(await error(3)).toMatchObject({
      issues: { length: 3 },
      message: expect.stringContaining('(f0: bad; f1: bad; f2: bad). '),
    });
    expect(await error(25)).toMatchObject({
      issues: { length: 20 },
      message: expect.stringContaining('f2: bad; 25 in all). '),
    });
    const many = await error(9_000);
    expect(many).toMatchObject({
      issues: { length: 20 },
      message: expect.stringContaining('; more than 20 in all). '),
    });
    expect(many.kind === 'validation' && Object.keys(many.fields)).toHaveLength(20);
  });
});

describe('drift', () => {
  test('is looked for in the first rows of a long list', () => {
    const form = listInvoices.data.structure?.();
    if (form === undefined) throw new Error('has a form');
    const rows = Array.from({ length: 30_000 }, (_, index) => ({ ...successInvoice, [`new_${index}`]: 1 }));
    const found = driftsIn(form, { items: rows });
    expect(found.length).toBeLessThanOrEqual(1_000);
    expect(found[0]).toEqual({ path: 'items.*.new_0', kind: 'unknown_field' });
  });

  test('with a name of 1 MiB is told in short', async () => {
    const told: DriftEvent[] = [];
    const server = await serve(ok({ ...createdInvoice, ['n'.repeat(1_048_576)]: 1 }));
    await clientOf(server.url, { onDrift: (event) => told.push(event) }).invoices.create(order);
    expect(told).toEqual([{ operation: 'invoices.create', path: 'n'.repeat(100), kind: 'unknown_field' }]);
  });
});
