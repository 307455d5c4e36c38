import { type LineFiles, openLineFiles } from './files.ts';
import { lineOf, type Row, rowOf } from './rows.ts';

/** With 256 files, one of them holds 8,000 of two million rows, and 80,000 of twenty million. */
const PARTITIONS = 256;
/** Characters that wait for one file. Of 256 files together this is at most 4 MB. */
const BUFFER = 16_384;

/**
 * Holds rows until all are read, grouped by `external_id`: in memory up to a limit, beyond it in files. Rows of one id are
 * in the same partition, so that each partition is compared on its own.
 */
export class Partitions {
  readonly #limit: number;
  readonly #parent: string | undefined;
  #rows: Row[] = [];
  #files: LineFiles | null = null;
  readonly #waiting = new Map<number, string[]>();
  readonly #sizes = new Map<number, number>();
  #count = 0;

  constructor(limit: number, parent: string | undefined) {
    this.#limit = limit;
    this.#parent = parent;
  }

  /** Rows added, repeats included. */
  get count(): number {
    return this.#count;
  }

  /** The number of partitions. */
  get partitions(): number {
    return this.#files === null ? 1 : PARTITIONS;
  }

  /** Adds a row. Await the result only if it is a promise: most rows are added at once. */
  add(row: Row): Promise<void> | null {
    this.#count += 1;
    if (this.#files !== null) return this.#write(row, this.#files);
    this.#rows.push(row);
    return this.#rows.length > this.#limit ? this.#spill() : null;
  }

  /** The partitions, each as its rows in the order in which they were added. */
  async *all(): AsyncGenerator<AsyncIterable<Row> | Iterable<Row>, void, undefined> {
    const files = this.#files;
    if (files === null) {
      yield this.#rows;
      return;
    }
    for (const partition of this.#waiting.keys()) await this.#flush(partition, files);
    for (let partition = 0; partition < PARTITIONS; partition += 1) yield rowsIn(files, partition);
  }

  /** Removes the files. */
  async remove(): Promise<void> {
    this.#rows = [];
    this.#waiting.clear();
    await this.#files?.remove();
  }

  async #spill(): Promise<void> {
    const files = await openLineFiles(this.#parent);
    this.#files = files;
    const rows = this.#rows;
    this.#rows = [];
    for (const row of rows) await this.#write(row, files);
  }

  #write(row: Row, files: LineFiles): Promise<void> | null {
    const partition = partitionOf(row.id);
    const line = lineOf(row);
    const lines = this.#waiting.get(partition) ?? [];
    if (lines.length === 0) this.#waiting.set(partition, lines);
    lines.push(line);
    const size = (this.#sizes.get(partition) ?? 0) + line.length;
    this.#sizes.set(partition, size);
    return size > BUFFER ? this.#flush(partition, files) : null;
  }

  async #flush(partition: number, files: LineFiles): Promise<void> {
    const lines = this.#waiting.get(partition) ?? [];
    this.#waiting.set(partition, []);
    this.#sizes.set(partition, 0);
    if (lines.length > 0) await files.append(String(partition), `${lines.join('\n')}\n`);
  }
}

async function* rowsIn(files: LineFiles, partition: number): AsyncGenerator<Row, void, undefined> {
  for await (const line of files.lines(String(partition))) yield rowOf(line);
}

/** FNV-1a over the code units, with the bits mixed at the end: ids that differ in their last digits spread evenly. */
export function partitionOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  return (Math.imul(hash, 0x2c1b3c6d) >>> 24) % PARTITIONS;
}
