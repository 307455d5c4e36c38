import type { FinalInvoiceStatus } from '../../src/contract/statuses.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { planOf } from '../../src/webhooks/catch-up/order-plan.ts';
import type { CatchUpInvoice } from '../../src/webhooks/event/event-types.ts';

// Every course that one order can take, up to a number of steps: its invoices at the service, the tabs of its customer, the
// webhooks, the job, and the row of the shop with the two statements of the guides. What the job plays is decided by the
// package itself.

/** The rules of the shop, and of the service. Each can be broken. */
export interface Rules {
  /** How the pay route writes `renewal`. */
  readonly write: 'raise' | 'set';
  /** Which canceled rows the pay route opens again: those with a lower renewal, or any. */
  readonly reopen: 'lower' | 'any';
  /** Whether the customer gets the link only where the pay route has changed a row. */
  readonly link: 'changed' | 'always';
  /** Which rows a cancellation touches, by their renewal. */
  readonly cancel: '<=' | '=' | 'any';
  /** Whether a cancellation also touches a row that no pay route has written. */
  readonly cancelsNew: boolean;
  /** Whether a cancellation writes its renewal. */
  readonly cancelWrites: boolean;
  /** The key of a payment. */
  readonly key: 'invoice' | 'order';
  /** Whether a payment of a canceled order is booked. */
  readonly paysCanceled: boolean;
  /** Which rows the job asks for besides the open ones. */
  readonly asks: readonly ('canceled' | 'renewal')[];
  /** Whether the service marks an invoice that is past its end, at any time after it. */
  readonly marks: boolean;
}

export const RULES: Rules = {
  write: 'raise',
  reopen: 'lower',
  link: 'changed',
  cancel: '<=',
  cancelsNew: true,
  cancelWrites: true,
  key: 'invoice',
  paysCanceled: true,
  asks: ['canceled', 'renewal'],
  marks: true,
};

interface ModelInvoice {
  readonly status: 'pending' | 'success' | Extract<FinalInvoiceStatus, 'expired'>;
  readonly isPast: boolean;
  /** Its webhook of an expiry exists, whatever came later. */
  readonly hasEnded: boolean;
}

/** An event: `paid0` is the payment of the first invoice, `canceled1` the end of the first renewal. */
type Event = `${'paid' | 'canceled'}${number}`;

export interface State {
  /** By renewal. */
  readonly invoices: readonly ModelInvoice[];
  readonly row: { readonly status: 'new' | 'pending' | 'paid' | 'canceled'; readonly renewal: number };
  /** Keys of the booked payments. */
  readonly payments: readonly string[];
  /** Events that the store of the receiver has as done. */
  readonly done: readonly Event[];
  /** What `createOrRenew` has returned to a tab whose row is not written yet. */
  readonly tabs: readonly { readonly renewal: number; readonly isPayable: boolean }[];
  /** Renewals whose link the customer has. */
  readonly links: readonly number[];
  /** What the job has read and not played yet. */
  readonly job: readonly Event[] | null;
}

export type Fault = 'live link canceled' | 'link of a paid order' | 'paid and not booked' | 'payment unheard of';

const TABS = 2;
const RENEWALS_MAX = 2;
const BEGIN: State = {
  invoices: [],
  row: { status: 'new', renewal: 0 },
  payments: [],
  done: [],
  tabs: [],
  links: [],
  job: null,
};
const isLive = ({ status, isPast }: ModelInvoice): boolean => status === 'pending' && !isPast;
const replaced = <T>(list: readonly T[], at: number, value: T): readonly T[] =>
  list.map((old, k) => (k === at ? value : old));

/** The invoice as `catchUp` reads it. */
function read({ status }: ModelInvoice, renewal: number): CatchUpInvoice {
  const external_id = renewal === 0 ? 'order-1' : `order-1--${renewal}`;
  const amount = new Decimal('25.00');
  return {
    uuid: `uuid-${renewal}`,
    external_id,
    status,
    amount,
    finished_at: null,
    settled_amount_usdt: amount,
    is_adjusted: false,
    adjustment: null,
  };
}

/** What the job plays of the order, by the package's own decision. */
const planned = ({ invoices }: State): readonly Event[] =>
  planOf(invoices.map(read), { isWhole: true, isOpen: false, isUnpaid: true }).play.map(({ uuid, status }) => {
    const renewal = Number(uuid.slice('uuid-'.length));
    return status === 'success' ? (`paid${renewal}` as const) : (`canceled${renewal}` as const);
  });

/** `createOrRenew`: the first invoice that is paid or payable, else another one. A tab without a result shows an error. */
function press(state: State): State {
  const at = state.invoices.findIndex((invoice) => invoice.status === 'success' || isLive(invoice));
  const renewal = at < 0 ? state.invoices.length : at;
  if (renewal > RENEWALS_MAX) return state;
  const created: ModelInvoice = { status: 'pending', isPast: false, hasEnded: false };
  const invoices = at < 0 ? [...state.invoices, created] : state.invoices;
  const tabs = [...state.tabs, { renewal, isPayable: invoices[renewal]?.status === 'pending' }];
  return {
    ...state,
    invoices,
    tabs: tabs.sort((a, b) => a.renewal - b.renewal || Number(a.isPayable) - Number(b.isPayable)),
  };
}

/** The statement of the pay route, and the link. Null: the customer has a link of an order that is paid. */
function offer(state: State, at: number, rules: Rules): State | null {
  const tab = state.tabs[at];
  const tabs = state.tabs.filter((_, k) => k !== at);
  if (!tab?.isPayable) return { ...state, tabs }; // it was paid: the page of the order
  const { status, renewal } = state.row;
  const isChanged =
    status === 'new' ||
    status === 'pending' ||
    (status === 'canceled' && (rules.reopen === 'any' || renewal < tab.renewal));
  const raised = rules.write === 'set' ? tab.renewal : Math.max(renewal, tab.renewal);
  const row = isChanged ? ({ status: 'pending', renewal: raised } as const) : state.row;
  if (!isChanged && rules.link === 'changed') return { ...state, tabs };
  if (status === 'paid') return null;
  return { ...state, tabs, row, links: [...new Set([...state.links, tab.renewal])].sort() };
}

/** A webhook, or an event of the job. The store drops one that is done. */
function play(state: State, event: Event, rules: Rules): State {
  if (state.done.includes(event)) return state;
  const done = [...state.done, event].sort();
  const renewal = Number(event.replace(/\D/g, ''));
  const { row, payments } = state;
  if (event.startsWith('paid')) {
    const key = rules.key === 'invoice' ? `uuid-${renewal}` : 'order-1';
    const isBooked = row.status !== 'canceled' || rules.paysCanceled;
    const booked = [...new Set([...payments, key])].sort();
    return isBooked ? { ...state, done, payments: booked, row: { ...row, status: 'paid' } } : { ...state, done };
  }
  const isMeant =
    rules.cancel === '<=' ? row.renewal <= renewal : rules.cancel === '=' ? row.renewal === renewal : true;
  const isWaiting = row.status === 'pending' || (row.status === 'new' && rules.cancelsNew);
  if (!isMeant || !isWaiting) return { ...state, done };
  return { ...state, done, row: { status: 'canceled', renewal: rules.cancelWrites ? renewal : row.renewal } };
}

const isAsked = ({ row }: State, { asks }: Rules): boolean =>
  row.status === 'pending' ||
  (asks.includes('canceled') && row.status === 'canceled') ||
  (asks.includes('renewal') && row.renewal > 0);

/** What can happen next. Null: something that must never happen. */
function* next(state: State, rules: Rules): Generator<State | null> {
  if (state.tabs.length < TABS && state.row.status !== 'paid') yield press(state);
  for (const at of state.tabs.keys()) {
    yield offer(state, at, rules);
    yield { ...state, tabs: state.tabs.filter((_, k) => k !== at) }; // the shop crashes between creation and row
  }
  for (const [renewal, invoice] of state.invoices.entries()) {
    const become = (change: Partial<ModelInvoice>): State => ({
      ...state,
      invoices: replaced(state.invoices, renewal, { ...invoice, ...change }),
    });
    if (isLive(invoice)) yield become({ isPast: true });
    if (invoice.status === 'pending' && invoice.isPast && rules.marks)
      yield become({ status: 'expired', hasEnded: true });
    if (invoice.status !== 'success' && state.links.includes(renewal)) yield become({ status: 'success' }); // in time, or late
    // a webhook that never comes is lost, and one can come again
    if (invoice.hasEnded) yield play(state, `canceled${renewal}`, rules);
    if (invoice.status === 'success') yield play(state, `paid${renewal}`, rules);
  }
  if (state.job === null && isAsked(state, rules)) yield { ...state, job: planned(state) };
  if (state.job !== null) yield { ...state.job.reduce((now, event) => play(now, event, rules), state), job: null };
}

/** The end: no webhook comes any more, all invoices are over, the last tab has crashed, and the job runs until nothing changes. */
function settled(state: State, rules: Rules): State {
  const over = (invoice: ModelInvoice): ModelInvoice =>
    invoice.status === 'pending' ? { ...invoice, isPast: true, status: rules.marks ? 'expired' : 'pending' } : invoice;
  let now = (state.job ?? []).reduce((before, event) => play(before, event, rules), state);
  now = { ...now, invoices: now.invoices.map(over) };
  for (let run = 0; run < 2; run += 1)
    if (isAsked(now, rules)) now = planned(now).reduce((old, event) => play(old, event, rules), now);
  return now;
}

/** All states within a number of steps, how many of them are wrong, and the ends at which an order that is over still waits. */
export function explore(rules: Rules, depth: number) {
  const faults: Record<Fault, number> = {
    'live link canceled': 0,
    'link of a paid order': 0,
    'paid and not booked': 0,
    'payment unheard of': 0,
  };
  const seen = new Set([JSON.stringify(BEGIN)]);
  const waiting: State[] = [];
  let frontier: readonly State[] = [BEGIN];
  for (let step = 0; frontier.length > 0; step += 1) {
    const found: State[] = [];
    for (const state of frontier) {
      const end = settled(state, rules);
      const paid = end.invoices.filter(({ status }) => status === 'success').length;
      if (state.row.status === 'canceled' && state.links.some((n) => state.invoices.slice(n, n + 1).some(isLive)))
        faults['live link canceled'] += 1;
      if (paid > 0 && end.row.status !== 'paid') faults['paid and not booked'] += 1;
      if (paid > end.payments.length) faults['payment unheard of'] += 1;
      if (paid === 0 && end.row.status === 'pending') waiting.push(end);
      if (step === depth) continue;
      for (const after of next(state, rules)) {
        if (after === null) faults['link of a paid order'] += 1;
        else {
          const key = JSON.stringify(after);
          if (seen.size < seen.add(key).size) found.push(after);
        }
      }
    }
    frontier = found;
  }
  return { states: seen.size, faults, waiting };
}
