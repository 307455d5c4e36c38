import { describe, expect, test } from 'vitest';
import { FakeRuntime, START } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { answer, ok, onceRead, refuse, resetAfterReading } from '../support/fault-steps.ts';
import { pendingInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

// After an attempt that got no response, the invoice that exists may be this call's own, or an older one.

const conflict = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: 'order-1042', status: 'pending' });
const at = (offset: number) => new Date(START + offset).toISOString();
const httpDate = (offset: number) => new Date(START + offset).toUTCString();

interface Case {
  /** created_at of the invoice that is found, in milliseconds from the call's beginning on the service's clock. */
  readonly created: number;
  readonly status?: string;
  readonly purpose?: string;
  /** How far the service's clock is ahead of ours; null where no response has a Date header. */
  readonly serviceAhead?: number | null;
  /** What our wall clock is set forward by while the call runs. */
  readonly jump?: number;
  readonly age?: number;
}

const WAITED = 250; // half of the first wait's bound

async function play(
  { created, status = 'pending', purpose, serviceAhead = 0, jump = 0, age = 0 }: Case,
  orGet: boolean,
) {
  const runtime = new FakeRuntime(0.5);
  const ahead = serviceAhead ?? 0;
  const invoice = { ...pendingInvoice, status, created_at: at(ahead + created) };
  const headers: Record<string, string> =
    serviceAhead === null ? { date: '' } : { date: httpDate(ahead + WAITED - age) };
  if (age > 0) headers['age'] = String(age / 1_000);
  const jumping: Step = {
    play(exchange) {
      runtime.time += jump;
      resetAfterReading.play(exchange);
    },
  };
  const server = await serve(jumping, conflict, ok(invoice, headers));
  const { invoices } = clientOf(server.url, { runtime });
  const params = { ...order, ...(purpose !== undefined && { purpose }) };
  return orGet ? invoices.createOrGet(params).withResponse() : invoices.create(params).withResponse();
}

const HOUR = 3_600_000;

const OWN: [string, Case][] = [
  ['created while the call ran', { created: 100 }],
  ['created in the second in which the call began', { created: -900 }],
  ['on a service whose clock is an hour ahead', { created: 100, serviceAhead: HOUR }],
  ['on a service whose clock is a day behind', { created: 100, serviceAhead: -24 * HOUR }],
  ['while our clock is set an hour ahead', { created: 100, jump: HOUR }],
  ['while our clock is set an hour back', { created: 100, jump: -HOUR }],
  ['behind a cache that says the age of its response', { created: 100, age: 600_000 }],
  ['on a service that tells no time', { created: 100, serviceAhead: null }],
  ['with the purpose that was sent', { created: 100, purpose: 'Two tickets' }],
];
const OLDER: [string, Case][] = [
  ['created ten seconds before', { created: -10_000 }],
  ['created half an hour before', { created: -HOUR / 2 }],
  ['created a year before', { created: -365 * 24 * HOUR }],
  ['created ten seconds before, on a service an hour ahead', { created: -10_000, serviceAhead: HOUR }],
  ['created half an hour before, while our clock is set back', { created: -HOUR / 2, jump: -HOUR }],
  ['created a year before, on a service that tells no time', { created: -365 * 24 * HOUR, serviceAhead: null }],
  ['created before, and paid', { created: -HOUR, status: 'success' }],
];
const UNCLEAR: [string, Case][] = [
  ['final, though created while the call ran', { created: 100, status: 'canceled' }],
  ['with another purpose: a concurrent call for the same order', { created: 100, purpose: 'Three tickets' }],
  ['an hour old on a service that tells no time', { created: -HOUR, serviceAhead: null }],
  ['half an hour old, while our clock is set an hour ahead or the machine slept', { created: -HOUR / 2, jump: HOUR }],
];

describe('an invoice that is plainly the call’s own', () => {
  test.each(OWN)('%s', async (_name, found) => {
    const { data, response } = await play(found, true);
    expect(data).toMatchObject({ created: true });
    expect(response).toMatchObject({ recovered: true, attempts: 3 });
    expect((await play(found, false)).response.recovered).toBe(true);
  });
});

describe('an older invoice', () => {
  test.each(OLDER)('%s', async (_name, found) => {
    const { data, response } = await play(found, true);
    expect(data).toMatchObject({ created: false });
    expect(response).toMatchObject({ recovered: false, attempts: 3 });
    const error = await errorOf(play(found, false));
    expect(error).toMatchObject({ code: 'INVOICE_ALREADY_EXISTS', outcome: 'rejected', externalId: 'order-1042' });
    expect(error).toMatchObject({ existingStatus: found.status ?? 'pending', existing: { uuid: pendingInvoice.uuid } });
    expect(error.message).toContain('older than this call');
    expect(error.message).not.toContain('may have been processed'); // that is known now
  });
});

describe('an invoice that may be the call’s own', () => {
  test.each(UNCLEAR)('%s', async (_name, found) => {
    const { data, response } = await play(found, true);
    expect(data).toMatchObject({ created: false });
    expect(response.recovered).toBe(false);
    const error = await errorOf(play(found, false));
    expect(error).toMatchObject({ code: 'INVOICE_ALREADY_EXISTS', outcome: 'unknown' });
    expect(error).toMatchObject({ existing: { uuid: pendingInvoice.uuid } });
  });
});

test('a slow body of the response does not make an older invoice the call’s own', async () => {
  const runtime = new FakeRuntime(0.5);
  const invoice = JSON.stringify({ ...pendingInvoice, created_at: at(-8_000) });
  const slow: Step = {
    play({ response }) {
      response.writeHead(200, { 'content-type': 'application/json', date: httpDate(WAITED) });
      response.write(
        invoice.slice(0, 10),
        () =>
          onceRead(() => {
            runtime.pass(9_000);
            response.end(invoice.slice(10));
          }), // the client must have got the head before time passes
      );
    },
  };
  const server = await serve(resetAfterReading, conflict, slow);
  const { data, response } = await clientOf(server.url, { runtime }).invoices.createOrGet(order).withResponse();
  expect(data.created).toBe(false);
  expect(response.durationMs).toBe(WAITED + 9_000);
});

test('a conflict on the first attempt is never the call’s own', async () => {
  const server = await serve(conflict, ok({ ...pendingInvoice, created_at: at(60_000) }));
  const { data, response } = await clientOf(server.url).invoices.createOrGet(order).withResponse();
  expect(data.created).toBe(false);
  expect(response).toMatchObject({ recovered: false, attempts: 2 });
});

describe('a conflict that cannot be read back', () => {
  test('says so, and why', async () => {
    const server = await serve(conflict, answer(401, ''));
    const error = await errorOf(clientOf(server.url).invoices.createOrGet(order));
    expect(error).toMatchObject({ code: 'INVOICE_ALREADY_EXISTS', outcome: 'rejected', externalId: 'order-1042' });
    expect(error.message).toContain('could not be read (SDK_HTTP_401)');
    expect(error.message).not.toContain('createOrGet'); // which is what was called
    expect(error.cause).toMatchObject({ kind: 'authentication' });
  });

  test('says so where neither the path nor the list has it', async () => {
    const empty = {
      items: [],
      page: 1,
      per_page: 100,
      total_items: 0,
      total_pages: 0,
      has_next: false,
      has_prev: false,
    };
    const server = await serve(conflict, answer(404, ''), ok(empty));
    const error = await errorOf(clientOf(server.url).invoices.createOrGet(order));
    expect(error).toMatchObject({ code: 'INVOICE_ALREADY_EXISTS', existingStatus: 'pending' });
    expect(error.message).toContain('neither the path nor the pages of the list');
    expect(error.cause).toBeUndefined();
  });
});

test('attempts counts every request, those of reading back included', async () => {
  const list = {
    items: [pendingInvoice],
    page: 1,
    per_page: 100,
    total_items: 1,
    total_pages: 1,
    has_next: false,
    has_prev: false,
  };
  const server = await serve(refuse(503, null), conflict, refuse(503, null), answer(404, ''), ok(list));
  const { response } = await clientOf(server.url).invoices.createOrGet(order).withResponse();
  expect(response.attempts).toBe(5);
  expect(server.requests).toHaveLength(5);
});
