import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/contract/values/decimal.ts';
import { dedupeKey, eventDigest } from '../../../src/webhooks/event/identity.ts';
import type { InvoiceEvent } from '../../../src/webhooks/index.ts';
import { memoryStore, type WebhookStore } from '../../../src/webhooks/index.ts';
import fc from '../../support/fast-check.ts';
import { AGAIN } from '../../support/seed.ts';
import { endpoint, paidBody, send } from '../endpoint.ts';
import { RUNTIMES } from '../runtimes.ts';
import { UUID } from '../vectors.ts';

const held = { ...paidBody, status: 'held' };

/** The events that a receiver ran its functions for, by the key it gave each. */
function keeper(store: WebhookStore = memoryStore()) {
  const keys: string[] = [];
  const keep = (_event: unknown, { dedupeKey: key }: { dedupeKey: string }) => void keys.push(key);
  const shop = endpoint({ store, onPaid: keep, onCanceled: keep, onUnknown: keep });
  return { ...shop, keys };
}

it('says of a duplicate that another handler over the store may have run it', async () => {
  const store = memoryStore();
  const [first, second] = [endpoint({ store }), endpoint({ store })];
  await send(first);
  expect(await send(second)).toMatchObject({ status: 200, body: 'duplicate' });
  const message = 'The event was handled before, by this handler or another one over the same store. Nothing was done.';
  expect([second.calls, second.reports]).toMatchObject([[], [{ reason: 'duplicate', message }]]);
});

describe.each(RUNTIMES)('the key of an event with $runtime', ({ enter }) => {
  it('tells unknown events of one invoice apart by name and by status', async () => {
    enter();
    const shop = keeper();
    const events = [
      { ...held, event: 'invoice.refund_requested', status: 'pending' },
      { ...held, event: 'invoice.disputed', status: 'pending' },
      { ...held, event: 'invoice.disputed', status: 'closed' },
      { ...held, status: 'closed' },
    ];
    for (const event of [...events, ...events]) await send(shop, event);
    expect(shop.keys).toEqual([
      `${UUID}:unknown:invoice.refund_requested:pending`,
      `${UUID}:unknown:invoice.disputed:pending`,
      `${UUID}:unknown:invoice.disputed:closed`,
      `${UUID}:unknown::closed`,
    ]);
    expect(shop.reasons()).toEqual(['duplicate', 'duplicate', 'duplicate', 'duplicate']);
  });

  it('tells events without an invoice apart by their bodies', async () => {
    enter();
    const shop = keeper();
    for (const id of ['w-1', 'w-2', 'w-1']) await send(shop, { event: 'withdrawal.approved', withdrawal: id });
    expect(new Set(shop.keys).size).toBe(2);
    expect(shop.reasons()).toEqual(['duplicate']);
  });

  it.each([
    ['a separator in the uuid', { invoice_uuid: 'a:unknown:b' }, { invoice_uuid: 'a', event: 'x.y:b' }],
    ['a separator between name and status', { event: 'a.b:c', status: 'd' }, { event: 'a.b', status: 'c:d' }],
    ['an escape written out', { status: 'a%003a' }, { status: 'a:' }],
    ['a digest written out', { status: `${'x'.repeat(80)}` }, { status: `sha256=${'0'.repeat(64)}` }],
    ['the end of a long status', { status: `${'x'.repeat(5_000)}1` }, { status: `${'x'.repeat(5_000)}2` }],
    ['the end of a long uuid', { invoice_uuid: `${'x'.repeat(127)}1` }, { invoice_uuid: `${'x'.repeat(127)}2` }],
    ['a capital in an id that is no uuid', { invoice_uuid: 'order-k' }, { invoice_uuid: 'order-K' }],
    ['a letter of another alphabet', { invoice_uuid: 'order-k' }, { invoice_uuid: 'order-\u212a' }], // Kelvin's K
    ['an accent, joined or not', { status: '\u00e9' }, { status: 'e\u0301' }],
    ['half of a surrogate pair', { status: '\ud800' }, { status: '\ud801' }],
    ['NUL', { status: 'held' }, { status: 'held\u0000' }],
    ['white space', { status: 'held' }, { status: 'held ' }],
  ])('differs by %s, and is ASCII of at most 300 characters', async (_name, one, other) => {
    enter();
    const shop = keeper();
    for (const members of [one, other, one, other]) await send(shop, { ...held, ...members });
    expect(shop.keys).toHaveLength(2);
    expect(new Set(shop.keys).size).toBe(2);
    for (const key of shop.keys) expect(key).toMatch(/^[!-~]{1,300}$/);
  });
});

it(`keys of any events are equal only for equal parts (${AGAIN})`, async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 90 }),
    fc.string({ unit: fc.constantFrom(':', '/', '%', '=', 'a', '0', '\ud800'), maxLength: 90 }),
  );
  const parts = fc.record({ namespace: text, uuid: text.filter((uuid) => uuid !== ''), name: text, status: text });
  const keyOf = (of: { namespace: string; uuid: string; name: string; status: string }, type: string) => {
    const raw = { invoice_uuid: of.uuid, event: `x.y${of.name}`, status: of.status };
    return dedupeKey({ ...raw, type, raw } as unknown as InvoiceEvent, of.namespace); // the members that a key is made of
  };
  const plain = (uuid: string): string => uuid.toLowerCase().replace(/^urn:uuid:|[{}-]/g, '');
  await fc.assert(
    fc.asyncProperty(parts, parts, fc.constantFrom('invoice.paid', 'unknown'), async (one, other, type) => {
      const same =
        one.namespace === other.namespace &&
        one.uuid === other.uuid &&
        (type === 'invoice.paid' || (one.name === other.name && one.status === other.status));
      const [first, second] = [await keyOf(one, type), await keyOf(other, type)];
      if (!same && plain(one.uuid) !== plain(other.uuid)) expect(first).not.toBe(second);
      if (same) expect(first).toBe(second);
      expect(first).not.toBe(await keyOf(one, type === 'unknown' ? 'invoice.paid' : 'invoice.canceled'));
      expect(first).toMatch(/^[!-~]{1,300}$/);
    }),
    { numRuns: 300 },
  );
});

it('a namespace keeps the events of two businesses over one table apart', async () => {
  const table = memoryStore();
  const shops = ['shop-a', 'shop-b', undefined].map((namespace) => keeper({ ...table, namespace }));
  for (const shop of [...shops, ...shops]) await send(shop);
  expect(shops.map(({ keys }) => keys)).toEqual([[`shop-a/${UUID}:paid`], [`shop-b/${UUID}:paid`], [`${UUID}:paid`]]);
  expect(shops.map((shop) => shop.reasons())).toEqual([['duplicate'], ['duplicate'], ['duplicate']]);
  expect(shops[0]?.reports[0]?.key).toBe(`shop-a/${UUID}:paid`);
});

describe.each(RUNTIMES)('records of the first release with $runtime', ({ enter }) => {
  const id = '018F3C2A-7B1D-7E2A-9C44-5D0A6B7E8F90';
  const key = '018f3c2a-7b1d-7e2a-9c44-5d0a6b7e8f90';
  const stored = (type: string, members: { invoice_uuid?: string; status?: string; event?: string } = {}) => {
    const raw = { invoice_uuid: id, status: 'success', ...members };
    const amounts = { amount: new Decimal('25.00'), credited_usdt: new Decimal('27.10'), adjusted: false };
    return { ...raw, ...amounts, type, event_name: members.event ?? null, raw } as unknown as InvoiceEvent; // the members that key and digest are made of
  };
  const digestOfX = '%00dcnknown%003aevent:sha256=d929cdeea7e6a0f46b59448d36a6fd491df8647cf292040508162ee5f6435ab8';

  // Written out, because a stored key that no longer matches would run a completed event again after an upgrade.
  it.each([
    [stored('invoice.paid'), undefined, `${key}:paid`],
    [stored('invoice.paid'), 'shop-b', `shop-b/${key}:paid`],
    [stored('invoice.canceled', { status: 'expired' }), '', `${key}:canceled`],
    [stored('invoice.paid', { invoice_uuid: `{${key.replaceAll('-', '')}}` }), 'ä/b', `%00e4%002fb/${key}:paid`],
    [
      stored('unknown', { event: 'invoice.refund_requested', status: 'pending' }),
      undefined,
      `${key}:unknown:invoice.refund_requested:pending`,
    ],
    [stored('unknown', { event: 'Ünknown:event', status: 'x'.repeat(80) }), undefined, `${key}:unknown:${digestOfX}`],
    [stored('unknown', { status: 'held' }), undefined, `${key}:unknown::held`],
    [
      stored('invoice.paid', { invoice_uuid: `Order:${'x'.repeat(100)}` }),
      undefined,
      'sha256=6baae88c3fafc45067468e6d8a935aabd18f4583b617fcc682397ca35097f916:paid',
    ],
  ])('match the key of %#', async (event, namespace, expected) => {
    enter();
    expect(await dedupeKey(event, namespace)).toBe(expected);
  });

  it('match the digest', async () => {
    enter();
    const held = { ...stored('unknown', { status: 'held' }), amount: null, credited_usdt: null } as InvoiceEvent;
    const canceled = { ...stored('invoice.canceled', { status: 'expired' }), credited_usdt: null } as InvoiceEvent;
    expect(await Promise.all([stored('invoice.paid'), held, canceled].map(eventDigest))).toEqual([
      '2.e3b0c44298fc1c149afbf4c8996fb9.c88a3db1a4515a9da1ee838bd929381',
      '2.e3b0c44298fc1c149afbf4c8996fb9.df975941ef5600fc0a70946234f5b2a',
      '2.e3b0c44298fc1c149afbf4c8996fb9.f7fd3518c20aff16a5800c7933771f1',
    ]);
  });
});
