// The forms of a service that only the client sees: a function from fetch to fetch, which writes the responses of a sandbox
// again. The dialects that a merchant's own code must know are the sandbox's.
import { createHmac } from 'node:crypto';
import type { Dialect, SandboxFetch } from '../../src/tools/sandbox/index.ts';

/** Every value of each form, that of the sandbox first. */
export const CLIENT_DIALECTS = {
  createStatus: [201, 200, 202],
  conflictStatus: [409, 400, 422, 200],
  validationShape: ['envelope', 'detail', 'both', 'detail_text', 'no_details'],
  failureBody: ['envelope', 'bare', 'detail', 'html', 'empty'],
  retryAfterForm: ['seconds', 'http_date', 'absent'],
  readShape: ['envelope', 'bare', 'named'],
  deliveryRecord: ['long', 'short', 'counted'],
  nulls: ['null', 'absent', 'empty', 'mixed'],
  listOrder: ['newest', 'oldest'],
  pastEnd: ['empty', 'last', 'not_found', 'invalid'],
  decimalForm: ['as_given', 'padded', 'trimmed'],
} as const;

export type ClientDialect = {
  readonly [Name in keyof typeof CLIENT_DIALECTS]: (typeof CLIENT_DIALECTS)[Name][number];
};

export function clientDialect(given: Partial<ClientDialect>): ClientDialect {
  const usual = Object.entries(CLIENT_DIALECTS).map(([name, [first]]) => [name, first]);
  return { ...Object.fromEntries(usual), ...given } as ClientDialect; // each name has a value of its list
}

/** A record as it travels. */
type Json = Readonly<Record<string, unknown>>;
/** A page of a list in the form of the sandbox. */
interface Page {
  readonly items: readonly Json[];
  readonly page: number;
  readonly per_page: number;
  readonly total_items: number;
  readonly total_pages: number;
}
/** The error of a response of the sandbox. */
interface SentError {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, readonly string[]>>;
}
/** A response of the sandbox, which has the envelope of the interface. */
interface Envelope {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: SentError;
}
interface Reply {
  status: number;
  headers: Headers;
  body: unknown;
}

/** What a request asks for, by its path. */
function kindOf(request: Request): string {
  const { pathname } = new URL(request.url);
  const [resource = '', ident, more] = pathname.split('/').slice(4);
  return `${request.method} ${resource}${ident === undefined ? '' : '/:id'}${more === undefined ? '' : `/${more}`}`;
}

/** The dialect of a service: the forms, and what the sandbox behind them speaks. */
type Spoken = ClientDialect & Pick<Dialect, 'withdrawalQuery' | 'failureCodes'>;

/** A sandbox as a service that writes its responses in other forms. */
export function speaking(dialect: Spoken, fetch: SandboxFetch): SandboxFetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const ask = async (address: string): Promise<Page> =>
      (await (await fetch(address, { headers: request.headers, signal: request.signal })).json()).data;
    const response = await fetch(request.clone());
    if (!response.headers.get('content-type')?.includes('json') || response.headers.has('content-encoding'))
      return response;
    const text = await response.text();
    let body: Envelope;
    try {
      body = JSON.parse(text);
    } catch {
      return new Response(text, response);
    }
    const headers = new Headers(response.headers);
    headers.delete('content-length');
    const { status } = response;
    const written = body.success
      ? await success(dialect, request, { status, headers, body }, ask)
      : failure(dialect, { status, headers, error: body.error ?? { code: '', message: '' } }, request);
    const sent = typeof written.body === 'string' ? written.body : JSON.stringify(written.body);
    return new Response(sent === '' ? null : sent, written);
  };
}

const DONE_ONCE = new Set(['GET invoices/:id', 'GET withdrawals/:id', 'GET invoices/:id/webhooks']);

async function success(
  dialect: Spoken,
  request: Request,
  { status, headers, body }: { status: number; headers: Headers; body: Envelope },
  ask: (address: string) => Promise<Page>,
): Promise<Reply> {
  const kind = kindOf(request);
  const { data: sent, ...envelope } = body;
  let data = sent;
  if (kind === 'GET invoices' || kind === 'GET withdrawals') {
    const page = data as Page; // what the sandbox sends
    const past = pastEnd(dialect, request, page);
    if (past !== null) return failure(dialect, { headers, ...past }, request);
    data = await listed(dialect, request, page, ask);
  }
  data = inForm(dialect, kind, data);
  const created = kind === 'POST invoices' ? dialect.createStatus : status;
  if (!DONE_ONCE.has(kind) || dialect.readShape === 'envelope')
    return { status: created, headers, body: { ...envelope, data } };
  if (dialect.readShape === 'bare') return { status, headers, body: data };
  return { status, headers, body: { ...envelope, data: namedData(kind, data) } };
}

function namedData(kind: string, data: unknown): Json {
  if (kind === 'GET invoices/:id') return { invoice: data };
  if (kind === 'GET withdrawals/:id') return { withdrawal: data };
  const { length } = data as readonly unknown[]; // the history is a list
  const pages = Math.ceil(length / 20);
  return {
    ...{ items: data, page: 1, per_page: 20, total_items: length, total_pages: pages },
    ...{ has_next: pages > 1, has_prev: false },
  };
}

/** The response to a page beyond the last where it is an error, or null. */
function pastEnd(
  dialect: Spoken,
  request: Request,
  page: Page,
): { readonly status: number; readonly error: SentError } | null {
  const last = Math.max(1, page.total_pages);
  const { pastEnd: form, failureCodes } = dialect;
  if (page.page <= last || form === 'empty' || form === 'last') return null;
  if (form === 'not_found') {
    const message = `There is no page ${page.page}.`;
    const [status, code] = failureCodes === 'general' ? [404, 'NOT_FOUND'] : [410, 'PAGE_NOT_FOUND'];
    return { status, error: { code, message } };
  }
  const error = { code: 'VALIDATION_ERROR', message: 'The request is not valid.' };
  const details = { [namesOf(dialect, request).page]: [`must be at most ${last}`] };
  return { status: 422, error: { ...error, details } };
}

/** The names of the query of a list. */
function namesOf({ withdrawalQuery }: Spoken, request: Request): { readonly page: string; readonly size: string } {
  const isOther = kindOf(request) === 'GET withdrawals' && withdrawalQuery !== 'as_invoices';
  return isOther ? { page: 'page_number', size: 'limit' } : { page: 'page', size: 'per_page' };
}

/** The page in the order of the dialect, the last one in place of one beyond it. */
async function listed(
  dialect: Spoken,
  request: Request,
  page: Page,
  ask: (address: string) => Promise<Page>,
): Promise<Page> {
  const { listOrder, pastEnd: beyond } = dialect;
  const { total_items: total, total_pages: pages, per_page: size } = page;
  const last = Math.max(1, pages);
  const number = beyond === 'last' ? Math.min(page.page, last) : page.page;
  if (listOrder === 'newest' && number === page.page) return page;
  const shown = { ...page, page: number, has_next: number < pages, has_prev: number > 1 };
  const rows: Json[] = [];
  const names = namesOf(dialect, request);
  if (page.items.length === total) rows.push(...page.items);
  for (let at = 1; rows.length < total; at += 1) {
    const url = new URL(request.url);
    url.searchParams.set(names.page, String(at));
    url.searchParams.set(names.size, '100');
    const { items } = await ask(url.href);
    if (items.length === 0) break;
    rows.push(...items);
  }
  if (listOrder === 'oldest') rows.reverse();
  return { ...shown, items: rows.slice((number - 1) * size, number * size) };
}

/** The rows and records of a response in the forms of the dialect. */
function inForm(dialect: ClientDialect, kind: string, data: unknown): unknown {
  const record = (row: Json): Json => withDecimals(dialect, row);
  const each = (form: (row: Json) => Json): Json[] => (data as readonly Json[]).map(form);
  const page = (form: (row: Json) => Json): object => ({ ...(data as Page), items: (data as Page).items.map(form) });
  const one = data as Json; // the kind says which of these it is
  switch (kind) {
    case 'POST invoices':
    case 'GET invoices/:id':
      return invoiceForm(dialect, one);
    case 'GET invoices':
      return page((row) => invoiceForm(dialect, row));
    case 'GET withdrawals/:id':
      return withNulls(record(one), dialect.nulls);
    case 'GET withdrawals':
      return page((row) => withNulls(record(row), dialect.nulls));
    case 'GET invoices/:id/webhooks':
      return each((row) => deliveryForm(dialect, row));
    case 'POST invoices/:id/resend-webhook':
      return deliveryForm(dialect, one);
    default:
      return each(record); // rates and payment methods
  }
}

function invoiceForm(dialect: ClientDialect, row: Json): Json {
  // The interface says null or absent of these members, so they are never empty text.
  return withNulls(withDecimals(dialect, row), dialect.nulls === 'empty' ? 'absent' : dialect.nulls);
}

/** The members that a form of a delivery names otherwise. Empty: the form does not have it. */
const NAMES: Readonly<Record<ClientDialect['deliveryRecord'], Readonly<Record<string, string>>>> = {
  long: {},
  short: {
    id: 'delivery_id',
    event_type: 'event',
    attempts: '', // the log has as many entries
    last_http_status: 'last_status_code',
    next_retry_at: 'next_retry',
    delivered_at: 'delivered_time',
    attempt_log: 'attempts',
  },
  counted: {
    id: 'webhook_id',
    event_type: 'event_name',
    status: 'state',
    attempts: 'attempt_count',
    last_http_status: 'last_http_status_code',
    next_retry_at: 'next_attempt_at',
    delivered_at: 'received_at',
    attempt_log: 'attempt_history',
  },
};

function deliveryForm({ deliveryRecord: form, nulls }: ClientDialect, row: Json): Json {
  const attempts = (row['attempt_log'] as readonly Json[]).map((attempt) => attemptForm(form, nulls, attempt));
  const members = Object.entries({ ...row, attempt_log: attempts });
  const entries = members.map(([name, value]) => [NAMES[form][name] ?? name, value] as const);
  return withNulls(Object.fromEntries(entries.filter(([name]) => name !== '')), nulls);
}

function attemptForm(form: ClientDialect['deliveryRecord'], nulls: ClientDialect['nulls'], attempt: Json): Json {
  const { status_code, success: isGood, error, duration_ms } = attempt;
  const number = (value: unknown): unknown => (value === null || form !== 'short' ? value : String(value));
  const written = {
    ...attempt,
    status_code: number(status_code),
    success: form === 'short' ? String(isGood) : isGood,
    error: error !== null && form === 'counted' ? { type: 'delivery_failed', message: error } : error,
    duration_ms: number(duration_ms),
  };
  return withNulls(written, nulls);
}

function failure(
  dialect: ClientDialect,
  { status, headers, error }: { status: number; headers: Headers; error: SentError },
  request: Request,
): Reply {
  const body = { success: false, error };
  headers.delete('content-length');
  if (error.code === 'INVOICE_ALREADY_EXISTS') return { status: dialect.conflictStatus, headers, body };
  if (error.code === 'VALIDATION_ERROR') return { status, headers, body: validationForm(dialect, request, error) };
  retryAfter(dialect, headers);
  const { message } = error;
  switch (dialect.failureBody) {
    case 'envelope':
      return { status, headers, body };
    case 'bare':
      return { status, headers, body: error };
    case 'detail':
      return { status, headers, body: { detail: message } };
    case 'html':
      headers.set('Content-Type', 'text/html; charset=utf-8');
      return { status, headers, body: `<!doctype html><title>${status}</title><h1>${status}</h1>` };
    case 'empty':
      headers.delete('Content-Type');
      return { status, headers, body: '' };
  }
}

function validationForm({ validationShape: shape }: ClientDialect, request: Request, error: SentError): Json {
  const { details = {}, ...rest } = error;
  const where = request.method === 'GET' ? 'query' : 'body';
  const found = Object.entries(details).flatMap(([field, texts]) => texts.map((msg) => ({ field, msg })));
  const detail = found.map(({ field, msg }) => ({
    loc: field === where ? [where] : [where, field],
    msg,
    type: 'value_error',
  }));
  const envelope = { success: false, error };
  if (shape === 'envelope') return envelope;
  if (shape === 'detail') return { detail };
  if (shape === 'both') return { ...envelope, detail };
  if (shape === 'no_details') return { success: false, error: rest };
  return { detail: found.map(({ field, msg }) => `${field} ${msg}`).join('; ') };
}

/** A client compares the date with the Date header of the response, which has the time of the sandbox. */
function retryAfter({ retryAfterForm: form }: ClientDialect, headers: Headers): void {
  const seconds = headers.get('retry-after');
  if (seconds === null || form === 'seconds') return;
  if (form === 'absent') headers.delete('Retry-After');
  else
    headers.set('Retry-After', new Date(Date.parse(headers.get('date') ?? '') + Number(seconds) * 1000).toUTCString());
}

/** The names of members that carry a decimal, wherever they stand. */
const DECIMAL = /amount|usdt|percent|commission|^(?:rate|price)$/;

function withDecimals({ decimalForm: form }: Pick<ClientDialect, 'decimalForm'>, fields: Json): Json {
  if (form === 'as_given') return fields;
  const written = (name: string, value: unknown): unknown => {
    if (typeof value === 'string' && DECIMAL.test(name)) return decimalText(value, form);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return withDecimals({ decimalForm: form }, value as Json); // an object that is no list
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, written(name, value)]));
}

/** The same amount with more zeros at its end, or without any. */
function decimalText(text: string, form: ClientDialect['decimalForm']): string {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const [whole = '', fraction = ''] = text.split('.');
  if (form === 'padded') return `${whole}.${fraction.padEnd(8, '0')}`;
  const short = fraction.replace(/0+$/, '');
  return short === '' ? whole : `${whole}.${short}`;
}

function withNulls(fields: Json, nulls: ClientDialect['nulls']): Json {
  if (nulls === 'null') return fields;
  let count = 0;
  const entries = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (value !== null) return [[name, value]];
    count += 1;
    if (nulls === 'empty') return [[name, '']];
    return nulls === 'mixed' && count % 2 === 1 ? [[name, null]] : [];
  });
  return Object.fromEntries(entries);
}

/** A delivery of a sandbox with its decimals in the form of the dialect, signed again. */
export function signedAgain(
  dialect: Pick<ClientDialect, 'decimalForm'>,
  secret: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): { headers: Record<string, string>; body: string } {
  if (dialect.decimalForm === 'as_given') return { headers: { ...headers }, body };
  const written = JSON.stringify(withDecimals(dialect, JSON.parse(body)));
  const form = /^[\da-f]{64}$/.test(headers['X-Webhook-Signature'] ?? '') ? 'hex' : 'base64';
  const sign = (text: string): string =>
    createHmac('sha256', secret).update(`${headers['X-Webhook-Timestamp']}.${text}`).digest(form);
  // A fault has signed it wrongly, or has changed it on its way.
  if (sign(body) !== headers['X-Webhook-Signature']) return { headers: { ...headers }, body };
  return { headers: { ...headers, 'X-Webhook-Signature': sign(written) }, body: written };
}
