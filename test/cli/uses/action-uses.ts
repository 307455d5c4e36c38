import { expect } from 'vitest';
import { cli, start } from '../command-line.ts';
import { gives, refuses, serves, type Uses, type Words } from './use.ts';

const ORDERED = { external_id: 'order-1042', amount: '25.00', currency: 'EUR' };

/** An action on a sandbox with one pending order. */
const on =
  (...words: readonly string[]): Words =>
  ({ sandbox, url }) => {
    sandbox.create(ORDERED);
    return ['sandbox', ...words, '--url', url];
  };
const WITHDRAWAL = '5eed0000-0000-4000-8000-000000000001';

export const ACTION_USES: Uses<'sandbox action'> = {
  terms: {
    'create AMOUNT CURRENCY': {
      good: gives(on('create', '25', 'EUR'), /^order-1001 {2}25 EUR {2}http/),
      bad: refuses(on('create', '4.99', 'EUR'), 'amount is outside the range of every payment method', { code: 1 }),
    },
    'choose IDENT METHOD': {
      good: gives(on('choose', 'order-1042', 'Bank transfer'), /^order-1042 {2}pending\n/),
      bad: refuses(on('choose', 'order-1042'), 'choose needs an order and a payment method'),
    },
    'pay IDENT': {
      good: gives(on('pay', 'order-1042'), /^order-1042 {2}success/),
      bad: refuses(on('pay'), 'pay needs an order'),
    },
    'underpay|overpay IDENT AMOUNT': {
      good: async (place) => {
        await gives(on('underpay', 'order-1042', '17.00'), 'success, 17.00 paid of 25.00')(place);
        place.sandbox.reset();
        await gives(on('overpay', 'order-1042', '30.00'), 'success, 30.00 paid of 25.00')(place);
      },
      bad: async (place) => {
        await refuses(on('underpay', 'order-1042', '30.00'), '30.00 is not less than the ordered 25.00', { code: 1 })(
          place,
        );
        place.sandbox.reset();
        await refuses(on('overpay', 'order-1042', '17.00'), '17.00 is not more than the ordered 25.00', { code: 1 })(
          place,
        );
      },
    },
    'adjust IDENT AMOUNT': {
      good: gives(on('adjust', 'order-1042', '20.00'), 'success, 20.00 paid of 25.00'),
      bad: refuses(on('adjust', 'order-1042', '1.234'), 'with at most 2 decimals', { code: 1 }),
    },
    'fail|cancel|expire IDENT': {
      good: async (place) => {
        for (const [action, end] of [
          ['fail', 'fail'],
          ['cancel', 'canceled'],
          ['expire', 'expired'],
        ] as const) {
          const order = place.sandbox.create({ amount: '25.00', currency: 'EUR' });
          const { out } = await cli(['sandbox', action, order.external_id, '--url', place.url]);
          expect(out).toContain(`${order.external_id}  ${end}`);
        }
      },
      bad: refuses(on('cancel', 'order-1'), 'order-1', { code: 1 }),
    },
    'resend IDENT': {
      good: async (place) => {
        place.sandbox.create({ ...ORDERED, callback_url: place.receiver });
        await place.sandbox.pay('order-1042');
        await gives(['sandbox', 'resend', 'order-1042', '--url', place.url], 'resent  webhook ')(place);
      },
      bad: refuses(on('resend', 'order-1042'), 'order-1042', { code: 1 }),
    },
    'explain IDENT': {
      good: async (place) => {
        place.sandbox.create({ ...ORDERED, callback_url: place.receiver });
        await place.sandbox.pay('order-1042');
        await gives(['sandbox', 'explain', 'order-1042', '--url', place.url], 'is accepted now')(place);
      },
      bad: refuses(on('explain', 'order-1042'), 'nothing to explain', { code: 1 }),
    },
    'approve|reject UUID': {
      good: gives(on('approve', WITHDRAWAL), `${WITHDRAWAL}  approved`),
      bad: refuses(on('reject', 'none'), 'none', { code: 1 }),
    },
    'assume DIALECT VALUE': {
      good: gives(on('assume', 'createStatus', '200'), 'createStatus is 200'),
      bad: refuses(on('assume', 'createStatus', '9'), 'must be one of 201, 200, 202', { code: 1 }),
    },
    'fault TYPE': {
      good: async (place) => {
        await gives(
          on('fault', 'server_error@rates.list:0.5'),
          'server_error applies to the next matching request',
        )(place);
        expect(place.sandbox.faults.queued()).toMatchObject([{ operation: 'rates.list', rate: 0.5 }]);
        await gives(['sandbox', 'fault', 'clear', '--url', place.url], 'no fault is left')(place);
        expect(place.sandbox.faults.queued()).toEqual([]);
      },
      bad: refuses(on('fault', 'flood'), 'A fault is one of .*, not "flood"', { code: 1 }),
    },
    'advance DURATION': {
      good: gives(on('advance', '1h'), 'the clock is at '),
      bad: refuses(on('advance', 'soon'), 'must be milliseconds', { code: 1 }),
    },
    'freeze|unfreeze': {
      good: async (place) => {
        await gives(on('unfreeze'), 'the clock is at ')(place);
        await gives(['sandbox', 'freeze', '--url', place.url], ', frozen')(place);
      },
      bad: refuses(on('freeze', 'now'), 'freeze does not take "now"'),
    },
    reset: {
      good: gives(on('reset', '--yes'), 'back to the beginning'),
      bad: refuses(on('reset', 'all'), 'reset does not take "all"'),
    },
    status: {
      good: async (place) => {
        await gives(on('status'), '1 invoices: 1 pending')(place);
        expect(place.sandbox.requests(), 'a look is no event').toEqual([]);
      },
      bad: refuses(['sandbox', 'status', '--url', 'http://127.0.0.1:1'], 'no sandbox listens', { code: 3 }),
    },
    events: {
      good: async ({ url, sandbox }) => {
        const run = start(['sandbox', 'events', '--url', url]);
        await run.until('following');
        sandbox.create({ external_id: 'seen', amount: '25.00', currency: 'EUR' });
        await run.until('invoice seen');
        run.interrupt();
        expect(await run.ended).toBe(0);
      },
      bad: refuses(on('events', 'now'), 'events does not take "now"'),
    },
  },
  flags: {
    url: {
      good: gives(on('status'), 'SANDBOX {2}http://127.0.0.1:'),
      bad: refuses(['sandbox', 'status', '--url', 'here'], '--url must begin with http:// or https://'),
    },
    state: {
      good: async (place) =>
        serves(['--state', place.path('s.json')], async ({ url }) => {
          const { out } = await cli(['sandbox', 'status', '--state', place.path('s.json')]);
          expect(out).toContain(url);
        })(place),
      bad: refuses(({ path }) => ['sandbox', 'status', '--state', path('none')], 'no running sandbox keeps', {
        code: 1,
      }),
    },
    method: {
      good: gives(on('pay', 'order-1042', '--method', 'Bank transfer'), 'success'),
      bad: refuses(on('pay', 'order-1042', '--method', 'Cheque'), 'No method "Cheque" for EUR', { code: 1 }),
    },
    id: {
      good: gives(on('create', '25', 'EUR', '--id', 'mine'), /^mine {2}/),
      bad: refuses(on('pay', 'order-1042', '--id', 'mine'), 'pay does not take --id'),
    },
    customer: {
      good: gives(on('create', '25', 'EUR', '--customer', 'c-9', '--json'), '"customer_id":"c-9"'),
      bad: refuses(on('create', '25', 'EUR', '--customer', ''), '--customer is empty'),
    },
    callback: {
      good: gives(on('create', '25', 'EUR', '--callback', 'http://127.0.0.1:9/w', '--json'), '"http://127.0.0.1:9/w"'),
      bad: refuses(on('create', '25', 'EUR', '--callback', 'http://shop.test/'), 'callback_url must be', { code: 1 }),
    },
    yes: {
      good: gives(on('reset', '--yes'), 'back to the beginning', { isTerminal: true }),
      bad: refuses(on('reset'), 'reset asks on a terminal'),
    },
  },
};
