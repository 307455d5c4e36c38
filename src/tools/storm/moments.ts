import { MINUTE, type PlannedCustomer } from './customers.ts';

// The day as data: a list of moments. A moment is one act, or two or three that begin together. Two that begin together
// are the rule, since a customer returns while the webhook is on its way; those that stay single are the control group
// by which a cause is named.

/** What somebody does. */
export type Act =
  /** `isAfterError`: only where the customer has no link yet. */
  | { readonly does: 'press'; readonly who: PlannedCustomer; readonly words: string; readonly isAfterError?: true }
  /** Ends the payment of the invoice that the customer saw last, or of the first one, which is open in an old tab. */
  | {
      readonly does: 'pay';
      readonly who: PlannedCustomer;
      readonly link: 'last' | 'first';
      readonly share: 'planned' | 'whole';
    }
  | { readonly does: 'return'; readonly who: PlannedCustomer; readonly reads?: 'fail' }
  /** The service sends the webhook of the first invoice's end, which was held until now. */
  | { readonly does: 'end'; readonly who: PlannedCustomer }
  /** A stranger sends a webhook. */
  | { readonly does: 'forge'; readonly who: PlannedCustomer }
  /** The service corrects a payment, as after a dispute. It sends no webhook. */
  | { readonly does: 'correct'; readonly who: PlannedCustomer }
  /** A turn of the shop's own job. */
  | { readonly does: 'job'; readonly reads?: 'fail' };

export interface Moment {
  /** Milliseconds after the start of the day. */
  readonly at: number;
  readonly acts: readonly Act[];
  /** True for a turn of the job that is left out where no invoice has ended since the one before. */
  readonly isIdleTurn?: true;
  /** True for a turn of the job after the last attempt of the service: no fault is left then. */
  readonly isEnd?: true;
}

const SECOND = 1_000;
const HOUR = 60 * MINUTE;
/** The service makes its last attempt after 20 hours and 36 minutes. */
const UNTIL_GIVEN_UP = 22 * HOUR;
/** A dispute is decided after the day. */
const UNTIL_DISPUTE = 48 * HOUR;
/** Turns of the job that are doubled. More would cost a large storm too much. */
const DOUBLED_MAX = 24;

/** @param jobEvery How often the job of the shop runs, or null where it has none. */
export function momentsOf(plans: readonly PlannedCustomer[], jobEvery: number | null): readonly Moment[] {
  const own = plans.flatMap((plan) => actsOf(plan, jobEvery !== null));
  // A twin that is not played leaves the other one alone.
  const moments = [...Map.groupBy(own, ({ with: key }) => key).values()].flatMap((group): Moment[] => {
    const [first] = group;
    return first === undefined ? [] : [{ at: first.at, acts: group.flatMap(({ acts }) => acts) }];
  });
  const last = Math.max(0, ...moments.map(({ at }) => at));
  const turns = jobEvery === null ? [] : turnsOf(jobEvery, last, plans);
  const day = [...turns, ...moments].sort((a, b) => a.at - b.at); // at one time the job is first, as it always was
  // Without a job the clock moves all the same: the service repeats its webhooks.
  return [...day, ...(jobEvery === null ? [{ at: last + UNTIL_GIVEN_UP, acts: [] }] : endOf(plans, last))];
}

interface TimedActs {
  readonly at: number;
  /** Acts with the same key begin together. */
  readonly with: string;
  readonly acts: readonly Act[];
}

function actsOf(who: PlannedCustomer, hasJob: boolean): TimedActs[] {
  const { kind, arrives, ends, renews, webhook, twin, paysWith, paysBoth, order } = who;
  const press = (words: string): Act => ({ does: 'press', who, words });
  const alone = (at: number, name: string, ...acts: readonly Act[]): TimedActs => ({
    at,
    with: `${name} ${order.id}`,
    acts,
  });
  const pay = (link: 'last' | 'first', share: 'planned' | 'whole'): Act => ({ does: 'pay', who, link, share });
  const first: readonly Act[] =
    kind === 'two_tabs' ? [press('presses pay in one tab'), press('presses pay in another')] : [press('presses pay')];
  const number = Number(order.id.slice('order-'.length));
  const visit: Act = { does: 'return', who, ...(number % 12 === 5 && { reads: 'fail' }) };
  const begins = (does: 'press' | 'pay'): string => `${does} ${twin?.does === does ? twin.order : order.id}`;
  const payment = kind === 'old_tab' || paysBoth === 'old_first' ? pay('first', 'whole') : pay('last', 'planned');
  // Where no webhook tells of it, a job that asks for canceled orders once an hour has booked the renewal before.
  const untilFirst = (webhook === 'lost' ? 85 : 25) * MINUTE;
  const isLastFirst = paysBoth === 'last_first' || paysBoth === 'part_first';
  const further = paysBoth === 'together' ? [pay('first', 'whole')] : [];
  const beside: readonly Act[] =
    paysWith === 'return'
      ? [visit]
      : paysWith === 'press'
        ? [press('presses pay in another tab')]
        : paysWith === 'job' && hasJob
          ? [{ does: 'job' }]
          : further;
  // The end is let in first: it reads what the payment changes.
  const before: readonly Act[] = paysWith === 'end' ? [{ does: 'end', who }] : [];
  return [
    { at: arrives, with: begins('press'), acts: first },
    alone(arrives + 2 * MINUTE - 1, 'error', { ...press('comes back after the error'), isAfterError: true } as Act),
    ...(kind === 'click_twice' ? [alone(arrives + SECOND, 'again', press('clicks again'))] : []),
    ...(kind === 'come_back' ? [alone(arrives + 10 * MINUTE, 'again', press('comes back'))] : []),
    ...renews.map((at) => alone(at, `renewal ${at}`, press('comes back after the end'))),
    ...(webhook === 'forged' ? [alone(ends, 'forge', { does: 'forge', who })] : []),
    { at: ends, with: begins('pay'), acts: [...before, payment, ...beside] },
    ...(paysWith === 'return' ? [] : [alone(ends, 'return', visit)]),
    ...(paysBoth === 'old_first' ? [alone(ends + 3 * MINUTE, 'both', pay('last', 'whole'))] : []),
    ...(isLastFirst ? [alone(ends + untilFirst, 'both', pay('first', 'whole'))] : []),
    ...(kind === 'pay_rest'
      ? [
          alone(ends + 4 * MINUTE, 'rest', press('comes back to pay the rest')),
          alone(ends + 7 * MINUTE, 'paid rest', pay('last', 'whole')),
        ]
      : []),
  ];
}

/** The turns of the job. Each ninth meets a service that fails, and so does the first one after some lost webhooks. */
function turnsOf(every: number, last: number, plans: readonly PlannedCustomer[]): Moment[] {
  const lost = plans.filter(({ webhook, kill }) => webhook === 'lost' && kill === null);
  const hit = lost.filter(({ kind }, index) => kind === 'pay' || index % 3 === 0);
  const failing = new Set(hit.map(({ ends }) => Math.floor(ends / every) + 1));
  let doubled = 0;
  return Array.from({ length: Math.floor(last / every) + 1 }, (_, turn): Moment => {
    const fails = turn % 9 === 8 || failing.has(turn);
    const isDoubled = !fails && turn % 5 === 2 && doubled < DOUBLED_MAX;
    if (isDoubled) doubled += 1;
    const job: Act = { does: 'job', ...(fails && { reads: 'fail' }) };
    return { at: turn * every, acts: isDoubled ? [job, job] : [job], isIdleTurn: true };
  });
}

/** After the last attempt of the service. Two turns: what the first finds in progress, the second finds done. */
function endOf(plans: readonly PlannedCustomer[], last: number): Moment[] {
  const at = last + UNTIL_GIVEN_UP;
  const corrections = plans.filter(({ kind }) => kind === 'dispute');
  const job: Act = { does: 'job' };
  const after = corrections.map((who): Moment => ({ at: last + UNTIL_DISPUTE, acts: [{ does: 'correct', who }] }));
  const turns = [at, at + HOUR, ...(after.length > 0 ? [last + UNTIL_DISPUTE + 1, last + UNTIL_DISPUTE + HOUR] : [])];
  return [...turns.map((each): Moment => ({ at: each, acts: [job], isEnd: true })), ...after].sort(
    (a, b) => a.at - b.at,
  );
}
