import { Redactor } from '../../src/transport/secrecy/redact.ts';
import { compare } from './compare.ts';

const SIZES = [1_024, 64 * 1_024, 1_024 * 1_024, 10 * 1_024 * 1_024];
const KEY = 'sk_live_4fQz7Hq2Zx9LmKd83Wb';
/** As long as a key may be, and in every sign. */
const LONG = 'k%2B\\u002b&#43;'.padEnd(1_024, '/+=aZ09');

const TEXTS: Readonly<Record<string, string>> = {
  'ordinary text': '{"message":"The service says no","external_id":"order-1042"} ',
  'back slashes': '\\',
  'per cent': '%2541',
  base64: 'c2tfbGl2ZV80ZlF6N0hxMlp4OUxt',
  'the key itself': `${KEY} `,
};

const headers = new Headers({ 'x-request-id': '0e0f7c1e-6f5b-4a51-9a43-000000000001' });

/** Hiding key and secrets in a text, beside looking for one of them once. Per MiB, the figures of a row stay level. */
export async function hiding(): Promise<void> {
  for (const [name, piece] of Object.entries(TEXTS)) {
    for (const size of SIZES) {
      const text = piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
      const redactor = new Redactor([KEY, 'whsec_5Tg8kQp1Rk3Yx6']);
      const odd = new Redactor([LONG, 'whsec_5Tg8kQp1Rk3Yx6']);
      const repeats = Math.max(1, Math.round((256 * 1_024) / size));
      await compare(
        `Hide in ${size / 1_024} KiB of ${name}`,
        repeats,
        [
          { name: 'text.toLowerCase().split(key)', run: () => text.toLowerCase().split(KEY.toLowerCase()).length },
          { name: 'key and secret', run: () => redactor.text(text) },
          { name: 'a key of 1,024 odd characters, and secret', run: () => odd.text(text) },
          { name: 'what an error shows of it (2,000)', run: () => redactor.beginning(text, 2_000) },
        ],
        3,
      );
    }
  }
  const known = new Redactor([KEY, 'whsec_5Tg8kQp1Rk3Yx6']);
  const id = '0e0f7c1e-6f5b-4a51-9a43-000000000001';
  await compare('Hide in the request id of an answer', 10_000, [
    { name: 'headers.get', run: () => headers.get('x-request-id') },
    { name: 'a request id of 36', run: () => known.beginning(id, 200) },
  ]);
}
