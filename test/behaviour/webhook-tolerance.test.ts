import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  createWebhookHandler,
  type InvoiceEvent,
  memoryStore,
  signWebhook,
  toNodeHandler,
  type WebhookReport,
} from '../../src/webhooks/index.ts';
import { listen } from '../support/fault-server.ts';
import { paidExact } from '../support/fixtures/webhook-events.ts';

// Genuine deliveries, rightly signed, over HTTP, whose payload is not what the interface describes.

const SECRET = 'whsec_of_the_tolerance';
const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);

/** An endpoint behind a real server, and a way to deliver to it. */
async function endpoint() {
  const handled: InvoiceEvent[] = [];
  const reports: WebhookReport[] = [];
  const handler = createWebhookHandler({
    secret: SECRET,
    store: memoryStore(),
    onPaid: (event) => handled.push(event),
    onAdjusted: (event) => handled.push(event),
    onCanceled: (event) => handled.push(event),
    onReport: (report) => reports.push(report),
  });
  const url = await listen(createServer(toNodeHandler(handler)));
  const deliver = async (body: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', ...(await signWebhook(body, SECRET)) };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  return { handled, reports, deliver };
}

/** The paid event with one member written as this raw text; undefined leaves it out. */
function paid(member: string, raw: string | undefined): string {
  const { [member]: _, ...rest } = JSON.parse(paidExact) as Record<string, unknown>; // members are taken by name
  const text = JSON.stringify(rest);
  return raw === undefined ? text : `{"${member}":${raw},${text.slice(1)}`;
}

const { invoice_uuid, ...members } = JSON.parse(paidExact) as Record<string, unknown>; // members are taken by name
const split = JSON.stringify({ invoice_uuid, data: members });

describe('a payload that cannot be read is answered 500, so that the service repeats it', () => {
  it.each([
    ['no invoice_uuid', paid('invoice_uuid', undefined)],
    ['no order id', paid('external_id', undefined)],
    ['no status', paid('status', undefined)],
    ['no amount', paid('amount', undefined)],
    ['no credited_usdt', paid('credited_usdt', undefined)],
    ['credited_usdt null', paid('credited_usdt', 'null')],
    ['a huge exponent', paid('credited_usdt', '"1e1000000000"')],
    ['a huge number', paid('amount', '1e400')],
    ['a number that has lost digits', paid('credited_usdt', '108.69565200000001')],
    ['adjusted as text', paid('adjusted', '"false"')],
    ['a negative credited_usdt', paid('credited_usdt', '"-108.695652"')],
    ['the order id under a weak name', paid('external_id', undefined).replace('{', '{"order_id":"order-1",')],
    ['the order id in an object, under a weak name', paid('external_id', undefined).replace('{', '{"order":{"id":7},')],
    ['200 kB of digits', paid('amount', `"${'9'.repeat(200_000)}"`)],
    ['200 kB of uuid', paid('invoice_uuid', `"${'9'.repeat(200_000)}"`)],
    ['100,000 brackets as an amount', paid('amount', DEEP)],
    ['100,000 brackets as a status', paid('status', DEEP)],
    ['100,000 brackets', DEEP],
    ['half of it', paidExact.slice(0, 60)],
    ['nothing', ''],
    ['null', 'null'],
    ['a status on __proto__', paid('status', undefined).replace('{', '{"__proto__":{"status":"success"},')],
  ])('%s', async (_, body) => {
    const { deliver, handled, reports } = await endpoint();
    expect(await deliver(body)).toBe(500);
    expect(handled).toEqual([]);
    expect(reports.map(({ reason }) => reason)).toEqual(['malformed_payload']);
    expect(reports[0]?.message.length).toBeLessThan(1_000);
    expect(await deliver(paidExact)).toBe(200); // nothing was lost: the repeat is fulfilled
    expect(handled).toHaveLength(1);
  });

  it('is refused by its size before it is read', async () => {
    const { deliver, handled } = await endpoint();
    expect(await deliver(paid('purpose', `"${'x'.repeat(10_000_000)}"`))).toBe(413);
    expect(await deliver(paidExact)).toBe(200);
    expect(handled).toHaveLength(1);
  });
});

describe('an event that is not known to be a payment is not fulfilled, and not acknowledged', () => {
  it.each([
    ['a test', paid('event', '"test"')],
    ['an event named by its kind only', paid('event', '"terminal"')],
    ['the id of the event where its name may stand', paid('event', '"evt_01HXYZ"')],
    ['another name beside the known one', paid('event', '"webhook.sent","event_name":"invoice.paid"')],
    ['a refund', paid('type', '"invoice.refunded"')],
    ['the name with a namespace', paid('event', '"com.merchant.invoice.paid"')],
    ['the name with a version', paid('event', '"invoice.paid.v1"')],
    ['a name that is no text', paid('event', '{"type":"invoice.paid"}')],
    ['100,000 brackets as a name', paid('event', DEEP)],
  ])('%s', async (_, body) => {
    const { deliver, handled, reports } = await endpoint();
    expect(await deliver(body)).toBe(500);
    expect(handled).toEqual([]);
    expect(reports.map(({ reason }) => reason)).toEqual(['unknown_payment']);
  });
});

describe('a payload that is strange and can be read is fulfilled', () => {
  it.each([
    ['a JSON number for an amount', paid('amount', '100')],
    ['the order id as a number', paid('external_id', '1044')],
    ['100,000 brackets where nobody looks', paid('extra', DEEP)],
    ['200 kB of text where nobody looks', paid('extra', `"${'x'.repeat(200_000)}"`)],
    ['__proto__', paid('__proto__', '{"isAdmin":true}')],
    ['constructor', paid('constructor', '{"prototype":{"isAdmin":true}}')],
    ['its name in capitals', paid('event', '"INVOICE_PAID"')],
    ['adjusted without the original amount', paid('adjusted', 'true')],
    ['the order id in an object', paid('external_id', undefined).replace('{', '{"order":{"external_id":"order-1"},')],
    ['members in an envelope beside the uuid', split],
  ])('%s', async (_, body) => {
    const { deliver, handled, reports } = await endpoint();
    expect(await deliver(body)).toBe(200);
    expect(await deliver(body)).toBe(200);
    expect(handled).toHaveLength(1);
    expect(handled[0]?.amount?.toString()).toBe('100');
    expect(handled[0]?.credited_usdt?.toString()).toBe('108.695652');
    expect(reports.map(({ reason }) => reason)).toEqual(['duplicate']);
    expect({}).not.toHaveProperty('isAdmin');
  });
});
