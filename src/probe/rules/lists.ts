import { dateFrom } from '../../contract/values/scalars.ts';
import { type Answer, isSuccess, memberOf, pageIn, rowsIn } from '../answer.ts';
import { showsName } from '../query-names.ts';
import { type Clue, hiddenBy, type Rules, valueClue } from '../rule.ts';
import { isEmptyPage, noveltiesIn, optionalNames } from '../values-in.ts';
import type { Point, QueryPoint } from '../words.ts';
import { isIncident } from './failures.ts';
import { nothingClues, nothingForm } from './nothing.ts';

// Rules over lists: names of the query, pages, order, and members without a value.

const isListed = ({ question }: Answer): boolean => question === 'invoices' || question === 'withdrawals';

/** The name of a parameter of the withdrawals query. */
function queryNameRule(point: QueryPoint) {
  return {
    from: 'withdrawals with one name after the other, by what the name changes',
    need: 'read' as const,
    masks: ['several_forms' as const],
    clues: (answer: Answer): readonly Clue[] => {
      const { asked } = answer;
      if (asked.point !== point || asked.name === undefined || isIncident(answer)) return [];
      return showsName(answer) ? [asked.name] : [];
    },
  };
}

export const LIST_RULES = {
  withdrawalStatus: queryNameRule('withdrawalStatus'),
  withdrawalPage: queryNameRule('withdrawalPage'),
  withdrawalPageSize: queryNameRule('withdrawalPageSize'),
  withdrawalDefaultSize: {
    from: 'withdrawals without a query',
    need: 'read',
    masks: ['other_form'],
    clues: (answer) => {
      const size = answer.question === 'withdrawals' ? pageIn(answer)?.['per_page'] : undefined;
      return typeof size === 'number' ? [valueClue('withdrawalDefaultSize', size)] : [];
    },
  },
  unknownQuery: {
    from: 'withdrawals with a query name that no service has',
    need: 'read',
    masks: ['other_form'],
    clues: (answer) => {
      if (answer.question !== 'unknown query name' || isIncident(answer)) return [];
      return [isSuccess(answer) ? 'ignored' : answer.status === 422 ? 'refused' : hiddenBy('other_form')];
    },
  },
  withdrawalNulls: {
    from: 'listed withdrawals',
    need: 'hidden',
    masks: ['one_member', 'several_forms'],
    clues: (answer) =>
      answer.question === 'withdrawals'
        ? rowsIn(answer).flatMap((row) => nothingClues(row, optionalNames('withdrawals')))
        : [],
    infer: nothingForm,
  },
  invoiceNulls: {
    from: 'listed invoices',
    need: 'hidden',
    masks: ['one_member', 'several_forms'],
    clues: (answer) =>
      answer.question === 'invoices' ? rowsIn(answer).flatMap((row) => nothingClues(row, INVOICE_NAMES())) : [],
    infer: nothingForm,
  },
  listOrder: {
    from: 'listed invoices and withdrawals',
    need: 'rows',
    masks: ['other_form', 'several_forms'],
    clues: (answer) => (isListed(answer) ? orderClues(rowsIn(answer).map((row) => dateFrom(row['created_at']))) : []),
  },
  pastEnd: {
    from: 'a page after the last',
    need: 'read',
    masks: ['other_form'],
    clues: (answer) =>
      answer.question === 'invoices past the end' && !isIncident(answer) ? [pastEndClue(answer)] : [],
  },
  emptyPages: {
    from: 'a list that a filter leaves empty',
    need: 'empty',
    masks: ['other_form'],
    clues: (answer) => {
      if (answer.question === 'invoices past the end' || !isEmptyPage(answer)) return [];
      const pages = pageIn(answer)?.['total_pages'];
      return [typeof pages === 'number' ? valueClue('emptyPages', pages) : hiddenBy('other_form')];
    },
  },
  staleRates: {
    from: 'rates',
    need: 'rate',
    masks: ['no_stale_pair', 'several_forms', 'other_form'],
    clues: (answer) => (answer.question === 'rates' ? staleClues(answer) : []),
  },
  rateLimits: {
    from: 'rates',
    need: 'rate',
    masks: ['several_forms'],
    clues: (answer) => {
      const values =
        answer.question === 'rates' ? rowsIn(answer).flatMap((row) => [row['min_amount'], row['max_amount']]) : [];
      return values.map((value) => (value === undefined ? 'absent' : value === null ? 'null' : 'present'));
    },
  },
  extraMembers: {
    from: 'lists',
    need: 'read',
    clues: (answer) => {
      const found = isSuccess(answer) ? noveltiesIn(answer) : null;
      return found === null ? [] : [found.members ? 'some' : 'none'];
    },
    infer: (tally) => (tally.has('some') ? { value: 'some' } : tally.has('none') ? { value: 'none' } : null),
  },
  newWords: {
    from: 'lists',
    need: 'rate',
    clues: (answer) => {
      const found = isSuccess(answer) ? noveltiesIn(answer) : null;
      if (found?.words === true) return ['some'];
      // Rates have the smallest number of words, so only a list of them shows that there are no others.
      return answer.question === 'rates' && rowsIn(answer).length > 0 ? ['none'] : [];
    },
    infer: (tally) => (tally.has('some') ? { value: 'some' } : tally.has('none') ? { value: 'none' } : null),
  },
} satisfies Partial<Rules<Point, Answer>>;

/** A purpose without text may be what the merchant sent. */
const INVOICE_NAMES = (): readonly string[] => optionalNames('invoices').filter((name) => name !== 'purpose');

function orderClues(dates: readonly unknown[]): readonly Clue[] {
  const times = dates.flatMap((date) => (date instanceof Date ? [date.getTime()] : []));
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const [rises, falls] = [steps.some((step) => step > 0), steps.some((step) => step < 0)];
  if (rises && falls) return [hiddenBy('other_form')];
  return rises ? ['oldest'] : falls ? ['newest'] : [];
}

function pastEndClue(answer: Answer): Clue {
  const { status, asked } = answer;
  const page = pageIn(answer);
  if (page === null)
    return status === 422 ? 'invalid' : [404, 410, 400].includes(status) ? 'not_found' : hiddenBy('other_form');
  const number = page['page'];
  if (number === asked.page) return rowsIn(answer).length === 0 ? 'empty' : hiddenBy('other_form');
  return typeof number === 'number' && number < (asked.page ?? 0) ? 'last' : hiddenBy('other_form');
}

/** A pair that a source lacks, while it has both sides of another currency, was left out. */
function staleClues(answer: Answer): readonly Clue[] {
  const rows = rowsIn(answer);
  if (rows.length === 0) return [];
  const shown = rows.flatMap((row): Clue[] => {
    const price = memberOf(row, 'price');
    if (price === undefined) return ['absent'];
    return price === null ? ['null'] : price === '' ? [hiddenBy('other_form')] : [];
  });
  if (shown.length > 0) return shown;
  const sides = new Map<string, Set<unknown>>();
  for (const { platform, fiat, side } of rows) {
    if (side !== 'buy' && side !== 'sell') continue;
    const pair = JSON.stringify([platform, fiat]);
    sides.set(pair, (sides.get(pair) ?? new Set()).add(side));
  }
  const platformsOf = (count: number) =>
    [...sides].filter(([, seen]) => seen.size === count).map(([pair]) => (JSON.parse(pair) as unknown[])[0]); // written above
  const whole = new Set(platformsOf(2));
  return [platformsOf(1).some((platform) => whole.has(platform)) ? 'omitted' : hiddenBy('no_stale_pair')];
}
