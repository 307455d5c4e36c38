import { ReadingStopped } from '../handle/reading-stopped.ts';
import { tooLarge } from '../verify/raw-body.ts';

/** The initial capacity, enough for an ordinary delivery. */
const START = 1_024;
/** The initial capacity for a declared length is at most this: anybody can send a false Content-Length. */
const MAX_START = 8_192;
/** A body up to this size is always read, so that no sender can keep a genuine delivery out. */
const LARGE = 16_384;
/** The memory that all larger bodies in this process may use together. Four whole ones are allowed in any case. */
const MAX_HELD_BY_LARGE = 16_777_216;

let heldByLarge = 0;

/**
 * Collects the bytes of a body that is not known to be genuine, in one buffer that doubles up to the limit. Chunks are
 * copied: a view of one byte keeps the runtime's whole block alive, and a million such views take hundreds of megabytes.
 */
export class GrowingBody {
  readonly #limit: number;
  #bytes: Uint8Array;
  #size = 0;

  /** @param declared Content-Length, if there is one. Only a hint. */
  constructor(limit: number, declared: number | null) {
    this.#limit = limit;
    this.#bytes = new Uint8Array(Math.min(limit, MAX_START, Math.max(START, declared ?? 0)));
  }

  /** The size of the buffer in bytes. */
  get held(): number {
    return this.#bytes.byteLength;
  }

  /**
   * Adds a chunk. The caller may reuse its memory afterwards.
   *
   * @throws WebhookVerificationError `body_too_large`
   * @throws ReadingStopped if the large bodies of this process already use too much memory.
   */
  add(chunk: Uint8Array): void {
    const size = this.#size + chunk.byteLength;
    if (size > this.#limit) throw tooLarge(this.#limit);
    if (size > this.#bytes.byteLength) this.#grow(size);
    this.#bytes.set(chunk, this.#size);
    this.#size = size;
  }

  /** Returns the whole body. Nothing can be added afterwards. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#size);
    this.drop();
    return bytes;
  }

  /** Frees the buffer. May be called more than once. */
  drop(): void {
    heldByLarge -= large(this.#bytes);
    this.#bytes = new Uint8Array();
  }

  #grow(size: number): void {
    let capacity = this.#bytes.byteLength;
    while (capacity < size) capacity = Math.max(START, capacity * 2);
    const grown = Math.min(capacity, this.#limit);
    const held = heldByLarge - large(this.#bytes);
    if (grown > LARGE && held + grown > Math.max(MAX_HELD_BY_LARGE, 4 * this.#limit))
      throw new ReadingStopped('too_many_bodies');
    const bytes = new Uint8Array(grown);
    bytes.set(this.#bytes.subarray(0, this.#size));
    heldByLarge = held + large(bytes);
    this.#bytes = bytes;
  }
}

function large({ byteLength }: Uint8Array): number {
  return byteLength > LARGE ? byteLength : 0;
}
