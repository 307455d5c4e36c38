import { isObject } from '../contract/json.ts';
import { ApiError, InvoiceAlreadyExistsError, ValidationError } from '../errors/classes.ts';
import type { ApiErrorKind } from '../errors/codes.ts';
import { errorKindOf, REFUSAL_CLASSES, refusalOutcome } from '../errors/refusal-kind.ts';
import { printable } from '../printable.ts';
import { type Answer, excerpt } from './answer.ts';
import { afterUnknown, type Failure, isWrite } from './failure.ts';
import {
  type Conflict,
  conflictIn,
  contradictsItself,
  findRefusal,
  holdsAttempt,
  ISSUES_MAX,
  namesAnother,
  type ValidationIssues,
  validationIssues,
} from './refusal-body.ts';
import { retryAfterOf, retryClassOf } from './retry.ts';
import type { Reading } from './scope.ts';
import { shownData } from './secrecy/shown-data.ts';

const CODE_MAX = 128;
const SAID_MAX = 300;
const NAMED_MAX = 100;
const ID_MAX = 512;

/**
 * Classifies a refusal of the service: by its code, otherwise by its status. The answer is classified unchanged. The
 * texts that an error shows are made with the error, without key and secrets.
 * @see [Failure envelope](../../docs/service-interface.md#failure-envelope)
 * @see [Handling strategy](../../docs/service-interface.md#handling-strategy)
 */
export function refusal(answer: Answer, body: unknown, reading: Reading<unknown>): Failure {
  const { status, headers, requestId } = answer;
  const { client, endpoint, externalId } = reading;
  const { redactor } = client;
  const found = findRefusal(body);
  const kind = errorKindOf(found.code, status);
  const statusCode = status === 422 ? 'VALIDATION_ERROR' : `SDK_HTTP_${status}`;
  const code = found.code === null ? statusCode : redactor.beginning(found.code, CODE_MAX);
  const retryAfter = retryAfterOf(headers, client.runtime.now());
  // The answer shows an attempt of a delivery, so the attempt was made.
  const isMade = !endpoint.idempotent && holdsAttempt(body);
  // A conflict that names another order answers another request. The result of this one is unknown.
  const isOthers = kind === 'conflict' && namesAnother(found.details, externalId);
  const isOdd = isOthers || (kind === 'request' && isWrite(endpoint) && contradictsItself(body));
  return {
    code,
    status,
    outcome: isMade || isOdd ? 'unknown' : refusalOutcome(kind, status, isWrite(endpoint)),
    retryAfter,
    retryClass: isMade ? 'never' : retryClassOf(kind, status),
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
      const end = `${REMEDY[kind]}${afterUnknown(context)}`;
      const init = {
        ...context,
        code,
        status,
        requestId,
        retryAfter,
        // Nothing of another order: its customer and payment link would stand in the logs of this one.
        details: !isOthers && isObject(details.data) ? details.data : null,
        raw: excerpt(answer, redactor),
      };
      if (kind === 'conflict') {
        // Ids and status are not escaped, because programs compare them. Only key and secrets are hidden.
        const read = conflictIn(shownData(found.details, (text, max) => redactor.beginning(text, max)).data);
        const sent = externalId === null ? null : redactor.beginning(externalId, ID_MAX);
        const conflict = { ...read, ...(isOthers && OTHERS), externalId: sent ?? read.externalId };
        const about = isOthers ? 'The answer is about another order.' : `${existingText(conflict)}${REMEDY.conflict}`;
        const message = `${start}. ${about}${afterUnknown(context)}`;
        return new InvoiceAlreadyExistsError({ ...init, ...conflict, message });
      }
      if (kind === 'validation') {
        const read = issues();
        const message = `${start}${namedIssues(read)}. ${end}`;
        return new ValidationError({ ...init, message, issues: read.issues, origin: 'service' });
      }
      const message = `${start}. ${end}`;
      if (kind !== 'request') return new REFUSAL_CLASSES[kind]({ ...init, message });
      // The class is ApiError itself, whose kind is "request" then.
      return new ApiError({ ...init, message }) as ApiError & { readonly kind: 'request' };
    },
  };
}

const REMEDY: Readonly<Record<ApiErrorKind, string>> = {
  conflict: 'No second invoice was created. invoices.createOrGet returns the existing one.',
  validation: 'Correct the fields named in error.fields.',
  rate_limit: 'Call less often, or later: error.retryAfter says when, where the service says it.',
  authentication: 'Check that apiKey belongs to this baseUrl and is allowed to do this.',
  not_found: 'Check the identifier, and that it belongs to this business.',
  server: 'The service failed. Calls that are safe to repeat were repeated.',
  request: 'Correct the request. It fails again when it is repeated unchanged.',
};

/** The facts about the existing invoice are unknown where the conflict names another order. */
const OTHERS = { existingStatus: null, existing: undefined } as const;

/** Names the existing order and its status. */
function existingText({ externalId, existingStatus }: Conflict): string {
  const order = externalId === null ? '' : ` "${printable(externalId)}"`;
  const status = existingStatus === null ? '' : ` with the status "${printable(existingStatus)}"`;
  return `The order${order} exists${status}. `;
}

/** Names the first findings, and the number of all if there are more. */
function namedIssues({ issues, total }: ValidationIssues): string {
  const first = issues.slice(0, 3);
  const words = first.map(
    ({ path, message }) => `${path === '' ? '' : `${path.slice(0, NAMED_MAX)}: `}${message.slice(0, NAMED_MAX)}`,
  );
  if (total > first.length)
    words.push(Number.isFinite(total) ? `${total} in all` : `more than ${issues.length} in all`);
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}
