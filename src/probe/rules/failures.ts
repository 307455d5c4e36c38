import { type Answer, codeIn, failureBody, isSuccess, memberOf } from '../answer.ts';
import { type Clue, hiddenBy, type Rule, type Rules, valueClue, valueClues } from '../rule.ts';
import type { Mask, Point } from '../words.ts';

// Rules over failures: a wrong key, a missing thing, an invalid query, and incidents, which are rate limits and outages.

const CONFLICT = 'INVOICE_ALREADY_EXISTS';

/** True for an answer that is not about its request: a rate limit, or a failure of the service. */
export function isIncident(answer: Answer): boolean {
  return isRateLimit(answer) || isOutage(answer) || isUnclear(answer);
}

export function isRateLimit(answer: Answer): boolean {
  return answer.status === 429 || valueClues('rateLimitCode').includes(codeIn(answer) ?? '');
}

function isOutage(answer: Answer): boolean {
  if (isRateLimit(answer) || codeIn(answer) === CONFLICT) return false;
  return answer.status >= 500 || valueClues('serverCode').includes(codeIn(answer) ?? '');
}

/** A refusal without a code that could be a rate limit under another status. */
function isUnclear(answer: Answer): boolean {
  return answer.status === 403 && codeIn(answer) === null && answer.question !== 'wrong key';
}

interface FailureKind {
  readonly from: string;
  readonly need: 'read' | 'limit' | 'outage';
  readonly applies: (answer: Answer) => boolean;
  /** The value that a code of the service means. */
  readonly valueOfCode?: (code: string) => string;
}

/** The rules of one kind of failure: its status, its code, and the form of its body, which can hide the two others. */
function failureRules<Status extends Point, Code extends Point, Body extends Point>(
  [statusPoint, codePoint, bodyPoint]: readonly [Status, Code, Body],
  { from, need, applies, valueOfCode = (code) => code }: FailureKind,
) {
  const rule = (masks: readonly Mask[], read: (answer: Answer) => Clue): Rule<Answer> => ({
    from,
    need,
    masks,
    clues: (answer) => (applies(answer) ? [read(answer)] : []),
  });
  const isReadable = (answer: Answer): boolean => need === 'read' || isNamed(answer);
  const unreadable = hiddenBy(bodyPoint);
  return {
    status: rule(need === 'read' ? ['other_form'] : ['other_form', bodyPoint], (answer) =>
      isReadable(answer) ? valueClue(statusPoint, answer.status) : unreadable,
    ),
    code: rule(['other_form', bodyPoint], (answer) => {
      const code = codeIn(answer);
      return code === null ? unreadable : valueClue(codePoint, valueOfCode(code));
    }),
    body: rule(['other_form'], (answer) =>
      isReadable(answer) ? valueClue(bodyPoint, failureBody(answer)) : hiddenBy('other_form'),
    ),
  };
}

/** True where the status or the code says which incident it is. */
function isNamed(answer: Answer): boolean {
  return isRateLimit(answer) || valueClues('serverCode').includes(codeIn(answer) ?? '');
}

const isRefused = (answer: Answer): boolean => !isSuccess(answer) && !isIncident(answer);

const AUTH = failureRules(['authStatus', 'authCode', 'authBody'], {
  from: 'a read with a wrong key',
  need: 'read',
  applies: (answer) => answer.question === 'wrong key' && isRefused(answer),
});
const NOT_FOUND = failureRules(['notFoundStatus', 'notFoundCode', 'notFoundBody'], {
  from: 'a read of a uuid that nothing has',
  need: 'read',
  applies: (answer) => answer.question === 'missing' && isRefused(answer),
  valueOfCode: (code) =>
    code === 'NOT_FOUND' ? 'general' : /^(?:INVOICE|WITHDRAWAL)_NOT_FOUND$/.test(code) ? 'specific' : code,
});
const RATE_LIMIT = failureRules(['rateLimitStatus', 'rateLimitCode', 'rateLimitBody'], {
  from: 'a rate limit that the probe meets',
  need: 'limit',
  applies: (answer) => isRateLimit(answer) || isNameless(answer),
});
const SERVER = failureRules(['serverStatus', 'serverCode', 'serverBody'], {
  from: 'a failure that the probe meets',
  need: 'outage',
  applies: isOutage,
});

export const FAILURE_RULES = {
  authStatus: AUTH.status,
  authCode: AUTH.code,
  authBody: AUTH.body,
  notFoundStatus: NOT_FOUND.status,
  notFoundCode: NOT_FOUND.code,
  notFoundBody: NOT_FOUND.body,
  rateLimitStatus: RATE_LIMIT.status,
  rateLimitCode: RATE_LIMIT.code,
  rateLimitBody: RATE_LIMIT.body,
  serverStatus: SERVER.status,
  serverCode: SERVER.code,
  serverBody: SERVER.body,
  retryAfterForm: {
    from: 'a rate limit that the probe meets',
    need: 'limit',
    masks: ['no_header', 'other_form'],
    clues: (answer) => (isRateLimit(answer) ? [retryAfterClue(answer.headers.get('retry-after'))] : []),
  },
  validationShape: {
    from: 'a list with per_page=0',
    need: 'read',
    masks: ['other_form'],
    clues: (answer) =>
      answer.question === 'invalid query' && answer.status === 422
        ? [valueClue('validationShape', validationShape(answer))]
        : [],
  },
} satisfies Partial<Rules<Point, Answer>>;

/** 403 and 503 without a code: a rate limit could look like this. */
function isNameless(answer: Answer): boolean {
  return isUnclear(answer) || (answer.status === 503 && codeIn(answer) === null);
}

function retryAfterClue(header: string | null): Clue {
  if (header === null) return hiddenBy('no_header');
  if (/^\d+$/.test(header)) return 'seconds';
  return Number.isNaN(Date.parse(header)) ? hiddenBy('other_form') : 'http_date';
}

function validationShape({ json }: Answer): string | null {
  const detail = memberOf(json, 'detail');
  const error = memberOf(json, 'error');
  if (error === undefined) return Array.isArray(detail) ? 'detail' : typeof detail === 'string' ? 'detail_text' : null;
  if (Array.isArray(detail)) return 'both';
  const details = memberOf(error, 'details') ?? null;
  if (details === null) return 'no_details';
  const values: readonly unknown[] = typeof details === 'object' ? Object.values(details) : [];
  if (values.length === 0) return null;
  if (values.every((value) => typeof value === 'string')) return 'texts';
  return values.every(Array.isArray) ? 'envelope' : null;
}
