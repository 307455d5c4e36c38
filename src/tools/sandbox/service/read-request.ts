// What a request says: the body of a creation, the query of a list. Every problem is found before one response names
// all.
import { isLoopback } from '../../../contract/values/scalars.ts';
import { activeCurrencies, activeCurrency, isAmount, isPayable, rangesOf } from '../business/money.ts';
import type { Dialect } from '../dialects.ts';
import type { InvoiceDraft } from '../state/records.ts';
import type { World } from '../world.ts';
import { type FieldProblem, invalid } from './respond.ts';

/**
 * Reads the body of a creation by the Limits table of the interface. Lengths are in code points. Unknown members are
 * ignored.
 */
export function readDraft(world: World, body: string): InvoiceDraft {
  const { deliverTo, dialect } = world.settings;
  const source = jsonObject(body);
  const problems: FieldProblem[] = [];
  /** Reports a problem, and returns an empty text in place of the wrong value. */
  const wrong = (field: string, message: string): '' => {
    problems.push({ where: 'body', field, message });
    return '';
  };
  const text = (field: string, min: number, max: number): string => {
    const value = Object.hasOwn(source, field) ? source[field] : undefined;
    if (value === undefined) return wrong(field, 'is required');
    if (typeof value !== 'string') return wrong(field, 'must be a string');
    const { length } = [...value];
    if (length < min) return wrong(field, `must have at least ${min} characters`);
    if (length > max) return wrong(field, `must have at most ${max} characters`);
    return value;
  };
  const optional = (field: string, max: number): string | null =>
    (Object.hasOwn(source, field) ? (source[field] ?? null) : null) === null ? null : text(field, 0, max);
  const address = (field: string): string | null => {
    const before = problems.length;
    const value = optional(field, 512);
    if (value === null || problems.length > before || isSafeAddress(value, deliverTo)) return value;
    const also = 'the sandbox also takes http:// for this machine and the hosts of deliverTo';
    return wrong(field, `must be an https:// URL (${also})`);
  };
  const external_id = text('external_id', 1, 128);
  const customer_id = text('customer_id', 1, 128);
  const amount = text('amount', 1, Number.POSITIVE_INFINITY);
  if (amount !== '' && !isAmount(amount))
    wrong('amount', 'must be a decimal greater than 0 with at most 2 decimal places');
  const code = text('currency', 2, 16);
  const currency = activeCurrency(world, code);
  if (code !== '' && currency === undefined) {
    const allowed = activeCurrencies(world).join(', ') || 'none';
    wrong('currency', `is not an active currency allowed for the business: ${allowed}`);
  }
  const refusesUnpayable = dialect.unpayableAmount === 'refused' && isAmount(amount);
  if (refusesUnpayable && currency !== undefined && !isPayable(world, amount, code)) {
    wrong('amount', `is outside the range of every payment method: ${rangesOf(world, code)}`);
  }
  const purpose = optional('purpose', 255);
  const [callback_url, success_url, fail_url] = [address('callback_url'), address('success_url'), address('fail_url')];
  if (problems.length > 0 || currency === undefined) return invalid(problems);
  return { external_id, customer_id, amount, currency, purpose, callback_url, success_url, fail_url };
}

function jsonObject(body: string): Readonly<Record<string, unknown>> {
  const refuse = (message: string): never => invalid([{ where: 'body', field: null, message }]);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return refuse(body === '' ? 'is required' : 'is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('must be a JSON object');
  return value as Readonly<Record<string, unknown>>; // a parsed JSON object has text keys
}

function isSafeAddress(text: string, allowed: readonly string[]): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname) || allowed.includes(hostname.toLowerCase());
}

/** The parameters of a list: the names of its filter, page and page size, and further names. */
export interface ListParameters<Status extends string> {
  readonly status: string;
  readonly statuses: readonly Status[];
  readonly page: string;
  readonly size: string;
  readonly defaultSize: number;
  readonly further: readonly string[];
}

/** The page that a list query asks for. */
export interface PageQuery {
  readonly page: number;
  readonly size: number;
}

/** Reads the query of a list. Of several parameters with one name the last counts. @throws ErrorResponse */
export function readListQuery<Status extends string>(
  query: URLSearchParams,
  dialect: Dialect,
  names: ListParameters<Status>,
): PageQuery & { readonly status: Status | null } {
  const problems: FieldProblem[] = [];
  const wrong = (field: string, message: string): void => {
    problems.push({ where: 'query', field, message });
  };
  const integer = (name: string, max: number, byDefault: number): number => {
    const value = query.getAll(name).at(-1) ?? String(byDefault);
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (Number.isNaN(number)) wrong(name, 'must be an integer');
    else if (number < 1) wrong(name, 'must be at least 1');
    else if (number > max) wrong(name, `must be at most ${max}`);
    return number;
  };
  const word = query.getAll(names.status).at(-1);
  const status = names.statuses.find((each) => each === word) ?? null;
  if (word !== undefined && status === null) wrong(names.status, `must be one of ${names.statuses.join(', ')}`);
  const page = integer(names.page, Number.POSITIVE_INFINITY, 1);
  const size = integer(names.size, 100, names.defaultSize);
  const known = [names.status, names.page, names.size, ...names.further];
  for (const name of dialect.withdrawalQuery === 'strict' ? new Set(query.keys()) : []) {
    if (!known.includes(name)) wrong(name, 'is not a parameter of this list');
  }
  if (problems.length > 0) invalid(problems);
  return { status, page, size };
}
