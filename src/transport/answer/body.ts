/** What reading a body came to. `cut`: it was longer than the cap, and `bytes` is its beginning. */
export interface BodyBytes {
  readonly bytes: Uint8Array;
  readonly cut: boolean;
}

/**
 * Reads a body up to a cap, counting decoded bytes, so that a small compressed answer cannot fill the memory.
 * Rejects with the platform's error when the body breaks. `seen` fills as chunks come, for a reader that gives up early.
 */
export async function readBody(
  response: Response,
  cap: number,
  signal: AbortSignal,
  seen: Uint8Array[],
): Promise<BodyBytes> {
  if (response.body === null) return { bytes: new Uint8Array(0), cut: false };
  const reader = response.body.getReader();
  // A fetch that ignores its signal would otherwise feed a reader that nobody waits for.
  signal.addEventListener('abort', () => discard(reader), { once: true });
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: join(seen), cut: false };
    const room = cap - size;
    const chunk = value.byteLength > room ? value.subarray(0, room) : value;
    seen.push(chunk);
    size += chunk.byteLength;
    if (value.byteLength > room) {
      discard(reader);
      return { bytes: join(seen), cut: true };
    }
  }
}

/** Lets go of a body that nobody will read. Cancelling may fail; there is nothing left to do then. */
export function discard(stream: { cancel(): Promise<void> } | null): void {
  try {
    stream?.cancel().catch(() => {});
  } catch {
    // a locked stream throws at once; its reader has it in hand
  }
}

export function join(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
