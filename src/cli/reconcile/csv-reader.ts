/** One record of a CSV file. */
export interface CsvRecord {
  readonly fields: readonly string[];
  /** The line on which the record begins, from 1. */
  readonly line: number;
  /** The problem with its quotes, or null. */
  readonly problem: string | null;
}

/** A text that cannot be read as CSV to its end. */
export class CsvError extends Error {}

/** A quote that is never closed would otherwise take the rest of the file into one field. */
const RECORD_MAX = 65_536;
const DELIMITERS = [',', ';', '\t'] as const;
/** With this first line a spreadsheet says what separates the fields. */
const HINT = /^sep=(.)$/i;

/**
 * Reads CSV as spreadsheets and databases write it. It is UTF-8, or UTF-16 with a byte order mark. Commas, semicolons or
 * tabs separate the fields, as the header shows. Quoted fields may hold separators, quotes and line breaks.
 *
 * @throws CsvError for bytes of another encoding, and for a quote that is not closed.
 */
export async function* readCsv(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord, void, undefined> {
  const parser = new CsvParser();
  let decoder: TextDecoder | null = null;
  let first: Uint8Array = new Uint8Array();
  const decode = (bytes: Uint8Array, stream: boolean): string => {
    decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
    try {
      return decoder.decode(bytes, { stream });
    } catch {
      throw new CsvError('the text is neither UTF-8 nor UTF-16: save the file as UTF-8');
    }
  };
  for await (const piece of pieces) {
    const bytes = decoder === null ? joined(first, piece) : piece;
    first = decoder === null ? bytes : first;
    if (decoder === null && bytes.length < 2) continue; // a byte order mark may come one byte at a time
    yield* parser.push(decode(bytes, true));
  }
  yield* parser.push(decode(decoder === null ? first : new Uint8Array(), false));
  yield* parser.end();
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** `start`: before a field. `plain`, `quoted`: inside of one. `closed`: behind a quote that may be the closing one. */
type State = 'start' | 'plain' | 'quoted' | 'closed';

class CsvParser {
  #delimiter: string | null = null;
  #waiting = '';
  #state: State = 'start';
  #fields: string[] = [];
  #field = '';
  #size = 0;
  #problem: string | null = null;
  #line = 1;
  #began = 1;
  #isAfterReturn = false;

  *push(text: string): Generator<CsvRecord, void, undefined> {
    if (this.#delimiter !== null) return yield* this.#take(text, this.#delimiter);
    this.#waiting += text;
    if (!/[\r\n]/.test(text) && this.#waiting.length < RECORD_MAX) return;
    const header = /^(?:[^"\r\n]|"[^"]*")*(?=[\r\n])/.exec(this.#waiting.slice(0, RECORD_MAX))?.[0];
    if (header === undefined && this.#waiting.length < RECORD_MAX) return;
    yield* this.#begin(header ?? this.#waiting);
  }

  *end(): Generator<CsvRecord, void, undefined> {
    if (this.#delimiter === null) yield* this.#begin(this.#waiting);
    if (this.#state === 'quoted') throw this.#unclosed();
    if (this.#state !== 'start' || this.#fields.length > 0) yield this.#record();
  }

  *#begin(header: string): Generator<CsvRecord, void, undefined> {
    const hint = HINT.exec(header)?.[1];
    this.#delimiter = hint ?? delimiterOf(header);
    const text = this.#waiting;
    this.#waiting = '';
    yield* this.#take(hint === undefined ? text : text.slice(header.length), this.#delimiter); // then an empty line
  }

  *#take(text: string, delimiter: string): Generator<CsvRecord, void, undefined> {
    for (const character of text) {
      const isBreak = character === '\n' || character === '\r';
      const isSecondHalf = character === '\n' && this.#isAfterReturn;
      this.#isAfterReturn = character === '\r';
      if (isBreak && !isSecondHalf) this.#line += 1;
      this.#size += 1;
      if (this.#size > RECORD_MAX) throw this.#unclosed();
      if (this.#state === 'quoted') {
        if (character === '"') this.#state = 'closed';
        else this.#field += character;
      } else if (isBreak) {
        if (isSecondHalf) this.#began = this.#line;
        else yield* this.#endRecord();
      } else if (character === delimiter) this.#endField();
      else this.#add(character);
    }
  }

  #add(character: string): void {
    if (character !== '"' || this.#state === 'plain') {
      if (this.#state === 'closed') this.#problem = 'has text behind a closing quote';
      if (this.#state === 'start') this.#state = 'plain';
      this.#field += character;
      return;
    }
    if (this.#state === 'closed') this.#field += '"'; // two quotes are one
    this.#state = 'quoted';
  }

  #endField(): void {
    this.#fields.push(this.#field);
    this.#field = '';
    this.#state = 'start';
  }

  *#endRecord(): Generator<CsvRecord, void, undefined> {
    const isEmpty = this.#fields.length === 0 && this.#field === '' && this.#state === 'start';
    if (isEmpty) this.#forget();
    else yield this.#record();
  }

  #record(): CsvRecord {
    this.#endField();
    const record = { fields: this.#fields, line: this.#began, problem: this.#problem };
    this.#forget();
    return record;
  }

  #forget(): void {
    this.#fields = [];
    this.#size = 0;
    this.#problem = null;
    this.#began = this.#line;
  }

  #unclosed(): CsvError {
    return new CsvError(`the record that begins in line ${this.#began} does not end: a quote is not closed`);
  }
}

/** The separator that the header has most often outside of quotes. */
function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((each) => bare.split(each).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
