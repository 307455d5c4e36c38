import type { MerchantClient } from '../../client.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { printable } from '../../printable.ts';
import type { DriftEvent } from '../../transport/hooks.ts';

/** What a service shows where the interface leaves a point open. It holds forms, names of members and counts, no value. */
export interface SurveyPoint {
  /** What was looked at, such as `invoices.list created_at`. */
  readonly point: string;
  /** What the service shows. */
  readonly shows: string;
  /** `yes`, `no`, or what the client makes of it. */
  readonly client: string;
  /** The option of the client to set. Empty if there is nothing to pin. */
  readonly pin: string;
}

/** Rows of each list. An odd size, because a service that ignores it is not likely to have it as its default. */
const SIZE = 7;
const NAMES_SHOWN = 12;

type Read = PromiseLike<unknown> & {
  withResponse(): Promise<{ readonly data: unknown; readonly response: { readonly raw: string } }>;
};

/** Reads each list once, the methods, the rates, one invoice and one history, and says what they show. */
export class Survey {
  readonly points: SurveyPoint[] = [];
  readonly #client: MerchantClient;
  readonly #drifts: DriftEvent[];

  /** @param drifts What `onDrift` of the client has received. The survey reads it at the end. */
  constructor(client: MerchantClient, drifts: DriftEvent[]) {
    this.#client = client;
    this.#drifts = drifts;
  }

  async run(signal: AbortSignal): Promise<readonly SurveyPoint[]> {
    const { invoices, rates, paymentMethods, webhooks } = this.#client;
    const options = { signal };
    this.#forms('paymentMethods.list', await this.#read('paymentMethods.list', paymentMethods.list(options)));
    this.#forms('rates.list', await this.#read('rates.list', rates.list({}, options)));
    const rows = await this.#list('invoices.list', invoices.list({ per_page: SIZE }, options));
    await this.#withdrawals(signal);
    const uuid = rows.map((row) => row['uuid']).find((each) => typeof each === 'string');
    if (uuid === undefined) this.#say('invoices.get', 'not read: the account has no invoice');
    else {
      this.#forms('invoices.get', await this.#read('invoices.get', invoices.get(uuid, options)));
      const history = await this.#read('webhooks.deliveries', webhooks.deliveries(uuid, options));
      const deliveries = rowsOf(history);
      this.#forms('webhooks.deliveries', deliveries);
      const [first] = deliveries;
      this.#say('webhooks.deliveries names', first === undefined ? 'no delivery to look at' : namesIn(first));
    }
    for (const { operation, path, kind } of this.#drifts) {
      if (kind === 'unknown_field') continue;
      this.#say(`${operation} ${safeName(path)}`.trim(), kind.replaceAll('_', ' '), clientReads(kind));
    }
    const unknown = this.#drifts.filter(({ kind }) => kind === 'unknown_field');
    const named = unknown.slice(0, NAMES_SHOWN).map(({ operation, path }) => `${operation} ${safeName(path)}`);
    const rest = unknown.length > NAMES_SHOWN ? `, and ${unknown.length - NAMES_SHOWN} more` : '';
    const shows = unknown.length === 0 ? 'none' : `${named.join(', ')}${rest}`;
    this.#say('members that the interface does not name', shows, 'keeps them');
    return this.points;
  }

  #say(point: string, shows: string, client = 'yes', pin = ''): void {
    this.points.push({ point, shows, client, pin });
  }

  /** The payload of one read, as it was sent, or null after a failure, which becomes a point. */
  async #read(point: string, call: Read): Promise<unknown> {
    try {
      const { response } = await call.withResponse();
      return payloadOf(JSON.parse(response.raw));
    } catch (error) {
      // The code alone: the message of a service may quote an order.
      this.#say(point, `failed: ${isMerchantError(error) ? safeName(error.code) : 'it cannot be read'}`, 'no');
      return null;
    }
  }

  async #list(point: string, call: Read): Promise<readonly Row[]> {
    const page = await this.#read(point, call);
    if (page === null) return [];
    const rows = rowsOf(page);
    this.#forms(point, rows);
    const { per_page: size, total_items: total } = isRow(page) ? page : {};
    this.#say(`${point} page size`, sizeText(rows.length, size, total), 'walks the list with either');
    this.#say(`${point} order`, orderOf(rows), 'expects no order');
    return rows;
  }

  /** The names of this query are not in the interface, so each is tried, and its effect looked at. */
  async #withdrawals(signal: AbortSignal): Promise<void> {
    const { withdrawals } = this.#client;
    const rows = await this.#list('withdrawals.list', withdrawals.list({ per_page: SIZE }, { signal }));
    if (rows.length > SIZE) {
      const point = 'withdrawals.list per_page';
      this.#say(point, `ignored: ${rows.length} rows for ${SIZE}`, 'walks all pages', 'withdrawalQuery.per_page');
    }
    const statuses = new Set(rows.map((row) => row['status']));
    const status = ['pending', 'approved', 'rejected'].find((each) => statuses.has(each));
    if (status === undefined || statuses.size < 2) {
      this.#say('withdrawals.list status', 'not seen: it needs two withdrawals of different statuses');
      return;
    }
    // A word that this list has. As a member of `query` it is sent whatever the type of the parameter says.
    const call = withdrawals.list({ per_page: SIZE }, { signal, query: { status } });
    const filtered = rowsOf(await this.#read('withdrawals.list status', call));
    const isIgnored = filtered.some((row) => row['status'] !== status);
    this.#say(
      'withdrawals.list status',
      isIgnored ? 'ignored: rows of another status came' : 'selects rows',
      isIgnored ? 'leaves the other rows out' : 'yes',
      isIgnored ? 'withdrawalQuery.status' : '',
    );
  }

  /** The forms of the times and amounts, and what is null or absent. */
  #forms(point: string, payload: unknown): void {
    const rows = Array.isArray(payload) ? payload.filter(isRow) : [payload].filter(isRow);
    const times = new Set<string>();
    const amounts = new Set<string>();
    for (const row of rows) collectForms(row, { times, amounts });
    if (times.size > 0) this.#say(`${point} times`, [...times].sort().join(', '));
    if (amounts.size > 0) this.#say(`${point} amounts`, [...amounts].sort().join(', '));
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const nulls = names.filter((name) => rows.some((row) => Object.hasOwn(row, name) && row[name] === null));
    const absent = names.filter((name) => rows.some((row) => !Object.hasOwn(row, name)));
    const nothing = [
      nulls.length > 0 && `null: ${listed(nulls)}`,
      absent.length > 0 && `absent in some rows: ${listed(absent)}`,
    ].filter(Boolean);
    if (nothing.length > 0) this.#say(`${point} nothing is`, nothing.join('; '));
  }
}

type Row = Readonly<Record<string, unknown>>;

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The payload in its envelope, or as it came. */
function payloadOf(body: unknown): unknown {
  return isRow(body) && 'data' in body ? body['data'] : body;
}

function rowsOf(payload: unknown): readonly Row[] {
  const items = isRow(payload) ? Object.values(payload).find((value) => Array.isArray(value)) : payload;
  return Array.isArray(items) ? items.filter(isRow) : [];
}

function sizeText(count: number, size: unknown, total: unknown): string {
  if (count > SIZE) return `ignored: ${count} rows for ${SIZE}`;
  if (size !== SIZE) return `another: per_page is ${typeof size === 'number' ? size : typeof size}`;
  return typeof total === 'number' && total > count && count < SIZE
    ? `${count} rows for ${SIZE}, though the list has more`
    : 'as asked for';
}

function orderOf(rows: readonly Row[]): string {
  const times = rows.map((row) => instantOf(row['created_at'])).filter((time) => !Number.isNaN(time));
  if (new Set(times).size < 2) return 'not seen: it needs two rows of different times';
  const isSorted = (sign: 1 | -1): boolean => times.every((time, at) => sign * (time - (times[at - 1] ?? time)) >= 0);
  return isSorted(-1) ? 'newest first' : isSorted(1) ? 'oldest first' : 'by neither direction of created_at';
}

function instantOf(value: unknown): number {
  return typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
}

const AMOUNT_NAME = /amount|rate|commission|price|usdt|^buy$|^sell$/;
const TIME_NAME = /_at$|time|date|expires/;
const DEPTH_MAX = 8;

interface Forms {
  readonly times: Set<string>;
  readonly amounts: Set<string>;
}

function collectForms(row: Row, forms: Forms, depth = 0): void {
  for (const [name, value] of Object.entries(row)) {
    if (depth < DEPTH_MAX) {
      for (const inner of Array.isArray(value) ? value.slice(0, SIZE) : [value]) {
        if (isRow(inner)) collectForms(inner, forms, depth + 1);
      }
    }
    const time = TIME_NAME.test(name) ? timeForm(value) : null;
    const amount = AMOUNT_NAME.test(name) && time === null ? amountForm(value) : null;
    if (time !== null) forms.times.add(time);
    if (amount !== null) forms.amounts.add(amount);
  }
}

function timeForm(value: unknown): string | null {
  if (typeof value === 'number') return value > 1e11 ? 'Unix milliseconds' : 'Unix seconds';
  if (typeof value !== 'string' || value === '') return null;
  const [, separator, fraction = '', zone = ''] =
    /^\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/.exec(value) ?? [];
  if (separator === undefined) return /^\d+$/.test(value) ? 'Unix time as text' : 'another form';
  const places = fraction === '' ? 'whole seconds' : `${fraction.length - 1} digits of a second`;
  return `ISO 8601 ${zone === 'Z' ? 'with Z' : zone === '' ? 'without an offset' : 'with an offset'}, ${places}`;
}

function amountForm(value: unknown): string | null {
  if (typeof value === 'number') return 'JSON number';
  if (typeof value !== 'string' || value === '') return null;
  const [, fraction] = /^-?\d+(?:\.(\d+))?$/.exec(value) ?? [null];
  if (fraction === null) return 'text in another form';
  return `text with ${fraction?.length ?? 0} decimals`;
}

/** What the client does with a deviation. */
function clientReads(kind: DriftEvent['kind']): string {
  if (kind === 'unreadable_member') return 'null, and `unreadable` has the value';
  if (kind === 'invalid_item' || kind === 'filter_ignored') return 'leaves the row out';
  return 'yes';
}

/** Names of members that a service chose. Anything else may be a customer's text. */
function safeName(name: string): string {
  return /^[A-Za-z_][\w.*-]{0,80}$/.test(name) ? name : name === '' ? '' : '(another name)';
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map(safeName).join(' ');
  return printable(names.length > NAMES_SHOWN ? `${shown} and ${names.length - NAMES_SHOWN} more` : shown);
}

/** The names of a row and of the rows in it. */
function namesIn(row: Row): string {
  return Object.entries(row)
    .slice(0, 20)
    .map(([name, value]) => {
      const inner: unknown = Array.isArray(value) ? value[0] : value;
      const within = isRow(inner) ? ` (${Object.keys(inner).slice(0, NAMES_SHOWN).map(safeName).join(' ')})` : '';
      return `${safeName(name)}${within}`;
    })
    .join(' ');
}
