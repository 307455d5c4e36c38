import { expect, it } from 'vitest';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { type FindingKind, type NotCompared, type ReconcileInvoice, reconcile } from '../../src/reconcile/index.ts';
import { fakeError } from '../../src/tools/testing/index.ts';
import { explore, RULES, type Rules, type State } from './order.ts';

// Within 40 steps, which take a minute, there are 229,246 states, and none of them is wrong.
const DEPTH = 12;
const DEPTH_OF_BROKEN = 10;
const NONE = { 'live link canceled': 0, 'link of a paid order': 0, 'paid and not booked': 0, 'payment unheard of': 0 };
const NOW = Date.UTC(2026, 0, 10);

/** What `reconcile` says of an end, the next day: of one row, which has the id of the order. */
async function findingsOf({ invoices }: State): Promise<(FindingKind | NotCompared['kind'])[]> {
  const amount = new Decimal('25.00');
  const items = invoices.map(({ status }, renewal): ReconcileInvoice => {
    const created_at = new Date(NOW - (48 - renewal) * 3_600_000);
    const finished_at = status === 'pending' ? null : new Date(created_at.getTime() + 1_800_000);
    return {
      uuid: `uuid-${renewal}`,
      external_id: renewal === 0 ? 'order-1' : `order-1--${renewal}`,
      customer_id: 'customer-7',
      callback_url: null,
      status,
      amount,
      currency: { id: 1, code: 'EUR', name: 'Euro', symbol: '€' },
      created_at,
      expires_at: new Date(created_at.getTime() + 1_800_000),
      finished_at,
      settled_amount_usdt: null,
      is_adjusted: false,
      adjustment: null,
    };
  });
  const merchant = {
    invoices: {
      list: () => ({
        async *pages() {
          yield { items, total_items: items.length };
        },
      }),
      get: async (ident: string) => {
        const invoice = items.find(({ uuid, external_id }) => ident === uuid || ident === external_id);
        if (invoice === undefined) throw fakeError('INVOICE_NOT_FOUND' as string, { status: 404 });
        return invoice;
      },
    },
  };
  const row = { external_id: 'order-1', amount: '25.00', currency: 'EUR', state: 'open' } as const;
  const found: (FindingKind | NotCompared['kind'])[] = [];
  for await (const { kind } of reconcile({ merchant, orders: [row], now: () => NOW })) found.push(kind);
  return found;
}

/** The ends of a model that differ for `reconcile`. */
const distinct = (ends: readonly State[]): State[] => [
  ...new Map(ends.map((end) => [JSON.stringify(end.invoices.map(({ status }) => status)), end])).values(),
];

it.each([
  ['marks invoices in time or late', {}],
  ['never marks one', { marks: false }],
])('no paid order ends canceled, and no live link is canceled, over a service that %s', async (_, change) => {
  const { states, faults, waiting } = explore({ ...RULES, ...change }, DEPTH);
  console.log(`${states} states, ${waiting.length} of them wait for ever, and reconcile finds each`);
  expect(faults).toEqual(NONE);
  expect(states).toBeGreaterThan(1_000);
  const ends = distinct(waiting);
  expect(ends.length).toBeGreaterThan(0);
  for (const end of ends) expect(await findingsOf(end)).toEqual(['open_but_ended']);
});

/** Each rule broken, and the fault that it causes. `waits`: more ends than with the rule, at which an order that is over waits. */
const BROKEN: readonly (readonly [name: string, change: Partial<Rules>, fault: keyof typeof NONE | 'waits'])[] = [
  ['a renewal that is set, not raised', { write: 'set' }, 'live link canceled'],
  ['a pay route that opens any canceled order', { reopen: 'any' }, 'waits'],
  ['a link where no row was changed', { link: 'always' }, 'link of a paid order'],
  ['a cancellation by renewal =', { cancel: '=' }, 'waits'],
  ['a cancellation without a renewal', { cancel: 'any' }, 'live link canceled'],
  ['a cancellation that leaves a new order', { cancelsNew: false }, 'waits'],
  ['a cancellation that does not write its renewal', { cancelWrites: false }, 'waits'],
  ['a payment keyed by its order', { key: 'order' }, 'payment unheard of'],
  ['a payment of a canceled order that is not booked', { paysCanceled: false }, 'paid and not booked'],
  ['a job that does not ask for canceled orders', { asks: ['renewal'] }, 'paid and not booked'],
  ['a job that does not ask for renewed orders', { asks: ['canceled'] }, 'payment unheard of'],
];

it('each rule is needed', () => {
  const whole = explore(RULES, DEPTH_OF_BROKEN);
  const lines = [`as it is: ${whole.states} states, ${whole.waiting.length} wait`];
  for (const [name, change, fault] of BROKEN) {
    const { states, faults, waiting } = explore({ ...RULES, ...change }, DEPTH_OF_BROKEN);
    lines.push(`${name}: ${states} states, ${waiting.length} wait, ${JSON.stringify(faults)}`);
    if (fault === 'waits') expect(waiting.length, name).toBeGreaterThan(2 * whole.waiting.length);
    else expect(faults[fault], name).toBeGreaterThan(0);
  }
  console.log(lines.join('\n'));
});
