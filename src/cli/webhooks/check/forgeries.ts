import { signWebhook } from '../../../webhooks/verify/signature.ts';
import type { SampleEvent } from '../sample-event.ts';
import { rawBytes, rotation } from './accepted.ts';
import type { Change, Check, Examiner } from './examiner.ts';

// Authentication, rule 3: what a receiver must refuse.

const MINUTE = 60_000;
const FORGED = 'anyone who knows the address can have orders fulfilled';
const VERIFY = 'Verify the signature before anything else, and answer 401 when it does not match.';
const STRICT = 'Compare the whole value in constant time: decode nothing, or check its exact form first.';

interface Forgery {
  readonly id: string;
  readonly title: string;
  readonly harm?: string;
  readonly fix?: string;
  readonly advice?: boolean;
  /** How the delivery differs. */
  readonly change: (examiner: Examiner, event: SampleEvent) => Change | Promise<Change>;
}

/** Each differs from a genuine delivery in one thing, so that it shows which check is missing. */
const FORGERIES: readonly Forgery[] = [
  {
    id: 'refuses-unsigned',
    title: 'refuses a delivery without signature headers',
    change: () => ({
      headers: { 'X-Webhook-Signature': undefined, 'X-Webhook-Timestamp': undefined, 'X-Webhook-Id': undefined },
    }),
  },
  {
    id: 'refuses-no-timestamp',
    title: 'refuses a missing timestamp',
    harm: 'a delivery without a time is accepted, so its age is not checked',
    fix: 'Refuse when one of the three X-Webhook headers is missing.',
    change: () => ({ headers: { 'X-Webhook-Timestamp': undefined } }),
  },
  {
    id: 'refuses-wrong-signature',
    title: 'refuses a wrong signature',
    change: withSignature((signature) => {
      const at = Math.floor(signature.length / 2); // in the middle: the last character of base64 has spare bits
      const other = signature[at] === 'a' ? 'b' : 'a';
      return signature.slice(0, at) + other + signature.slice(at + 1);
    }),
  },
  {
    id: 'refuses-wrong-secret',
    title: 'refuses a signature made with another secret',
    change: () => ({ secret: 'not-the-secret-of-this-business' }),
  },
  {
    id: 'refuses-other-body',
    title: 'refuses the signature of another delivery',
    harm: 'the signature is not compared with the body it came with',
    fix: 'Sign the raw body of this request, and compare.',
    change: async (examiner) => withSignature((signature) => signature)(examiner, await examiner.event('paid')),
  },
  {
    id: 'refuses-tampered-body',
    title: 'refuses a body changed after signing',
    harm: 'amounts can be changed on the way',
    fix: 'Include every byte of the raw body in what you verify.',
    change: (_, event) => ({ sentBody: event.body.replace(/"amount":"[^"]*"/, '"amount":"999999.00"') }),
  },
  {
    id: 'refuses-malformed-signature',
    title: 'refuses a signature of another form',
    change: () => ({ headers: { 'X-Webhook-Signature': 'not-a-signature' } }),
  },
  {
    id: 'refuses-empty-signature',
    title: 'refuses an empty signature',
    harm: 'an empty value counts as equal',
    fix: STRICT,
    change: () => ({ headers: { 'X-Webhook-Signature': '' } }),
  },
  {
    id: 'refuses-cut-signature',
    title: 'refuses the first half of a genuine signature',
    harm: 'a signature can be guessed piece by piece',
    fix: STRICT,
    change: withSignature((signature) => signature.slice(0, signature.length / 2)),
  },
  {
    id: 'refuses-old-timestamp',
    title: 'refuses an old timestamp (10 minutes)',
    harm: 'a recorded delivery can be replayed at any time',
    fix: 'Refuse a timestamp older than five minutes, after the signature has matched.',
    change: ({ options }) => ({ timestamp: options.now() - 10 * MINUTE }),
  },
  {
    id: 'refuses-restamped-replay',
    title: 'refuses an old delivery with a fresh timestamp',
    harm: 'the timestamp is not part of what is verified, so a recorded delivery can be replayed',
    fix: 'Verify `{timestamp}.{raw body}`, not the body alone.',
    change: async (examiner, event) => {
      const { options } = examiner;
      const fresh = await examiner.request(event);
      return {
        timestamp: options.now() - 10 * MINUTE,
        headers: { 'X-Webhook-Timestamp': fresh.headers['X-Webhook-Timestamp'] },
      };
    },
  },
  {
    id: 'refuses-timestamp-that-is-none',
    title: 'refuses a signed timestamp that is not a time',
    harm: 'a timestamp that cannot be read counts as fresh',
    fix: 'Check the form of the timestamp: a comparison with NaN is never true, so nothing is too old.',
    advice: true,
    change: async ({ options: { secrets } }, { body }) => ({
      headers: { ...(await signWebhook(body, secrets[0] ?? '', { timestamp: 'soon' })) },
    }),
  },
  {
    id: 'refuses-future-timestamp',
    title: 'refuses a timestamp one hour ahead',
    harm: 'such a delivery stays replayable for longer than your tolerance',
    fix: 'Refuse a timestamp further ahead than your tolerance. The interface does not ask for it.',
    advice: true,
    change: ({ options }) => ({ timestamp: options.now() + 60 * MINUTE }),
  },
];

/** Replaces the signature of an event. Both have one timestamp, so that only the signature differs. */
function withSignature(alter: (genuine: string) => string): Forgery['change'] {
  return async (examiner, event) => {
    const timestamp = Math.floor(examiner.options.now() / MINUTE) * MINUTE;
    const { headers } = await examiner.request(event, { timestamp });
    return { timestamp, headers: { 'X-Webhook-Signature': alter(headers['X-Webhook-Signature'] ?? '') } };
  };
}

const TWO_MEGABYTES = 2 * 1_048_576;

const oversized: Check = {
  id: 'refuses-oversized',
  rule: 'authentication 3',
  title: 'refuses two megabytes, unsigned',
  async run(examiner) {
    const event: SampleEvent = { eventType: 'invoice.paid', body: `{"note":"${'x'.repeat(TWO_MEGABYTES)}"}` };
    const request = await examiner.request(event, { secret: 'not-the-secret-of-this-business' });
    return examiner.mustRefuse([await examiner.send(request)], {
      harm: FORGED,
      fix: 'Limit the body, to 256 KiB for example, and answer 413.',
    });
  },
};

export const AUTHENTICATION: readonly Check[] = [
  rawBytes,
  ...FORGERIES.map(
    ({ id, title, change, harm = FORGED, fix = VERIFY, advice = false }): Check => ({
      id,
      title,
      rule: 'authentication 3',
      async run(examiner) {
        const event = await examiner.event('paid');
        const request = await examiner.request(event, await change(examiner, event));
        return examiner.mustRefuse([await examiner.send(request)], { harm, fix, advice });
      },
    }),
  ),
  oversized,
  rotation,
];
