import { type Answer, memberOf } from '../answer.ts';
import { type Clue, hiddenBy, type Inference, type Rules, type Tally } from '../rule.ts';
import { valuesIn } from '../values-in.ts';
import type { Point } from '../words.ts';
import { attemptsIn, deliveriesIn } from './deliveries.ts';

// How times and amounts are written, wherever they stand.

const TIME_FORMS = {
  z: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  offset: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/,
  micros: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
  zoneless: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/,
  whole_seconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  blank: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/,
} as const;

function timeClue(value: unknown): readonly Clue[] {
  if ((value ?? '') === '') return [];
  const form = Object.entries(TIME_FORMS).find(([, pattern]) => typeof value === 'string' && pattern.test(value));
  return [form?.[0] ?? hiddenBy('other_form')];
}

/** The clues of amounts that are not values of the point. */
export const DECIMAL_CLUES = {
  ENDS_IN_ZERO: 'ends in a zero',
  NO_POINT: 'no point',
  EIGHT: 'eight decimals',
  FRACTION: 'other decimals',
  ECHO_CHANGED: 'sent with zeros, answered without',
  ECHO_SAME: 'answered as sent',
  ECHO_PADDED: 'sent with two decimals, answered with eight',
} as const;
const { ENDS_IN_ZERO, NO_POINT, EIGHT, FRACTION, ECHO_CHANGED, ECHO_SAME, ECHO_PADDED } = DECIMAL_CLUES;

function decimalClue(value: unknown): readonly Clue[] {
  if ((value ?? '') === '') return [];
  const fraction = typeof value === 'string' ? /^-?\d+(?:\.(\d+))?$/.exec(value) : null;
  if (fraction === null) return [hiddenBy('other_form')];
  const digits = fraction[1];
  if (digits === undefined) return [NO_POINT];
  if (digits.length === 8) return digits.endsWith('0') ? [EIGHT, 'padded'] : [EIGHT];
  return [digits.endsWith('0') ? ENDS_IN_ZERO : FRACTION];
}

/** The clue of an amount that was sent with zeros at its end. */
function echoClue(answer: Answer): readonly Clue[] {
  const sent = answer.asked.amount;
  const amount = memberOf(memberOf(answer.json, 'data'), 'amount');
  if (answer.question !== 'creation' || sent === undefined || typeof amount !== 'string' || !/\.\d*0$/.test(sent))
    return [];
  if (amount === sent) return [ECHO_SAME];
  if (amount === sent.replace(/\.?0+$/, '')) return [ECHO_CHANGED];
  return amount === sent.replace(/(\.\d+)$/, (fraction) => fraction.padEnd(9, '0')) ? [ECHO_PADDED] : [];
}

/** Fewer amounts without a zero at the end prove nothing. */
const MANY = 20;
const SOME = 5;

function decimalForm(tally: Tally): Inference {
  const count = (clue: Clue): number => tally.get(clue) ?? 0;
  if (count(hiddenBy('other_form')) > 0) return { maskedBy: 'other_form' };
  const others = count(NO_POINT) + count(FRACTION) + count(ENDS_IN_ZERO);
  const zeros = count(ENDS_IN_ZERO) + count(ECHO_SAME);
  if (zeros > 0) {
    if (count('padded') + count(ECHO_CHANGED) > 0) return { maskedBy: 'several_forms' };
    return { value: 'as_given', by: [ENDS_IN_ZERO, ECHO_SAME] };
  }
  if (others === 0 && count('padded') > 0 && count(EIGHT) >= SOME) return { value: 'padded', by: [EIGHT] };
  if (count(EIGHT) + others + count(ECHO_CHANGED) === 0) return null;
  const isShort = count('padded') === 0 && count(NO_POINT) > 0 && count(FRACTION) > 0 && others >= MANY;
  if (count('padded') === 0 && (count(ECHO_CHANGED) > 0 || isShort)) {
    return { value: 'trimmed', by: [NO_POINT, FRACTION, ECHO_CHANGED] };
  }
  return { maskedBy: 'few_amounts' };
}

export const FORM_RULES = {
  timeForm: {
    from: 'every time',
    need: 'invoice',
    masks: ['other_form', 'several_forms'],
    clues: (answer) => {
      const records = deliveriesIn(answer);
      const own = records.flatMap((record) => [record['next_retry_at'], record['delivered_at'], record['created_at']]);
      const tried = records.flatMap(attemptsIn).map((attempt) => attempt['created_at']);
      return [...valuesIn(answer, 'timestamp'), ...own, ...tried].flatMap(timeClue);
    },
  },
  decimalForm: {
    from: 'every amount of the lists, and the amount of a creation',
    need: 'read',
    masks: ['few_amounts', 'several_forms', 'other_form'],
    clues: (answer) => [...valuesIn(answer, 'decimal').flatMap(decimalClue), ...echoClue(answer)],
    infer: decimalForm,
  },
} satisfies Partial<Rules<Point, Answer>>;
