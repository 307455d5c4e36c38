import { createInterface } from 'node:readline';
import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { isObject } from '../../../contract/json.ts';
import { messageOf } from '../../../errors/notify.ts';
import { exponentIn } from '../../../reconcile/held-orders.ts';
import type { ReconcileOrder, UnreadableOrder } from '../../../reconcile/types.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { CliError, misuse } from '../io.ts';

const REQUIRED = ['external_id', 'amount', 'currency', 'state'] as const;
const COLUMNS = [...REQUIRED, 'order', 'part', 'credited_usdt', 'refunded_amount', 'created_at', 'changed_at'] as const;
/** How databases write a boolean into a file. */
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, t: true, 1: true, false: false, f: false, 0: false };
const EXAMPLE = exampleOf(COMMANDS.reconcile);
const HELP = 'npx merchant-invoicing reconcile --help';
/** Bytes. A longer record has a quote that is not closed. */
const RECORD_MAX = 65_536;

type OrderRow = ReconcileOrder | UnreadableOrder;
type Cells = Readonly<Record<string, unknown>>;

/**
 * Reads orders from CSV or JSON lines, one at a time. A record that cannot be read is not dropped: it becomes an order
 * that cannot be compared.
 *
 * @throws CliError for a file that cannot be read, a header that does not fit, and a text that is not CSV in UTF-8.
 */
export async function* ordersOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<OrderRow, void, undefined> {
  try {
    const { head, file } = await peek(pieces);
    if (head === '') throw misuse('the file of orders is empty: it needs a header', EXAMPLE);
    if (/^sep=/i.test(head))
      throw misuse('the first line of the file is "sep=", which only a spreadsheet reads: remove it', EXAMPLE);
    if (head.startsWith('['))
      throw misuse('the file of orders is a JSON array: write one order a line (JSON lines), or CSV', EXAMPLE);
    if (head.startsWith('PK\u0003\u0004'))
      throw misuse('the file of orders is a workbook, such as .xlsx: save it as CSV in UTF-8', EXAMPLE);
    if (head.includes('\0') || head.startsWith('\ufffd\ufffd'))
      throw misuse('the file of orders is UTF-16: save it as CSV in UTF-8', EXAMPLE);
    if (/^[^,\n{]*[;\t][^,\n]*(?:\n|$)/.test(head))
      throw misuse('the columns are not separated by commas: export the file as CSV with commas', HELP);
    yield* head.startsWith('{') ? jsonOrders(file) : csvOrders(file);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const problem = error instanceof CsvError ? 'the file of orders is not CSV' : 'cannot read the orders';
    throw misuse(`${problem}: ${messageOf(error)}`, EXAMPLE);
  }
}

/** The first piece as text, and the whole as a stream. */
async function peek(pieces: AsyncIterable<Uint8Array>) {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  const bytes = first.done ? new Uint8Array() : first.value;
  async function* all(): AsyncGenerator<Uint8Array, void, undefined> {
    yield bytes;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { head: new TextDecoder().decode(bytes).trimStart(), file: Readable.from(all()) };
}

async function* csvOrders(file: Readable): AsyncGenerator<OrderRow, void, undefined> {
  const parser = parse({
    bom: true,
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'], // the first line may end in another way than the rows
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: RECORD_MAX,
  });
  pipeline(file, parser, () => {}); // an error comes out of the loop
  let names: readonly string[] | null = null;
  let countedTwice = 0;
  for await (const { record, info } of parser as AsyncIterable<ParsedRecord>) {
    if (record.some((cell) => cell.includes('\ufffd'))) throw notUtf8();
    if (names === null) {
      names = record.map(plain);
      checkHeader(names);
      continue;
    }
    // The parser counts both characters of a line break in quotes.
    const breaks = record.join().match(/\r\n|\r|\n/g) ?? [];
    const place = `line ${info.lines - countedTwice - breaks.join('').length}`;
    countedTwice += breaks.filter((each) => each.length > 1).length;
    const cells = Object.fromEntries(record.map((cell, at) => [names?.[at] ?? '', cell]));
    const changed = [cells['external_id'], cells['order']].find((id) => exponentIn(id?.trim() ?? '') !== null);
    if (record.length !== names.length)
      yield unreadable(cells, place, `the record has ${record.length} fields, and the header has ${names.length}`);
    else if (changed === undefined) yield orderOf(cells, place);
    else {
      const problem = `a spreadsheet changed an id to ${changed}: format its column as text`;
      yield { ...unreadable(cells, place, problem), reason: 'id_changed' };
    }
  }
}

/** What the parser yields with `info`. Its types do not follow these options. */
interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

async function* jsonOrders(file: Readable): AsyncGenerator<OrderRow, void, undefined> {
  let line = 0;
  for await (const given of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (given.includes('\ufffd')) throw notUtf8();
    const text = line === 1 ? given.replace(/^\ufeff/, '') : given;
    if (text.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // reported below
    }
    const place = `line ${line}`;
    if (!isObject(value)) yield unreadable({}, place, 'the line is not a JSON object');
    else yield orderOf(Object.fromEntries(Object.entries(value).map(([name, cell]) => [plain(name), cell])), place);
  }
}

function notUtf8(): CliError {
  return misuse('the file is not UTF-8: export it in UTF-8', EXAMPLE);
}

function checkHeader(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) < at && COLUMNS.some((column) => column === name));
  if (twice !== undefined) throw misuse(`the header has ${JSON.stringify(twice)} twice`, EXAMPLE);
  const missing = REQUIRED.find((column) => !names.includes(column));
  if (missing === undefined) return;
  const has = names.slice(0, 20).map((name) => JSON.stringify(name.slice(0, 40)));
  throw misuse(`the header has no ${JSON.stringify(missing)}, it has ${has.join(', ')}`, HELP);
}

function unreadable({ external_id }: Cells, place: string, problem: string): UnreadableOrder {
  return { problem, place, external_id: typeof external_id === 'string' && external_id ? external_id : undefined };
}

/** The members are passed on as they are, and `reconcile` checks each of them. */
function orderOf(cells: Cells, place: string): ReconcileOrder {
  const cell = (column: (typeof COLUMNS)[number]): unknown => {
    const value = Object.hasOwn(cells, column) ? cells[column] : undefined;
    return typeof value === 'string' && column !== 'external_id' && column !== 'order' ? value.trim() : value;
  };
  const [state, part, order] = [cell('state'), cell('part'), cell('order')];
  return {
    external_id: cell('external_id'),
    order: typeof order === 'string' && order.trim() === '' ? null : order,
    part: typeof part === 'string' ? (BOOLEANS[plain(part)] ?? (part || null)) : part,
    amount: cell('amount'),
    currency: cell('currency'),
    credited_usdt: cell('credited_usdt') || null,
    refunded_amount: cell('refunded_amount') || null,
    created_at: cell('created_at') || null,
    changed_at: cell('changed_at') || null,
    state: typeof state === 'string' ? plain(state) : state,
    place,
  } as ReconcileOrder;
}

function plain(word: string): string {
  return word.trim().toLowerCase();
}
