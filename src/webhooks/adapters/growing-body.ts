import { tooLarge } from '../verify/raw-body.ts';
import { ReadingStopped } from './request-aborted.ts';

/** Room for an ordinary delivery, which has less than a kilobyte. */
const START = 1_024;
/** As much of a declared length is believed: the header is a stranger's. */
const MAX_START = 8_192;
/** A body up to this size is always read: no stranger can keep a genuine delivery out. */
const ALWAYS = 16_384;
/** What all larger bodies that are being read may hold together, in this process; four whole ones in any case. */
const MAX_HELD_BY_LARGE = 16_777_216;

let heldByLarge = 0;

/**
 * The bytes of a body that is not known to be genuine, in one buffer that doubles up to the limit. Chunks are copied: a
 * view of one byte would keep the whole block alive from which the runtime cut it, and a list of a million such views
 * takes hundreds of megabytes.
 */
export class GrowingBody {
  readonly #limit: number;
  #bytes: Uint8Array;
  #size = 0;

  /** @param declared Content-Length, where there is one. Only a hint. */
  constructor(limit: number, declared: number | null) {
    this.#limit = limit;
    this.#bytes = new Uint8Array(Math.min(limit, MAX_START, Math.max(START, declared ?? 0)));
  }

  /** Bytes that are held, filled or not. */
  get held(): number {
    return this.#bytes.byteLength;
  }

  /**
   * Takes a chunk, whose memory may be used again afterwards.
   *
   * @throws WebhookVerificationError `body_too_large`
   * @throws ReadingStopped where the large bodies of this process hold too much already.
   */
  add(chunk: Uint8Array): void {
    const size = this.#size + chunk.byteLength;
    if (size > this.#limit) throw tooLarge(this.#limit);
    if (size > this.#bytes.byteLength) this.#grow(size);
    this.#bytes.set(chunk, this.#size);
    this.#size = size;
  }

  /** The whole body. Nothing can be added after it. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#size);
    this.drop();
    return bytes;
  }

  /** Lets go of what was read. May be called more than once. */
  drop(): void {
    heldByLarge -= large(this.#bytes);
    this.#bytes = new Uint8Array();
  }

  #grow(size: number): void {
    let capacity = this.#bytes.byteLength;
    while (capacity < size) capacity = Math.max(START, capacity * 2);
    const grown = Math.min(capacity, this.#limit);
    const held = heldByLarge - large(this.#bytes);
    if (grown > ALWAYS && held + grown > Math.max(MAX_HELD_BY_LARGE, 4 * this.#limit))
      throw new ReadingStopped('too_many_bodies');
    const bytes = new Uint8Array(grown);
    bytes.set(this.#bytes.subarray(0, this.#size));
    heldByLarge = held + large(bytes);
    this.#bytes = bytes;
  }
}

function large({ byteLength }: Uint8Array): number {
  return byteLength > ALWAYS ? byteLength : 0;
}
