import { below, oneOf, type Random } from '../random.ts';
import type { Delivery } from './genuine.ts';
import type { Mutation } from './mutations.ts';

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const textOf = (body: Uint8Array): string => Buffer.from(body).toString('utf8');

/** A mutation of the bytes alone. */
function ofBytes(change: (body: Uint8Array, random: Random) => Uint8Array): Mutation {
  return (delivery, random) => ({ ...delivery, body: change(delivery.body, random) });
}

/** A mutation of the body as text. */
function ofText(change: (text: string, random: Random) => string): Mutation {
  return ofBytes((body, random) => bytesOf(change(textOf(body), random)));
}

function spliced(body: Uint8Array, at: number, remove: number, insert: Uint8Array): Uint8Array {
  return Buffer.concat([body.subarray(0, at), insert, body.subarray(at + remove)]);
}

function place(body: Uint8Array, random: Random): number {
  return below(random, body.length + 1);
}

function reserialised(delivery: Delivery, random: Random): Delivery {
  try {
    const value: unknown = JSON.parse(textOf(delivery.body));
    return { ...delivery, body: bytesOf(JSON.stringify(value, null, below(random, 3))) };
  } catch {
    return delivery; // an earlier mutation broke it
  }
}

const TAILS = ['\n', ' ', '\0', '\uFEFF', '{}', '.1', ',', '}', '\r\n'] as const;
const HEADS = ['\uFEFF', ' ', '\n', '0.', '123.', '.', '\0', '{}', '1767225600.'] as const;

export const BODY: Readonly<Record<string, Mutation>> = {
  'flip a bit': ofBytes((body, random) => {
    if (body.length === 0) return body;
    const flipped = Uint8Array.from(body); // not slice(), which is a view of the same memory for a Buffer
    const at = below(random, body.length);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << below(random, 8));
    return flipped;
  }),
  'insert a byte': ofBytes((body, random) => spliced(body, place(body, random), 0, Uint8Array.of(below(random, 256)))),
  'delete bytes': ofBytes((body, random) => spliced(body, place(body, random), 1 + below(random, 8), new Uint8Array())),
  'repeat a piece': ofBytes((body, random) => {
    const at = place(body, random);
    return spliced(body, at, 0, body.slice(at, at + 1 + below(random, 20)));
  }),
  'cut off the end': ofBytes((body, random) => body.slice(0, place(body, random))),
  'put something behind': ofBytes((body, random) => spliced(body, body.length, 0, bytesOf(oneOf(random, TAILS)))),
  'put something before': ofBytes((body, random) => spliced(body, 0, 0, bytesOf(oneOf(random, HEADS)))),
  'invalid UTF-8': ofBytes((body, random) =>
    spliced(
      body,
      place(body, random),
      0,
      oneOf(random, [Uint8Array.of(0xc0, 0xae), Uint8Array.of(0xff), Uint8Array.of(0xed, 0xa0, 0x80)]),
    ),
  ),
  'the body of another': (delivery, _random, other) => ({ ...delivery, body: other.body }),
  'parse and serialise': reserialised,
  'another digit': ofText((text, random) =>
    text.replace(/\d/g, (digit) => (random() < 0.05 ? String(below(random, 10)) : digit)),
  ),
  'another amount': ofText((text, random) =>
    text.replace(/"(\w*amount|credited_usdt)":"[^"]*"/, (_, name) => `"${name}":"${below(random, 1e6)}.00"`),
  ),
  'a member again': ofText((text) => text.replace(/\}\s*$/, ',"credited_usdt":"999999","status":"success"}')),
  'a letter in the other case': ofText((text, random) =>
    text.replace(/[a-z]/g, (letter) => (random() < 0.02 ? letter.toUpperCase() : letter)),
  ),
  'a letter escaped': ofText((text, random) =>
    text.replace(/[a-z]/g, (letter) => (random() < 0.02 ? `\\u00${letter.charCodeAt(0).toString(16)}` : letter)),
  ),
  'letters decomposed': ofText((text, random) => text.normalize(oneOf(random, ['NFD', 'NFKD']))),
  'a letter that looks the same': ofText((text) => text.replace('a', '\u0430')),
};
