// Where the service interface leaves a point open, services differ. This file holds the points for which a merchant's code
// or the client must behave otherwise, and how the sandbox writes values by them. Imports only errors and checks.
import { ConfigurationError } from '../../errors/classes.ts';
import { quoted } from './option-checks.ts';

/**
 * One row of the table of dialects: a point that the service interface leaves open.
 *
 * @experimental
 */
export interface DialectEntry<Value extends string | number = string | number> {
  /** Every value that the sandbox supports, the default first. */
  readonly values: readonly [Value, ...Value[]];
  /** The first of `values`. */
  readonly default: Value;
  /** The open point, in a few words. */
  readonly openPoint: string;
}

/** A row whose first value is the default. */
function entry<const Value extends string | number>(
  openPoint: string,
  values: readonly [Value, ...Value[]],
): DialectEntry<Value> {
  return { values, default: values[0], openPoint };
}

/**
 * All dialects as data. `docs/sandbox.md` says what each value means, and which code it tests.
 *
 * @experimental
 */
export const DIALECTS = {
  createStatus: entry('HTTP status of a successful creation', [201, 200, 202]),
  unpayableAmount: entry('an amount that no payment method takes', ['refused', 'accepted']),
  conflictStatus: entry('HTTP status of INVOICE_ALREADY_EXISTS', [409, 400, 422, 200]),
  conflictDetails: entry('details of INVOICE_ALREADY_EXISTS', ['full', 'renamed', 'nested', 'absent']),
  validationShape: entry('shape of a 422', ['envelope', 'detail', 'both', 'detail_text', 'no_details']),
  failureCodes: entry('codes and statuses of the error groups', ['general', 'specific']),
  failureBody: entry('body of the error groups', ['envelope', 'bare', 'detail', 'html', 'empty']),
  retryAfterForm: entry('whether and how a rate limit with a time says when', ['seconds', 'http_date', 'absent']),
  readShape: entry('shape of single reads and of the delivery history', ['envelope', 'bare', 'named']),
  invoiceReadForm: entry('members of a single read', ['full', 'creation']),
  invoiceReadIdent: entry('accepted forms of {ident}', ['both', 'uuid', 'external_id']),
  deliveryRecord: entry('member names and types of a delivery record', ['long', 'short', 'counted']),
  nulls: entry('members that do not apply', ['null', 'absent', 'empty', 'mixed']),
  withdrawalQuery: entry('names of the query parameters of withdrawals', ['as_invoices', 'other', 'strict']),
  listOrder: entry('order of the lists', ['newest', 'oldest']),
  pastEnd: entry('a page beyond the last', ['empty', 'last', 'not_found', 'invalid']),
  decimalForm: entry('how many decimals an amount has', ['as_given', 'padded', 'trimmed']),
  laterVersion: entry('members, states and words that a later version adds', ['none', 'some']),
  signatureEncoding: entry('encoding of the signature', ['hex', 'base64']),
  timestampFormat: entry('format of the timestamp header', ['seconds', 'milliseconds', 'iso']),
  timestampPer: entry('whether each attempt has a new timestamp', ['attempt', 'delivery']),
  orderIdMember: entry("name of the merchant's order id in a webhook", [
    'external_id',
    'order_id',
    'order.id',
    'merchant_order_id',
  ]),
};

/**
 * How the sandbox fills in what the service interface leaves open, one member per point. `docs/sandbox.md` says
 * what the values mean and which code they test.
 *
 * The defaults are the likeliest reading, not knowledge. Run your tests over the others before you go live.
 *
 * @example
 * const sandbox = createSandbox({ dialect: { createStatus: 200, signatureEncoding: 'base64' } });
 * @experimental
 */
export type Dialect = { readonly [Name in keyof typeof DIALECTS]: (typeof DIALECTS)[Name]['default'] };

/**
 * The given values over the defaults.
 *
 * @throws ConfigurationError for a name or value that is not in the table.
 */
export function dialectFrom(given: { readonly [Name in keyof Dialect]?: Dialect[Name] | undefined } = {}): Dialect {
  const table: Readonly<Record<string, DialectEntry>> = DIALECTS;
  const changed = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of changed) {
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (row === undefined)
      throw new ConfigurationError(`dialect has no ${quoted(name)}, only ${Object.keys(table).join(', ')}`);
    if (!row.values.some((each) => each === value)) {
      const values = row.values.map(quoted).join(', ');
      throw new ConfigurationError(`dialect.${name} must be one of ${values}, not ${quoted(value)}`);
    }
  }
  const defaults = Object.entries(table).map(([name, row]) => [name, row.default]);
  return Object.fromEntries([...defaults, ...changed]) as unknown as Dialect; // each name has a value of its list
}

/** The value that a text names: some are numbers. An unknown text stays, and {@link dialectFrom} refuses it. */
export function dialectValue(name: string, text: string): unknown {
  const table: Readonly<Record<string, DialectEntry>> = DIALECTS;
  const values = Object.hasOwn(table, name) ? table[name]?.values : undefined;
  return values?.find((value) => String(value) === text) ?? text;
}

/** The names of members that carry a decimal, wherever they stand. */
const DECIMAL = /amount|usdt|percent|commission|^(?:rate|price)$/;

type Fields = Readonly<Record<string, unknown>>;

/** A resource as the dialect writes it: decimals, members without a value, unknown members. */
export function wireForm(dialect: Dialect, fields: object, nulls: Dialect['nulls'] = 'null'): Fields {
  const written = withNulls(withDecimals(dialect, fields), nulls);
  return dialect.laterVersion === 'none' ? written : { ...written, risk_score: '0.10', tags: ['sandbox'] };
}

/** Decimals alone, inner objects included. */
export function withDecimals({ decimalForm }: Pick<Dialect, 'decimalForm'>, fields: object): Fields {
  if (decimalForm === 'as_given') return { ...fields };
  const written = (name: string, value: unknown): unknown => {
    if (typeof value === 'string' && DECIMAL.test(name)) return decimalText(value, decimalForm);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return withDecimals({ decimalForm }, value);
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, written(name, value)]));
}

/** Writes the members that are null as the dialect does. */
export function withNulls(fields: object, nulls: Dialect['nulls']): Fields {
  if (nulls === 'null') return { ...fields };
  let count = 0;
  const entries = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (value !== null) return [[name, value]];
    count += 1;
    if (nulls === 'empty') return [[name, '']];
    return nulls === 'mixed' && count % 2 === 1 ? [[name, null]] : [];
  });
  return Object.fromEntries(entries);
}

/** The same amount with more zeros at its end, or without any. */
function decimalText(text: string, form: Dialect['decimalForm']): string {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const [whole = '', fraction = ''] = text.split('.');
  if (form === 'padded') return `${whole}.${fraction.padEnd(8, '0')}`;
  const short = fraction.replace(/0+$/, '');
  return short === '' ? whole : `${whole}.${short}`;
}
