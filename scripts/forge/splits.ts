import { below } from '../random.ts';
import type { Delivery } from './genuine.ts';
import type { Mutation } from './mutations.ts';

// The signed text is "{timestamp}.{body}", and where the one ends is not signed: each dot could be the place.

const TIMESTAMP = 'X-Webhook-Timestamp';

function signedText({ headers, body }: Delivery): Buffer {
  return Buffer.concat([Buffer.from(`${String(headers[TIMESTAMP] ?? '')}.`), body]);
}

function cutAt(delivery: Delivery, at: number, skip: number): Delivery {
  const signed = signedText(delivery);
  const timestamp = signed.subarray(0, at).toString('utf8');
  return { body: signed.subarray(at + skip), headers: { ...delivery.headers, [TIMESTAMP]: timestamp } };
}

export const SPLITS: Readonly<Record<string, Mutation>> = {
  'cut at another dot': (delivery, random) => {
    const signed = signedText(delivery);
    const dots: number[] = [];
    for (let at = signed.indexOf(0x2e); at >= 0; at = signed.indexOf(0x2e, at + 1)) dots.push(at);
    return cutAt(delivery, dots[below(random, Math.min(dots.length, 4))] ?? 0, 1);
  },
  'cut anywhere, without a dot': (delivery, random) =>
    cutAt(delivery, below(random, Math.min(60, signedText(delivery).length)), 0),
  'digits of the timestamp before the body': (delivery, random) => {
    const timestamp = String(delivery.headers[TIMESTAMP] ?? '');
    const at = 1 + below(random, timestamp.length);
    const body = Buffer.concat([Buffer.from(`${timestamp.slice(at)}.`), delivery.body]);
    return { body, headers: { ...delivery.headers, [TIMESTAMP]: timestamp.slice(0, at) } };
  },
};
