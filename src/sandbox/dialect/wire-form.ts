import type { Dialect, NullForm } from './dialects.ts';

/** Members that carry a decimal, wherever they stand. */
const DECIMALS: ReadonlySet<string> = new Set([
  'amount',
  'amount_to_send',
  'rate',
  'settled_amount_usdt',
  'expected_amount_fiat',
  'actual_amount_fiat',
  'expected_amount_usdt',
  'actual_amount_usdt',
  'min_amount',
  'max_amount',
  'total_commission_percent',
  'client_commission_percent',
  'merchant_commission_percent',
  'price',
  'network_commission',
  'credited_usdt',
  'original_amount',
]);

type Fields = Readonly<Record<string, unknown>>;

/** A resource as the dialect writes it: decimals, members without a value, unknown members. */
export function wireForm(dialect: Dialect, fields: object, nothing: NullForm = 'null'): Fields {
  const { extraMembers } = dialect;
  const shown = withNothing(withDecimals(dialect, fields), nothing);
  return extraMembers === 'none' ? shown : { ...shown, risk_score: '0.10', tags: ['sandbox'] };
}

/** Decimals alone, inner objects included. */
export function withDecimals({ decimalForm }: Pick<Dialect, 'decimalForm'>, fields: object): Fields {
  const written = (name: string, value: unknown): unknown => {
    if (typeof value === 'string' && DECIMALS.has(name)) return decimalText(value, decimalForm);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return withDecimals({ decimalForm }, value);
  };
  if (decimalForm === 'as_given') return { ...fields };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, written(name, value)]));
}

/** Shows the members that are null as the dialect shows nothing. */
export function withNothing(fields: object, nothing: NullForm): Fields {
  if (nothing === 'null') return { ...fields };
  let count = 0;
  const entries = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (value !== null) return [[name, value]];
    count += 1;
    if (nothing === 'empty') return [[name, '']];
    return nothing === 'mixed' && count % 2 === 1 ? [[name, null]] : [];
  });
  return Object.fromEntries(entries);
}

/** The same amount with more zeros at its end, or without any. */
export function decimalText(text: string, form: Dialect['decimalForm']): string {
  if (form === 'as_given' || !/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const [whole = '', fraction = ''] = text.split('.');
  if (form === 'padded') return `${whole}.${fraction.padEnd(8, '0')}`;
  const short = fraction.replace(/0+$/, '');
  return short === '' ? whole : `${whole}.${short}`;
}

/** An instant in epoch milliseconds as the service writes it. */
export function wireTime(at: number, form: Dialect['timeForm'] = 'z'): string {
  const text = new Date(at).toISOString();
  const bare = text.slice(0, -1);
  const forms: Readonly<Record<Dialect['timeForm'], string>> = {
    z: text,
    offset: `${bare}+00:00`,
    micros: `${bare}000Z`,
    zoneless: bare,
    whole_seconds: `${bare.slice(0, 19)}Z`,
    blank: text.replace('T', ' '),
  };
  return forms[form];
}
