/** Repeatable randomness: the same seed gives the same ids and the same choices. */
export type Random = ReturnType<typeof createRandom>;

/** A 32-bit generator (mulberry32). It is enough for ids that only have to differ. */
export function createRandom(seed: number | string) {
  let state = typeof seed === 'number' ? seed >>> 0 : hash(seed);
  /** From 0 up to, not including, 1. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return { next, uuid: (): string => uuidFrom(next) };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}

function uuidFrom(next: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(next() * 16));
  digits[12] = 4;
  digits[16] = 8 + ((digits[16] ?? 0) % 4);
  const text = digits.map((digit) => digit.toString(16)).join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}

/** A random seed. Two runs then never send the same `invoice_uuid` to a receiver that remembers ids. */
export function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 1;
}

/** 24 random hex digits, for a key or a secret that nobody else can know. */
export function randomText(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
