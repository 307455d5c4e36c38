import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { isObject } from '../../../contract/json.ts';
import type { ReconcileOrder, UnreadableOrder } from '../../../reconcile/types.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { misuse } from '../io.ts';

type Column = 'external_id' | 'order' | 'amount' | 'currency' | 'state' | 'credited_usdt' | 'created_at';

const REQUIRED: readonly Column[] = ['external_id', 'amount', 'currency', 'state'];
const COLUMNS: readonly Column[] = [...REQUIRED, 'order', 'credited_usdt', 'created_at'];
const EXAMPLE = exampleOf(COMMANDS.reconcile);
/** Bytes. A longer record has a quote that is not closed. */
const RECORD_MAX = 65_536;

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
 * @param columns `--column NAME=HEADER`: the columns that have another name.
 * @throws CliError for flags and headers that do not fit, and for a text that is not CSV in UTF-8.
 */
export async function* ordersOf(
  pieces: AsyncIterable<Uint8Array>,
  columns: readonly string[],
): AsyncGenerator<Row, void, undefined> {
  const headers = headersOf(columns);
  const { head, all } = await headOf(pieces);
  if (head.trim() === '') throw misuse('the file of orders is empty: it needs a header', EXAMPLE);
  if (head.trimStart().startsWith('['))
    throw misuse('the file of orders is a JSON array: write one order a line (JSON lines), or CSV', EXAMPLE);
  const records = head.trimStart().startsWith('{') ? jsonLines(all) : csvRecords(all, headers);
  for await (const record of records) yield orderOf(record, headers);
}

/** Reads ahead: the first piece with content as text, and all bytes from the first on. */
async function headOf(pieces: AsyncIterable<Uint8Array>) {
  const iterator = pieces[Symbol.asyncIterator]();
  let first = await iterator.next();
  while (!first.done && first.value.length === 0) first = await iterator.next();
  const bytes = first.done ? new Uint8Array() : first.value;
  async function* all(): AsyncGenerator<Uint8Array, void, undefined> {
    yield bytes;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { head: new TextDecoder().decode(bytes), all: all() };
}

async function* csvRecords(
  bytes: AsyncIterable<Uint8Array>,
  headers: ReadonlyMap<string, string>,
): AsyncGenerator<FileRecord, void, undefined> {
  const parser = parse({
    bom: true,
    info: true,
    raw: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: RECORD_MAX,
  });
  pipeline(Readable.from(bytes), parser, () => {}); // an error comes out of the loop
  let names: readonly string[] | null = null;
  try {
    for await (const { record, info, raw } of parser as AsyncIterable<ParsedRecord>) {
      if (record.some((cell) => cell.includes('\ufffd'))) {
        throw misuse('the file is not UTF-8: export it as CSV in UTF-8', EXAMPLE);
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

/** Yields the lines. A line that is longer than any order is refused before it is read to its end. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let length = 0;
  for await (const piece of bytes) {
    const [first = '', ...lines] = decoder.decode(piece, { stream: true }).split('\n');
    rest.push(first);
    length += first.length;
    for (const line of lines) {
      yield rest.join('');
      rest = [line];
      length = line.length;
    }
    if (length > RECORD_MAX)
      throw misuse(
        `a line of the file of orders has more than ${RECORD_MAX} characters: give one order a line`,
        EXAMPLE,
      );
  }
  yield rest.join('') + decoder.decode();
}

/** Reads `--column amount=Total`. */
function headersOf(flags: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    flags.map((text) => {
      const [name = '', ...rest] = text.split('=');
      const header = plain(rest.join('='));
      if (header !== '' && COLUMNS.some((column) => column === name)) return [name, header];
      const names = COLUMNS.join(', ');
      throw misuse(`--column takes NAME=HEADER, where NAME is ${names}, not ${JSON.stringify(text)}`, EXAMPLE);
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

/** The members are passed on as they are, and `reconcile` checks each of them. */
function orderOf({ cells, place, problem }: FileRecord, headers: ReadonlyMap<string, string>): Row {
  const cell = (column: Column): unknown => {
    const name = headers.get(column) ?? column;
    const value = Object.hasOwn(cells, name) ? cells[name] : undefined;
    return typeof value === 'string' && column !== 'external_id' ? value.trim() : value;
  };
  const external_id = cell('external_id');
  if (problem !== undefined) {
    return { problem, place, external_id: typeof external_id === 'string' && external_id ? external_id : undefined };
  }
  const state = cell('state');
  return {
    external_id,
    order: cell('order') || null,
    amount: cell('amount'),
    currency: cell('currency'),
    credited_usdt: cell('credited_usdt') || null,
    created_at: cell('created_at') || null,
    state: typeof state === 'string' ? plain(state) : state,
    place,
  } as ReconcileOrder;
}

function plain(word: string): string {
  return word.trim().toLowerCase();
}
