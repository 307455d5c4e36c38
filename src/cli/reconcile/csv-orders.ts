import { BadOrder, ORDER_STATES, type ReconcileOrder } from '../../reconcile/read/order-row.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { misuse } from '../io.ts';
import { CsvError, type CsvRecord, readCsv } from './csv-reader.ts';

type Column = 'external_id' | 'amount' | 'currency' | 'credited_usdt' | 'state';

const REQUIRED: readonly Column[] = ['external_id', 'amount', 'currency', 'state'];
const COLUMNS: readonly Column[] = [...REQUIRED, 'credited_usdt'];
const EXAMPLE = exampleOf(COMMANDS.reconcile);

/** How a file is to be read. */
export interface CsvForm {
  /** `--column NAME=HEADER` */
  readonly columns: readonly string[];
  /** `--state WORD=STATE` */
  readonly states: readonly string[];
  readonly hasDecimalComma: boolean;
}

type Fields = ReadonlyMap<Column, number>;

/**
 * Reads orders from CSV, one at a time. A record that cannot be read is not dropped: it becomes an order that cannot be
 * compared.
 *
 * @throws CliError for flags and headers that do not fit, and for a text that is not CSV.
 */
export async function* csvOrders(
  pieces: AsyncIterable<Uint8Array>,
  { columns, states, hasDecimalComma }: CsvForm,
): AsyncGenerator<ReconcileOrder, void, undefined> {
  const headers = pairsOf('--column', columns, COLUMNS, 0);
  const words = pairsOf('--state', states, ORDER_STATES, 1);
  let header: CsvRecord | null = null;
  let fields: Fields = new Map();
  try {
    for await (const record of readCsv(pieces)) {
      if (header === null) {
        header = record;
        fields = fieldsOf(record, headers);
        continue;
      }
      // The run reads a BadOrder as what it is. Its type is not public.
      yield orderOf(record, header.fields.length, fields, { words, hasDecimalComma }) as ReconcileOrder;
    }
  } catch (error) {
    if (error instanceof CsvError) throw misuse(error.message, EXAMPLE);
    throw error;
  }
  if (header === null) throw misuse('the file of orders is empty: it needs a header', EXAMPLE);
}

/** Reads flags such as `amount=Total`. `known` has the words that are allowed at the place `at`. */
function pairsOf(flag: string, flags: readonly string[], known: readonly string[], at: 0 | 1): Map<string, string> {
  return new Map(
    flags.map((text) => {
      const cut = text.indexOf('=');
      const pair = [text.slice(0, Math.max(0, cut)), text.slice(cut + 1)] as const;
      if (cut < 1 || pair[1] === '' || !known.includes(pair[at])) {
        const form = at === 0 ? 'NAME=HEADER, where NAME' : 'WORD=STATE, where STATE';
        throw misuse(`${flag} takes ${form} is ${known.join(', ')}, not ${JSON.stringify(text)}`, EXAMPLE);
      }
      return at === 0 ? pair : [plain(pair[0]), pair[1]];
    }),
  );
}

function plain(word: string): string {
  return word.trim().toLowerCase();
}

function fieldsOf({ fields }: CsvRecord, headers: ReadonlyMap<string, string>): Fields {
  const names = fields.map(plain);
  const found = new Map<Column, number>();
  for (const column of COLUMNS) {
    const name = plain(headers.get(column) ?? column);
    const at = names.indexOf(name);
    if (names.indexOf(name, at + 1) > at && at >= 0) {
      throw misuse(`the header has ${JSON.stringify(name)} twice`, `${EXAMPLE} --column ${column}=HEADER`);
    }
    if (at >= 0) found.set(column, at);
    else if (REQUIRED.includes(column) || headers.has(column)) {
      const has = fields.slice(0, 20).map((field) => JSON.stringify(field.slice(0, 40)));
      throw misuse(
        `the header has no ${JSON.stringify(name)}, it has ${has.join(', ')}`,
        `${EXAMPLE} --column ${column}=HEADER`,
      );
    }
  }
  return found;
}

function orderOf(
  { fields, line, problem }: CsvRecord,
  count: number,
  columns: Fields,
  form: { readonly words: ReadonlyMap<string, string>; readonly hasDecimalComma: boolean },
): { readonly [Name in keyof ReconcileOrder]: unknown } | BadOrder {
  const place = `line ${line}`;
  if (problem !== null) return new BadOrder(`the record ${problem}`, place);
  if (fields.length !== count) {
    return new BadOrder(`the record has ${fields.length} fields, and the header has ${count}`, place);
  }
  const cell = (column: Column): string => fields[columns.get(column) ?? -1] ?? '';
  const amount = (column: Column): string => {
    const text = cell(column).trim();
    return form.hasDecimalComma ? withPoint(text) : text;
  };
  const state = plain(cell('state'));
  return {
    external_id: cell('external_id'),
    amount: amount('amount'),
    currency: cell('currency').trim(),
    credited_usdt: amount('credited_usdt') || null,
    state: form.words.get(state) ?? state,
    place,
  };
}

const WITH_COMMA = /^(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/;

/** Text of another form stays as it is, and is refused as an amount. */
function withPoint(text: string): string {
  return WITH_COMMA.test(text) ? text.replaceAll('.', '').replace(',', '.') : text.replace(/\./, ' ');
}
