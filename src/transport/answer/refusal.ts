import { isObject } from '../../contract/json.ts';
import {
  ApiError,
  AuthenticationError,
  type CallError,
  InvoiceAlreadyExistsError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ValidationError,
} from '../../errors/classes.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { ApiErrorInit } from '../../errors/inits.ts';
import { printable } from '../../printable.ts';
import { afterUnknown, type Failure } from '../failure.ts';
import { retryAfterOf } from '../retry.ts';
import { shownData } from '../secrecy/shown-data.ts';
import { type Answer, excerpt, type Reading } from './answer.ts';
import { type Conflict, conflictIn } from './conflict.ts';
import { contradictsItself, findRefusal, holdsAttempt } from './refusal-body.ts';
import { classOf, type ErrorClass, refusalOutcome, retryClassOf } from './refusal-class.ts';
import { ISSUES_MAX, type ValidationIssues, validationIssues } from './validation-issues.ts';

const CODE_MAX = 128;
const SAID_MAX = 300;
const NAMED_MAX = 100;
const ID_MAX = 512;

/**
 * A refusal as the service words it: code first, status second. It is classified as it came; what is shown of it is
 * made when the error is made, without key and secrets.
 * @see [Failure envelope](../../../docs/service-interface.md#failure-envelope)
 * @see [Handling strategy](../../../docs/service-interface.md#handling-strategy)
 */
export function refusal(answer: Answer, body: unknown, reading: Reading<unknown>): Failure {
  const { status, headers, requestId } = answer;
  const { redactor } = reading;
  const found = findRefusal(body);
  const errorClass = classOf(found.code, status);
  const code = codeOf(found.code === null ? null : redactor.beginning(found.code, CODE_MAX), status);
  const retryAfter = retryAfterOf(headers, reading.now());
  // An attempt that is answered was made, and an answer with the thing itself may have made it.
  const isMade = !reading.isIdempotent && holdsAttempt(body);
  // A conflict that names another order answers another request: what became of this one is not known.
  const isOthers = errorClass === 'conflict' && namesAnother(found.details, reading.externalId);
  const isOdd = isOthers || (errorClass === 'request' && reading.isWrite && contradictsItself(body));
  return {
    code,
    status,
    outcome: isMade || isOdd ? 'unknown' : refusalOutcome(errorClass, status, reading.isWrite),
    retryAfter,
    retryClass: isMade ? 'never' : retryClassOf(errorClass, status),
    toError: (context) => {
      const visible = (text: string, max: number) => printable(redactor.beginning(text, max));
      const details = shownData(found.details, visible);
      const issues = () => {
        const detail = shownData(found.detail, visible);
        const all = validationIssues(details.data, detail.data);
        const isMore = all.issues.length === ISSUES_MAX && (details.isCut || detail.isCut);
        return isMore ? { ...all, total: Number.POSITIVE_INFINITY } : all;
      };
      const said = found.message === null ? '' : ` "${visible(found.message, SAID_MAX)}"`;
      const start = `${context.operation}: HTTP ${status} ${printable(code)}${said}`;
      const end = `${REMEDY[errorClass]}${afterUnknown(context)}`;
      const init = {
        ...context,
        code,
        status,
        requestId,
        retryAfter,
        details: isObject(details.data) ? details.data : null,
        raw: excerpt(answer, redactor),
      };
      if (errorClass === 'conflict') {
        // Ids and status as they came, the key apart: programs compare them.
        const read = conflictIn(shownData(found.details, (text, max) => redactor.beginning(text, max)).data);
        const sent = reading.externalId === null ? null : redactor.beginning(reading.externalId, ID_MAX);
        const conflict = { ...read, ...(isOthers && OTHERS), externalId: sent ?? read.externalId };
        const about = isOthers ? 'The answer is about another order.' : `${existing(conflict)}${REMEDY.conflict}`;
        const message = `${start}. ${about}${afterUnknown(context)}`;
        return new InvoiceAlreadyExistsError({ ...init, ...conflict, message });
      }
      if (errorClass === 'validation') {
        const read = issues();
        const message = `${start}${named(read)}. ${end}`;
        return new ValidationError({ ...init, message, issues: read.issues, origin: 'service' });
      }
      return errorOf(errorClass, { ...init, message: `${start}. ${end}` });
    },
  };
}

function codeOf(found: string | null, status: number): ErrorCode {
  return found ?? (status === 422 ? 'VALIDATION_ERROR' : `SDK_HTTP_${status}`);
}

function errorOf(errorClass: Exclude<ErrorClass, 'conflict' | 'validation'>, init: ApiErrorInit): CallError {
  switch (errorClass) {
    case 'authentication':
      return new AuthenticationError(init);
    case 'not_found':
      return new NotFoundError(init);
    case 'rate_limit':
      return new RateLimitError(init);
    case 'server':
      return new ServerError(init);
    case 'request':
      // The class is ApiError itself, whose kind is "request" then.
      return new ApiError(init) as ApiError & { readonly kind: 'request' };
  }
}

const REMEDY: Readonly<Record<ErrorClass, string>> = {
  conflict: 'No second invoice was created; invoices.createOrGet returns the existing one.',
  validation: 'Correct the fields named in error.fields.',
  rate_limit: 'Call less often, or later: error.retryAfter says when, where the service says it.',
  authentication: 'Check that apiKey belongs to this baseUrl and is allowed to do this.',
  not_found: 'Check the identifier, and that it belongs to this business.',
  server: 'The service failed; calls that are safe to repeat were repeated.',
  request: 'Correct the request; repeating it unchanged fails again.',
};

/** What is known of the own order where the conflict is about another one. */
const OTHERS = { existingStatus: null, existing: undefined } as const;

/** Without case and outer blanks, which a service may not keep. */
function namesAnother(details: unknown, sent: string | null): boolean {
  if (!isObject(details)) return false;
  const holders = [details, details['invoice'], details['existing_invoice'], details['existing']].filter(isObject);
  const named = holders.map((holder) => holder['external_id']).find((id) => id !== undefined && id !== null);
  if (typeof named !== 'string' || named === '' || sent === null) return false;
  return named.trim().toLowerCase() !== sent.trim().toLowerCase();
}

/** Which order it is, and how it stands. */
function existing({ externalId, existingStatus }: Conflict): string {
  if (externalId === null && existingStatus === null) return '';
  const order = externalId === null ? '' : ` "${printable(externalId)}"`;
  const status = existingStatus === null ? '' : ` with the status "${printable(existingStatus)}"`;
  return `The order${order} exists${status}. `;
}

/** The first findings by name, and how many there are where there are more. */
function named({ issues, total }: ValidationIssues): string {
  const first = issues.slice(0, 3);
  const words = first.map(
    ({ path, message }) => `${path === '' ? '' : `${path.slice(0, NAMED_MAX)}: `}${message.slice(0, NAMED_MAX)}`,
  );
  if (total > first.length)
    words.push(Number.isFinite(total) ? `${total} in all` : `more than ${issues.length} in all`);
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}
