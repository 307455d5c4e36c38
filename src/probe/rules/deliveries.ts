import { isObject, type JsonObject } from '../../contract/json.ts';
import { DELIVERY_STATUSES } from '../../contract/statuses.ts';
import { dateFrom } from '../../contract/values/scalars.ts';
import { type Answer, isSuccess, memberOf } from '../answer.ts';
import { type Clue, hiddenBy, type Rules, valueClue } from '../rule.ts';
import type { Point } from '../words.ts';
import { nothingClues, nothingForm } from './nothing.ts';

// Rules over the delivery history: its shape, the names of its members, and the types in the log of attempts.

/** The members of a record under each set of names that the interface could mean. */
const NAMES = {
  long: {
    id: 'id',
    status: 'status',
    last: 'last_http_status',
    next: 'next_retry_at',
    done: 'delivered_at',
    log: 'attempt_log',
  },
  short: {
    id: 'delivery_id',
    status: 'status',
    last: 'last_status_code',
    next: 'next_retry',
    done: 'delivered_time',
    log: 'attempts',
  },
  counted: {
    id: 'webhook_id',
    status: 'state',
    last: 'last_http_status_code',
    next: 'next_attempt_at',
    done: 'received_at',
    log: 'attempt_history',
  },
} as const;

function namesOf(record: JsonObject): keyof typeof NAMES | null {
  if (Object.hasOwn(record, 'delivery_id')) return 'short';
  if (Object.hasOwn(record, 'webhook_id')) return 'counted';
  return Object.hasOwn(record, 'id') ? 'long' : null;
}

function placesOf({ json }: Answer): readonly (readonly [string, unknown])[] {
  const data = memberOf(json, 'data');
  return [
    ['bare', json],
    ['list', data],
    ['page', memberOf(data, 'items')],
    ['named', memberOf(data, 'deliveries')],
  ];
}

/** The records of a history, wherever the list stands. */
function recordsIn(answer: Answer): readonly JsonObject[] {
  if (answer.question !== 'deliveries' || !isSuccess(answer)) return [];
  const list = placesOf(answer).find(([, value]) => Array.isArray(value))?.[1];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The records of a history under the names of this package. */
export function deliveriesIn(answer: Answer): readonly JsonObject[] {
  return recordsIn(answer).flatMap((record) => {
    const style = namesOf(record);
    if (style === null) return [];
    const { status, last, next, done, log } = NAMES[style];
    return [
      {
        status: memberOf(record, status),
        last_http_status: memberOf(record, last),
        next_retry_at: memberOf(record, next),
        delivered_at: memberOf(record, done),
        created_at: memberOf(record, 'created_at'),
        attempt_log: memberOf(record, log),
      },
    ];
  });
}

/** The log of each record, unchanged. */
export function attemptLogsIn(answer: Answer): readonly unknown[] {
  return deliveriesIn(answer).map((record) => record['attempt_log']);
}

/** The entries of a record's log. */
export function attemptsIn({ attempt_log: log }: JsonObject): readonly JsonObject[] {
  return Array.isArray(log) ? log.filter(isObject) : [];
}

const eachRecord = (read: (record: JsonObject) => readonly Clue[]) => (answer: Answer) =>
  deliveriesIn(answer).flatMap(read);
const eachAttempt = (read: (attempt: JsonObject) => readonly Clue[]) =>
  eachRecord((record) => attemptsIn(record).flatMap(read));
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** True for a time before the answer: an attempt may be in progress. False where the answer has no date. */
function isPast(text: string, { headers }: Answer): boolean {
  const at = dateFrom(text);
  return at instanceof Date && at.getTime() <= Date.parse(headers.get('date') ?? '');
}

export const DELIVERY_RULES = {
  deliveriesShape: {
    from: 'the history of an invoice',
    need: 'invoice',
    masks: ['other_form'],
    clues: (answer) => {
      if (answer.question !== 'deliveries' || !isSuccess(answer)) return [];
      return [placesOf(answer).find(([, value]) => Array.isArray(value))?.[0] ?? hiddenBy('other_form')];
    },
  },
  deliveryNames: {
    from: 'a delivery',
    need: 'delivery',
    masks: ['other_form'],
    clues: (answer) => recordsIn(answer).map((record) => valueClue('deliveryNames', namesOf(record))),
  },
  deliveryNulls: {
    from: 'a delivery',
    need: 'failure',
    masks: ['one_member', 'several_forms'],
    clues: (answer) =>
      recordsIn(answer).flatMap((record) => {
        const style = namesOf(record);
        return style === null ? [] : nothingClues(record, [NAMES[style].last, NAMES[style].next, NAMES[style].done]);
      }),
    infer: nothingForm,
  },
  attemptNumbers: {
    from: 'an attempt in the history',
    need: 'delivery',
    masks: ['several_forms', 'other_form'],
    clues: eachAttempt(({ status_code, duration_ms }) =>
      [status_code, duration_ms].flatMap((value) => {
        if (typeof value === 'number') return ['number'];
        if (!isText(value)) return [];
        return [/^\d+(?:\.\d+)?$/.test(value) ? 'text' : hiddenBy('other_form')];
      }),
    ),
  },
  attemptFlags: {
    from: 'an attempt in the history',
    need: 'delivery',
    masks: ['several_forms', 'other_form'],
    clues: eachAttempt(({ success }) => {
      if ((success ?? '') === '') return [];
      if (typeof success === 'boolean') return ['boolean'];
      if (success === 0 || success === 1) return ['number'];
      return [success === 'true' || success === 'false' ? 'text' : hiddenBy('other_form')];
    }),
  },
  attemptErrors: {
    from: 'a failed attempt in the history',
    need: 'failure',
    masks: ['several_forms'],
    clues: eachAttempt(({ error }) => (isText(error) ? ['text'] : isObject(error) ? ['object'] : [])),
  },
  attemptNulls: {
    from: 'an attempt in the history',
    need: 'delivery',
    masks: ['one_member', 'several_forms'],
    clues: eachAttempt((attempt) => nothingClues(attempt, ['status_code', 'error'])),
    infer: nothingForm,
  },
  waitingDelivery: {
    from: 'a delivery between two attempts',
    need: 'waiting',
    masks: ['newWords'],
    clues: (answer) =>
      deliveriesIn(answer).flatMap((record) => {
        const { status, next_retry_at: next } = record;
        if (!isText(next) || isPast(next, answer) || attemptsIn(record).length === 0) return [];
        if (status === 'pending' || status === 'delivering') return [status];
        return DELIVERY_STATUSES.some((known) => known === status) ? [] : [hiddenBy('newWords')];
      }),
  },
  withoutCallback: {
    from: 'the history of an invoice that ended without a callback URL',
    need: 'silent',
    clues: (answer) => {
      if (answer.asked.isSilent !== true || answer.question !== 'deliveries' || !isSuccess(answer)) return [];
      const records = deliveriesIn(answer);
      const isUnsent = records.some((record) => record['status'] === 'failed' && attemptsIn(record).length === 0);
      return isUnsent ? ['failed_delivery'] : records.length === 0 ? ['nothing'] : [];
    },
    infer: (tally) =>
      tally.has('failed_delivery') ? { value: 'failed_delivery' } : tally.has('nothing') ? { value: 'nothing' } : null,
  },
} satisfies Partial<Rules<Point, Answer>>;
