import { expect, it } from 'vitest';
import { joinMoments, type Moment, momentsOf, timesOf, wordsOf } from '../../src/tools/story.ts';

/** A failed attempt, or with null an accepted one. */
const attempt = (delivery: string, number: number, at: string, error: string | null = 'returned 500'): Moment => ({
  at: new Date(at),
  lane: 'shop',
  grade: error === null ? 'pass' : 'fail',
  what: `attempt ${number} of 7`,
  text: error ?? 'returned 200',
  attempt: { delivery, number, error, fault: null },
});
const moment = (what: string): Moment => ({
  at: new Date('2026-03-01T03:00:00Z'),
  lane: 'shop',
  grade: null,
  what,
  text: '',
});
const told = (moments: readonly { readonly moment: Moment; readonly given?: string }[]): string[] =>
  joinMoments(moments).map((row) => [wordsOf(row), timesOf(row)].filter((each) => each !== null).join(', '));

it('joins attempts of one delivery that fail alike, with their times', () => {
  const moments = [
    attempt('d-1', 1, '2026-03-01T02:18:00Z'),
    attempt('d-1', 2, '2026-03-01T02:19:00Z'),
    attempt('d-1', 3, '2026-03-01T02:54:00Z'),
    attempt('d-1', 4, '2026-03-01T04:54:00Z', 'no response'),
    attempt('d-1', 5, '2026-03-02T10:54:00Z', 'no response'),
    attempt('d-1', 6, '2026-03-02T11:54:00Z', null),
  ];
  expect(told(moments.map((each) => ({ moment: each })))).toEqual([
    'attempts 1 to 3, 02:18 to 02:54',
    'attempts 4 and 5, 04:54 to 02 Mar 10:54',
    'attempt 6 of 7',
  ]);
});

it('joins them also where two deliveries take turns, and not over anything else', () => {
  const moments = [
    attempt('d-1', 1, '2026-03-01T02:00:00Z'),
    attempt('d-2', 1, '2026-03-01T02:01:00Z'),
    attempt('d-1', 2, '2026-03-01T02:02:00Z'),
    attempt('d-2', 2, '2026-03-01T02:03:00Z'),
    moment('killed'),
    attempt('d-1', 3, '2026-03-01T03:02:00Z'),
  ];
  expect(told(moments.map((each) => ({ moment: each })))).toEqual([
    'attempts 1 and 2, 02:00 to 02:02',
    'attempts 1 and 2, 02:01 to 02:03',
    'killed',
    'attempt 3 of 7',
  ]);
});

it('joins no moment that gives, although its words are the same', () => {
  const seen = [
    { moment: moment('goods'), given: 'goods' },
    { moment: moment('goods'), given: 'goods' },
  ];
  expect(told(seen)).toEqual(['goods', 'goods']);
  expect(told([{ moment: moment('returns') }, { moment: moment('returns') }])).toEqual(['returns, 03:00 to 03:00']);
});

const INVOICE = {
  external_id: 'order-7',
  status: 'expired',
  amount: '25.00',
  currency: { code: 'EUR' },
  customer_id: null,
  created_at: '2026-03-01T10:00:00Z',
  expires_at: '2026-03-01T10:30:00Z',
  finished_at: '2026-03-01T10:30:00Z',
  callback_url: null,
  payment_method: null,
  amount_to_send: null,
  settled_amount_usdt: null,
  adjustment: null,
};

it('tells all payments of an order, each with its invoice', () => {
  const paid = { status: 'success', settled_amount_usdt: '26.86' };
  const first = { ...INVOICE, ...paid, finished_at: '2026-03-01T12:00:00Z' };
  const second = {
    ...first,
    external_id: 'order-7--1',
    created_at: '2026-03-01T11:00:00Z',
    finished_at: '2026-03-01T11:10:00Z',
  };
  const moments = momentsOf([first, second].map((invoice) => ({ invoice, deliveries: [] })));
  expect(moments.map(({ at, what, text }) => `${at?.toISOString().slice(11, 16)} ${what}: ${text}`)).toEqual([
    '10:00 created: €25.00',
    '11:00 renewal 1: €25.00',
    '11:10 paid: €25.00 of €25.00, 26.860000 USDT credited (renewal 1)',
    '12:00 paid: €25.00 of €25.00, 26.860000 USDT credited',
  ]);
});
