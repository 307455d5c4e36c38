import type { MerchantClient } from '../../../client.ts';
import { endpoints } from '../../../contract/endpoints.ts';
import type { MemberNames } from '../../../contract/values/check.ts';
import { isMerchantError } from '../../../errors/guards.ts';

/**
 * What a service shows where the interface leaves a point open. It holds forms, names of members and counts, no value.
 */
export interface SurveyPoint {
  /** What was looked at, such as `invoices.list times`. */
  readonly point: string;
  /** What the service shows. */
  readonly shows: string;
  /** Whether the client can read it: `yes`, `no`, or what it does with it. */
  readonly client: string;
  /** The option of the client to set. Empty if there is nothing to pin. */
  readonly pin: string;
}

/** Rows of each list. An odd size, because a service that ignores it is not likely to have it as its default. */
const SIZE = 7;
const NAMES_SHOWN = 12;

type RawRow = Readonly<Record<string, unknown>>;
type Read = PromiseLike<unknown> & {
  withResponse(): Promise<{ readonly response: { readonly raw: string } }>;
};

/**
 * Reads each list once, the methods, the rates, one invoice and one history, and says what they show.
 *
 * @param methods The call that has read the methods.
 */
export async function survey(
  { invoices, withdrawals, rates, webhooks }: MerchantClient,
  methods: Read,
  signal: AbortSignal,
): Promise<readonly SurveyPoint[]> {
  const points: SurveyPoint[] = [];
  const [unknown, unreadable] = [new Set<string>(), new Set<string>()];
  const add = (point: string, shows: string, client = 'yes', pin = ''): void =>
    void points.push({ point, shows, client, pin });

  /** The payload of one read as it was sent. A failure becomes a point, and an empty payload. */
  const read = async (point: string, call: Read): Promise<unknown> => {
    try {
      const body: unknown = JSON.parse((await call.withResponse()).response.raw);
      return isRow(body) && 'data' in body ? body['data'] : body;
    } catch (error) {
      // The code alone: the message of a service may quote an order.
      add(point, `failed: ${isMerchantError(error) ? safeName(error.code) : 'it cannot be read'}`, 'no');
      return null;
    }
  };
  /** The rows of a read, after what they show was added. */
  const look = async (point: string, call: Read): Promise<readonly RawRow[]> => {
    const payload = await read(point, call);
    const rows = rowsIn(payload);
    for (const [what, shows] of formsIn(rows)) add(`${point} ${what}`, shows);
    for (const name of rows.flatMap((row) => unknownMembers(SHAPES[point], row)))
      unknown.add(`${point} ${safeName(name)}`);
    if (!isRow(payload) || !('items' in payload)) return rows;
    const { per_page: size } = payload;
    const asked =
      size === SIZE ? 'as asked for' : `another: per_page is ${typeof size === 'number' ? size : typeof size}`;
    const text = rows.length > SIZE ? `ignored: ${rows.length} rows for ${SIZE}` : asked;
    add(`${point} page size`, text, 'walks the list with either');
    add(`${point} order`, sortingOf(rows), 'expects no order');
    return rows;
  };
  const listOptions = (operation: string) => ({
    signal,
    onInvalidItem: ({ path }: { readonly path: string }) =>
      void unreadable.add(`${operation} ${safeName(path)}`.trim()),
  });

  await look('paymentMethods.list', methods);
  await look('rates.list', rates.list({}, listOptions('rates.list')));
  const listed = await look('invoices.list', invoices.list({ per_page: SIZE }, listOptions('invoices.list')));
  const rows = await look('withdrawals.list', withdrawals.list({ per_page: SIZE }, listOptions('withdrawals.list')));
  // The names of this query are not in the interface, so each is tried, and its effect looked at.
  if (rows.length > SIZE) add('withdrawals.list per_page', 'ignored', 'walks all pages', 'withdrawalQuery.per_page');
  const statuses = new Set(rows.map((row) => row['status']));
  const status = ['pending', 'approved', 'rejected'].find((each) => statuses.has(each));
  if (status === undefined || statuses.size < 2) {
    add('withdrawals.list status', 'not seen: it needs two withdrawals of different statuses');
  } else {
    // As a member of `query` it is sent whatever the type of the parameter says.
    const call = withdrawals.list({ per_page: SIZE }, { signal, query: { status } });
    const isFiltered = rowsIn(await read('withdrawals.list status', call)).every((row) => row['status'] === status);
    if (isFiltered) add('withdrawals.list status', 'selects rows');
    else {
      const shows = 'ignored: rows of another status came';
      add('withdrawals.list status', shows, 'leaves the other rows out', 'withdrawalQuery.status');
    }
  }
  const ended = listed.find((row) => row['status'] !== 'pending'); // an open one has no delivery yet
  const uuid = (ended ?? listed[0])?.['uuid'];
  if (typeof uuid !== 'string') add('invoices.get', 'not read: the account has no invoice');
  else {
    await look('invoices.get', invoices.get(uuid, { signal }));
    const [delivery] = await look('webhooks.deliveries', webhooks.deliveries(uuid, { signal }));
    add('webhooks.deliveries names', delivery === undefined ? 'no delivery to look at' : namesIn(delivery));
  }
  for (const point of unreadable) add(point, 'cannot be read', 'leaves the row out');
  const names = [...unknown];
  add('members that the interface does not name', names.length === 0 ? 'none' : someOf(names, ', '), 'keeps them');
  return points;
}

/** The rows of a list, of a page of one, or the one resource that was read. */
function rowsIn(payload: unknown): readonly RawRow[] {
  if (Array.isArray(payload)) return payload.filter(isRow);
  if (!isRow(payload)) return [];
  return Array.isArray(payload['items']) ? payload['items'].filter(isRow) : [payload];
}

/** The members that the client reads, by the operation that was surveyed. A history has names of this package alone. */
const SHAPES: Readonly<Record<string, (() => MemberNames) | undefined>> = {
  'paymentMethods.list': endpoints['paymentMethods.list'].item.shape,
  'rates.list': endpoints['rates.list'].item.shape,
  'invoices.list': endpoints['invoices.list'].item.shape,
  'invoices.get': endpoints['invoices.get'].data.shape,
  'withdrawals.list': endpoints['withdrawals.list'].item.shape,
};

/** The members of a row that the interface does not name, with their paths. None where it names no member. */
function unknownMembers(shape: (() => MemberNames) | undefined, row: RawRow): string[] {
  const unknownOf = (members: MemberNames['members'], of: RawRow, path: string): string[] =>
    Object.entries(of).flatMap(([name, value]) => {
      if (members === undefined) return [];
      const known = Object.hasOwn(members, name) ? members[name] : undefined;
      if (known === undefined) return [path + name];
      return isRow(value) ? unknownOf(known.members, value, `${path}${name}.`) : [];
    });
  return unknownOf(shape?.().members, row, '');
}

function isRow(value: unknown): value is RawRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortingOf(rows: readonly RawRow[]): string {
  const times = rows
    .map(({ created_at: at }) => (typeof at === 'number' ? at : typeof at === 'string' ? Date.parse(at) : Number.NaN))
    .filter((time) => !Number.isNaN(time));
  if (new Set(times).size < 2) return 'not seen: it needs two rows of different times';
  const isSorted = (sign: 1 | -1): boolean => times.every((time, at) => sign * (time - (times[at - 1] ?? time)) >= 0);
  return isSorted(-1) ? 'newest first' : isSorted(1) ? 'oldest first' : 'by neither direction of created_at';
}

const AMOUNT_NAME = /amount|rate|commission|price|usdt|^buy$|^sell$/;
const TIME_NAME = /_at$|time|date|expires/;
const DEPTH_MAX = 8;

/** The forms of the times and amounts of rows, as points. */
function formsIn(rows: readonly RawRow[]): readonly (readonly [what: string, shows: string])[] {
  const [times, amounts] = [new Set<string>(), new Set<string>()];
  const collect = (row: RawRow, depth: number): void => {
    for (const [name, value] of Object.entries(row)) {
      const inner = Array.isArray(value) ? value.slice(0, SIZE) : [value];
      if (depth < DEPTH_MAX) for (const each of inner) if (isRow(each)) collect(each, depth + 1);
      if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) continue;
      if (TIME_NAME.test(name)) times.add(timeForm(value));
      else if (AMOUNT_NAME.test(name)) amounts.add(amountForm(value));
    }
  };
  for (const row of rows) collect(row, 0);
  const found = [
    ['times', times],
    ['amounts', amounts],
  ] as const;
  return found.filter(([, forms]) => forms.size > 0).map(([what, forms]) => [what, [...forms].sort().join(', ')]);
}

function timeForm(value: string | number): string {
  if (typeof value === 'number') return value > 1e11 ? 'Unix milliseconds' : 'Unix seconds';
  const [, separator, fraction = '', zone = ''] =
    /^\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/.exec(value) ?? [];
  if (separator === undefined) return /^\d+$/.test(value) ? 'Unix time as text' : 'another form';
  const places = fraction === '' ? 'whole seconds' : `${fraction.length - 1} digits of a second`;
  return `ISO 8601 ${zone === 'Z' ? 'with Z' : zone === '' ? 'without an offset' : 'with an offset'}, ${places}`;
}

function amountForm(value: string | number): string {
  if (typeof value === 'number') return 'JSON number';
  const [form, fraction = ''] = /^-?\d+(?:\.(\d+))?$/.exec(value) ?? [];
  return form === undefined ? 'text in another form' : `text with ${fraction.length} decimals`;
}

/** A name that a service chose. Anything else may be a customer's text. */
function safeName(name: string): string {
  return /^[A-Za-z_][\w.*-]{0,80}$/.test(name) ? name : name === '' ? '' : '(another name)';
}

function someOf(names: readonly string[], separator = ' '): string {
  const shown = names.slice(0, NAMES_SHOWN).join(separator);
  return names.length > NAMES_SHOWN ? `${shown} and ${names.length - NAMES_SHOWN} more` : shown;
}

/** The names of a row and of the rows in it. */
function namesIn(row: RawRow): string {
  const names = Object.entries(row).map(([name, value]) => {
    const inner: unknown = Array.isArray(value) ? value[0] : value;
    return `${safeName(name)}${isRow(inner) ? ` (${someOf(Object.keys(inner).map(safeName))})` : ''}`;
  });
  return someOf(names);
}
