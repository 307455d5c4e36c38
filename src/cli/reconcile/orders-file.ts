import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { isObject } from '../../contract/json.ts';
import { ORDER_STATES } from '../../reconcile/compare.ts';
import type { ReconcileOrder, UnreadableOrder } from '../../reconcile/findings.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { misuse } from '../io.ts';

type Column = 'external_id' | 'amount' | 'currency' | 'state' | 'credited_usdt' | 'created_at';

const REQUIRED: readonly Column[] = ['external_id', 'amount', 'currency', 'state'];
const COLUMNS: readonly Column[] = [...REQUIRED, 'credited_usdt', 'created_at'];
const EXAMPLE = exampleOf(COMMANDS.reconcile);
const DELIMITERS = [',', ';', '\t'] as const;
/** The header is looked for in so many bytes. A longer record has a quote that is not closed. */
const RECORD_MAX = 65_536;

/** How a file is to be read. */
export interface FileForm {
  /** `--column NAME=HEADER` */
  readonly columns: readonly string[];
  /** `--state WORD=STATE` */
  readonly states: readonly string[];
  readonly hasDecimalComma: boolean;
}

type Row = ReconcileOrder | UnreadableOrder;

/** A record of the file, by the names of its header or its members. */
interface FileRecord {
  readonly cells: Readonly<Record<string, unknown>>;
  readonly place: string;
  readonly problem?: string;
}

/**
 * Reads orders from CSV or JSON lines, one at a time. A record that cannot be read is not dropped: it becomes an order that
 * cannot be compared.
 *
 * @throws CliError for flags and headers that do not fit, and for a text that is not CSV.
 */
export async function* ordersOf(
  pieces: AsyncIterable<Uint8Array>,
  form: FileForm,
): AsyncGenerator<Row, void, undefined> {
  const headers = pairsOf('--column', form.columns, COLUMNS, 0);
  const words = pairsOf('--state', form.states, ORDER_STATES, 1);
  const { head, all } = await headOf(pieces);
  if (head.trim() === '') throw misuse('the file of orders is empty: it needs a header', EXAMPLE);
  const records = head.trimStart().startsWith('{') ? jsonLines(all) : csvRecords(all, head, headers);
  for await (const record of records) yield orderOf(record, headers, words, form.hasDecimalComma);
}

/** The beginning as text, and all bytes again. */
async function headOf(pieces: AsyncIterable<Uint8Array>) {
  const iterator = pieces[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let [size, isOver] = [0, false];
  while (size < RECORD_MAX && !isOver) {
    const { done = false, value } = await iterator.next();
    isOver = done;
    if (done) break;
    first.push(value);
    size += value.length;
  }
  const bytes = Buffer.concat(first);
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  async function* all(): AsyncGenerator<Uint8Array, void, undefined> {
    yield bytes;
    while (!isOver) {
      const { done = false, value } = await iterator.next();
      if (done) return;
      yield value;
    }
  }
  return { head: bytes.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\ufeff/, ''), all: all() };
}

async function* csvRecords(
  bytes: AsyncIterable<Uint8Array>,
  head: string,
  headers: ReadonlyMap<string, string>,
): AsyncGenerator<FileRecord, void, undefined> {
  const [firstLine = ''] = head.split(/[\r\n]/, 1);
  const hint = /^sep=(.)$/i.exec(firstLine)?.[1]; // a spreadsheet writes what separates the fields
  const delimiter = hint ?? delimiterOf(firstLine);
  const parser = parse({
    delimiter,
    bom: true,
    info: true,
    raw: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: RECORD_MAX,
    from_line: hint === undefined ? 1 : 2,
  });
  pipeline(Readable.from(bytes), parser, () => {}); // an error comes out of the loop
  let names: readonly string[] | null = null;
  try {
    for await (const { record, info, raw } of parser as AsyncIterable<ParsedRecord>) {
      if (record.some((cell) => cell.includes('\ufffd'))) {
        throw misuse('the text is neither UTF-8 nor UTF-16: save the file as UTF-8', EXAMPLE);
      }
      if (names === null) {
        names = record.map(plain);
        checkHeader(record, names, headers);
        continue;
      }
      const place = `line ${info.lines - (raw.replace(/\r?\n$/, '').match(/\n/g)?.length ?? 0)}`;
      const cells = Object.fromEntries(record.map((cell, at) => [names?.[at] ?? '', cell]));
      const isWhole = record.length === names.length;
      const problem = `the record has ${record.length} fields, and the header has ${names.length}`;
      yield isWhole ? { cells, place } : { cells, place, problem };
    }
  } catch (error) {
    if (error instanceof CsvError) throw misuse(`the file of orders is not CSV: ${error.message}`, EXAMPLE);
    throw error;
  }
}

/** What the parser yields with `info` and `raw`. Its types do not follow these options. */
interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
  readonly raw: string;
}

async function* jsonLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileRecord, void, undefined> {
  let line = 0;
  for await (const text of linesOf(bytes)) {
    line += 1;
    if (text.trim() === '') continue;
    const place = `line ${line}`;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // reported below
    }
    if (!isObject(value)) yield { cells: {}, place, problem: 'the line is not a JSON object' };
    else yield { cells: Object.fromEntries(Object.entries(value).map(([name, cell]) => [plain(name), cell])), place };
  }
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of bytes) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest + decoder.decode();
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
      return at === 0 ? [pair[0], plain(pair[1])] : [plain(pair[0]), pair[1]];
    }),
  );
}

function checkHeader(shown: readonly string[], names: readonly string[], headers: ReadonlyMap<string, string>): void {
  for (const column of COLUMNS) {
    const name = headers.get(column) ?? column;
    const fix = `${EXAMPLE} --column ${column}=HEADER`;
    const count = names.filter((each) => each === name).length;
    if (count > 1) throw misuse(`the header has ${JSON.stringify(name)} twice`, fix);
    if (count === 1 || !(REQUIRED.includes(column) || headers.has(column))) continue;
    const has = shown.slice(0, 20).map((field) => JSON.stringify(field.slice(0, 40)));
    throw misuse(`the header has no ${JSON.stringify(name)}, it has ${has.join(', ')}`, fix);
  }
}

function orderOf(
  { cells, place, problem }: FileRecord,
  headers: ReadonlyMap<string, string>,
  words: ReadonlyMap<string, string>,
  hasDecimalComma: boolean,
): Row {
  const cell = (column: Column): unknown => {
    const name = headers.get(column) ?? column;
    return Object.hasOwn(cells, name) ? cells[name] : undefined;
  };
  const id = cell('external_id');
  const external_id = typeof id === 'string' && id !== '' ? id : undefined;
  if (problem !== undefined) return { problem, place, external_id };
  const amounts = [cell('amount'), cell('credited_usdt')].map((value) =>
    typeof value === 'string' ? value.trim() : value,
  );
  const withComma = amounts.find((value) => typeof value === 'string' && /^[\d.]*\d,\d+$/.test(value));
  if (!hasDecimalComma && withComma !== undefined) {
    return { problem: `an amount is ${JSON.stringify(withComma)}: read it with --decimal-comma`, place, external_id };
  }
  const [amount, credited] = hasDecimalComma ? amounts.map(withPoint) : amounts;
  const given = cell('state');
  const word = typeof given === 'string' ? plain(given) : '';
  const state = words.get(word) ?? word;
  if (!ORDER_STATES.some((known) => known === state)) {
    const flag = `--state ${word === '' ? 'shipped' : word.replace(/\s.*/s, '…')}=fulfilled`;
    const shown = JSON.stringify(typeof given === 'string' ? given.slice(0, 40) : (given ?? null));
    return { problem: `its state is ${shown}: say what that means, such as ${flag}`, place, external_id };
  }
  const currency = cell('currency');
  // Each member is checked by `reconcile`, because a file holds anything.
  return {
    external_id: id,
    amount,
    currency: typeof currency === 'string' ? currency.trim() : currency,
    credited_usdt: credited || null,
    created_at: cell('created_at') || null,
    state,
    place,
  } as ReconcileOrder;
}

function plain(word: string): string {
  return word.trim().toLowerCase();
}

const WITH_COMMA = /^(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/;

/** Text of another form stays as it is but for its point, and is refused as an amount. */
function withPoint(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return WITH_COMMA.test(value) ? value.replaceAll('.', '').replace(',', '.') : value.replace(/\./, ' ');
}

/** The separator that the header has most often outside of quotes. */
function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((each) => bare.split(each).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
