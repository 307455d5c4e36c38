import { type LineFiles, openLineFiles } from './files.ts';
import { lineOf, type Row, rowOf } from './rows.ts';

/** With 256 files, one of them holds 8,000 of two million rows, and 80,000 of twenty million. */
const PARTITIONS = 256;
/** Characters that wait for one file. Of 256 files together this is at most 4 MB. */
const BUFFER = 16_384;
/** Small partitions are compared together up to this many rows, because each comparison may end with requests. */
const TOGETHER = 5_000;

/** The lines of one partition. In memory mode they wait until they are compared, otherwise until they are written. */
interface Partition {
  readonly name: string;
  lines: string[];
  size: number;
  count: number;
}

/** Rows that are compared together. */
export interface RowGroup {
  /** The rows, many at a time. */
  readonly rows: AsyncIterable<readonly Row[]>;
  readonly count: number;
}

/**
 * Holds rows until all are read, in partitions by `external_id`: in memory up to a limit, beyond it in files. Rows of one
 * id are in the same partition, so that each partition can be compared alone.
 */
export class Partitions {
  readonly #limit: number;
  readonly #parent: string | undefined;
  readonly #partitions = Array.from({ length: PARTITIONS }, (_, at): Partition => {
    return { name: String(at), lines: [], size: 0, count: 0 };
  });
  #files: LineFiles | null = null;
  #count = 0;

  constructor(limit: number, parent: string | undefined) {
    this.#limit = limit;
    this.#parent = parent;
  }

  /** Rows added, repeats included. */
  get count(): number {
    return this.#count;
  }

  /** Adds a row. Await the result only if it is a promise: most rows are added at once. */
  add(row: Row): Promise<void> | null {
    const partition = this.#partitions[partitionOf(row.id)];
    if (partition === undefined) throw new RangeError('there is no such partition');
    const line = lineOf(row); // takes a third of the memory of the row
    partition.lines.push(line);
    partition.size += line.length;
    partition.count += 1;
    this.#count += 1;
    if (this.#files !== null) return partition.size > BUFFER ? this.#write(partition, this.#files) : null;
    return this.#count > this.#limit ? this.#spill() : null;
  }

  /** All rows, in groups. Rows of one id are in one group, in the order in which they were added. */
  async *groups(): AsyncGenerator<RowGroup, void, undefined> {
    let members: Partition[] = [];
    let count = 0;
    for (const partition of this.#partitions) {
      if (this.#files !== null) await this.#write(partition, this.#files);
      members.push(partition);
      count += partition.count;
      if (count < TOGETHER) continue;
      yield { rows: this.#rowsOf(members), count };
      members = [];
      count = 0;
    }
    if (count > 0) yield { rows: this.#rowsOf(members), count };
  }

  /** Removes the files. */
  async remove(): Promise<void> {
    await this.#files?.remove();
  }

  async #spill(): Promise<void> {
    const files = await openLineFiles(this.#parent);
    this.#files = files;
    for (const partition of this.#partitions) await this.#write(partition, files);
  }

  async #write(partition: Partition, files: LineFiles): Promise<void> {
    const { name, lines } = partition;
    partition.lines = [];
    partition.size = 0;
    if (lines.length > 0) await files.append(name, `${lines.join('\n')}\n`);
  }

  async *#rowsOf(partitions: readonly Partition[]): AsyncGenerator<readonly Row[], void, undefined> {
    for (const partition of partitions) {
      const { name, lines } = partition;
      partition.lines = []; // in memory mode they are released when they are compared
      yield lines.map(rowOf);
      for await (const written of this.#files?.lines(name) ?? []) yield written.map(rowOf);
    }
  }
}

/** FNV-1a over the code units, with the bits mixed at the end: ids that differ in their last digits spread evenly. */
export function partitionOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  return (Math.imul(hash, 0x2c1b3c6d) >>> 24) % PARTITIONS;
}
