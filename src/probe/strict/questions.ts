import type { SeenAnswer } from '../../dialect-file/departure.ts';
import {
  type Answer,
  type Asked,
  codeIn,
  isSuccess,
  PLAIN_IDENT,
  pageIn,
  parsed,
  type Question,
  singleIn,
  UUID,
} from '../answer.ts';
import { attemptLogsIn } from '../rules/deliveries.ts';
import { isIncident } from '../rules/failures.ts';

// The questions of the probe that an answer to a client answers as well. The client does not know what the account holds,
// so a failure counts only where its form says what failed.

/** The values of a dialect file, by point. */
export type FileValues = Readonly<Record<string, string | number>>;

/** Returns the answer once for each question that it answers, at least once. */
export function answersIn(seen: SeenAnswer, query: URLSearchParams, file: FileValues): readonly [Answer, ...Answer[]] {
  const { operation, path, status, headers, raw } = seen;
  const answer: Answer = { question: 'other', at: operation, asked: {}, status, headers, text: raw, json: parsed(raw) };
  if (isIncident(answer)) return [answer];
  const ident = decoded(path.replace(/\?.*/, '').split('/')[IDENT_AT] ?? '');
  const request = { operation, ident, query, amount: seen.amount };
  const found = isSuccess(answer) ? successOf(request, answer) : failuresOf(request, answer, file);
  const [first = answer, ...others] = found.map(([question, asked = {}]) => ({ ...answer, question, asked }));
  return [first, ...others];
}

/** `/api/v1/external/invoices/{ident}/…` */
const IDENT_AT = 5;

interface ClientRequest {
  readonly operation: string;
  readonly ident: string;
  readonly query: URLSearchParams;
  readonly amount: string | undefined;
}

type Asking = readonly [question: Question, asked?: Asked];

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

function successOf({ operation, ident, query, amount }: ClientRequest, answer: Answer): readonly Asking[] {
  switch (operation) {
    case 'invoices.create':
      return [['creation', amount === undefined ? {} : { amount }]];
    case 'invoices.list': {
      const page = pageOf(query);
      const last = pageIn(answer)?.['total_pages'];
      return page > 1 && typeof last === 'number' && page > last
        ? [['invoices past the end', { page }]]
        : [['invoices']];
    }
    case 'invoices.get': {
      const uuid = singleIn(answer, 'invoice')?.row['uuid'];
      return [[String(uuid).toLowerCase() === ident.toLowerCase() ? 'read by uuid' : 'read by external_id']];
    }
    case 'webhooks.deliveries':
      // Where each log is shown, a delivery that has failed without an attempt is one without a callback URL.
      return [['deliveries', { isSilent: attemptLogsIn(answer).every(Array.isArray) }]];
    case 'webhooks.resend':
      return [['resend']];
    case 'withdrawals.list':
      return [['withdrawals']];
    case 'withdrawals.get':
      return [['read withdrawal']];
    case 'paymentMethods.list':
      return [['methods']];
    case 'rates.list':
      return [['rates']];
    default:
      return [];
  }
}

/** The page that a list query asks for. 1 where it names none. */
const pageOf = (query: URLSearchParams): number => Number(query.get('page') ?? 1);

const KEY_CODES: ReadonlySet<string | null> = new Set(['UNAUTHORIZED', 'INVALID_API_KEY', 'AUTHENTICATION_FAILED']);

function failuresOf({ operation, ident, query }: ClientRequest, answer: Answer, file: FileValues): readonly Asking[] {
  const { status } = answer;
  const code = codeIn(answer);
  if (code === 'INVOICE_ALREADY_EXISTS') return operation === 'invoices.create' ? [['conflict']] : [];
  // FORBIDDEN may also be about a right that the key lacks.
  if (status === 401 || KEY_CODES.has(code) || (code === 'FORBIDDEN' && file['authCode'] === code))
    return [['wrong key']];
  const isInvalid = status === 422 && (code === null || code === 'VALIDATION_ERROR');
  const isMissing = code === null ? status === 404 || status === 410 : /(?:^|_)NOT_FOUND$/.test(code);
  if (!isInvalid && !isMissing) return [];
  const form: Asking = isInvalid ? ['invalid query'] : ['missing'];
  const page = pageOf(query);
  // The client checks status and page size, so a query of nothing else is refused for its page.
  const isPastEnd =
    operation === 'invoices.list' &&
    page > 1 &&
    [...query.keys()].every((name) => ['page', 'per_page', 'status'].includes(name));
  if (isPastEnd) return [form, ['invoices past the end', { page }]];
  if (operation !== 'invoices.get') return isInvalid || ident !== '' ? [form] : [];
  if (UUID.test(ident)) return isInvalid ? [form, ['read by uuid']] : [form];
  // An invoice that is not found may not exist, unless no external_id is found.
  const isAboutForm = PLAIN_IDENT.test(ident) && (isInvalid || file['invoiceReadIdent'] === 'uuid');
  return isAboutForm ? [form, ['read by external_id']] : [form];
}
