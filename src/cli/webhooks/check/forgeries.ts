import { signWebhook } from '../../../webhooks/verify/signature.ts';
import type { SampleEvent } from '../sample-event.ts';
import type { Change, Examiner } from './examiner.ts';
import { type Check, type Finding, mustAccept, mustRefuse } from './grades.ts';

// Authentication, rule 3: what has to be refused.

const MINUTE = 60_000;
const FORGED = 'anyone who knows the address can have orders fulfilled';
const VERIFY = 'Verify the signature before anything else, and answer 401 when it does not match.';
const STRICT = 'Compare the whole value in constant time: decode nothing, or check its exact form first.';

interface Forgery {
  readonly id: string;
  readonly title: string;
  readonly harm: string;
  readonly fix: string;
  readonly advice?: boolean;
  /** What is wrong with the delivery. */
  readonly change: (examiner: Examiner, event: SampleEvent) => Change | Promise<Change>;
}

/** Each is right in all but one thing, or it would not show which check is missing. */
const FORGERIES: readonly Forgery[] = [
  {
    id: 'refuses-unsigned',
    title: 'refuses a delivery without signature headers',
    harm: FORGED,
    fix: VERIFY,
    change: () => ({
      headers: { 'X-Webhook-Signature': undefined, 'X-Webhook-Timestamp': undefined, 'X-Webhook-Id': undefined },
    }),
  },
  {
    id: 'refuses-no-timestamp',
    title: 'refuses a missing timestamp',
    harm: 'a delivery without a time is taken, so its age is not checked',
    fix: 'Refuse when one of the three X-Webhook headers is missing.',
    change: () => ({ headers: { 'X-Webhook-Timestamp': undefined } }),
  },
  {
    id: 'refuses-wrong-signature',
    title: 'refuses a wrong signature',
    harm: FORGED,
    fix: VERIFY,
    change: async (examiner, event) => {
      const signature = await rightSignature(examiner, event);
      const at = Math.floor(signature.length / 2); // in the middle: the last character of base64 has spare bits
      const other = signature[at] === 'a' ? 'b' : 'a';
      return {
        ...FIXED(examiner),
        headers: { 'X-Webhook-Signature': signature.slice(0, at) + other + signature.slice(at + 1) },
      };
    },
  },
  {
    id: 'refuses-wrong-secret',
    title: 'refuses a signature made with another secret',
    harm: FORGED,
    fix: VERIFY,
    change: () => ({ secret: 'not-the-secret-of-this-business' }),
  },
  {
    id: 'refuses-other-body',
    title: 'refuses the signature of another delivery',
    harm: 'the signature is not compared with the body it came with',
    fix: 'Sign the raw body of this request, and compare.',
    change: async (examiner) => {
      const other = await examiner.event('paid');
      return { ...FIXED(examiner), headers: { 'X-Webhook-Signature': await rightSignature(examiner, other) } };
    },
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
    title: 'refuses a signature that is none',
    harm: FORGED,
    fix: VERIFY,
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
    title: 'refuses the first half of a right signature',
    harm: 'a signature can be guessed piece by piece',
    fix: STRICT,
    change: async (examiner, event) => {
      const signature = await rightSignature(examiner, event);
      return { ...FIXED(examiner), headers: { 'X-Webhook-Signature': signature.slice(0, signature.length / 2) } };
    },
  },
  {
    id: 'refuses-old-timestamp',
    title: 'refuses an old timestamp (10 minutes)',
    harm: 'a recorded delivery can be replayed at any time',
    fix: 'Refuse a timestamp older than five minutes, after the signature has matched.',
    change: ({ settings }) => ({ timestamp: settings.now() - 10 * MINUTE }),
  },
  {
    id: 'refuses-restamped-replay',
    title: 'refuses an old delivery with a fresh timestamp',
    harm: 'the timestamp is not part of what is verified, so a recorded delivery can be replayed',
    fix: 'Verify `{timestamp}.{raw body}`, not the body alone.',
    change: async (examiner, event) => {
      const { settings } = examiner;
      const fresh = await examiner.shot(event);
      return {
        timestamp: settings.now() - 10 * MINUTE,
        headers: { 'X-Webhook-Timestamp': fresh.headers['X-Webhook-Timestamp'] },
      };
    },
  },
  {
    id: 'refuses-timestamp-that-is-none',
    title: 'refuses a signed timestamp that is no time',
    harm: 'what cannot be read as a time counts as fresh',
    fix: 'Check the form of the timestamp: compared with NaN, nothing is ever too old.',
    advice: true,
    change: async ({ settings: { secrets } }, { body }) => ({
      headers: { ...(await signWebhook(body, secrets[0] ?? '', { timestamp: 'soon' })) },
    }),
  },
  {
    id: 'refuses-future-timestamp',
    title: 'refuses a timestamp one hour ahead',
    harm: 'such a delivery stays replayable for longer than your tolerance',
    fix: 'Refuse a timestamp further ahead than your tolerance. The interface does not ask for it.',
    advice: true,
    change: ({ settings }) => ({ timestamp: settings.now() + 60 * MINUTE }),
  },
];

/** The same time for a signature that is looked at first and the delivery that is sent then. */
const FIXED = ({ settings }: Examiner): Change => ({ timestamp: Math.floor(settings.now() / MINUTE) * MINUTE });

async function rightSignature(examiner: Examiner, event: SampleEvent): Promise<string> {
  const shot = await examiner.shot(event, FIXED(examiner));
  return shot.headers['X-Webhook-Signature'] ?? '';
}

const rawBytes: Check = {
  id: 'accepts-raw-bytes',
  rule: 'authentication 3',
  title: 'verifies the raw bytes (spaces, escapes)',
  async run(examiner) {
    const event = await examiner.event('paid');
    const spaced = JSON.stringify(JSON.parse(event.body), null, 2).replaceAll('success', '\\u0073uccess');
    const shot = await examiner.shot({ ...event, body: `${spaced}\n` });
    return mustAccept(
      [await examiner.sendGood(shot)],
      "Verify before parsing. Express: express.raw({ type: 'application/json' }) on this route; others: docs/webhooks.md.",
    );
  },
};

const HUGE = 2 * 1_048_576;

const oversized: Check = {
  id: 'refuses-oversized',
  rule: 'authentication 3',
  title: 'refuses two megabytes, unsigned',
  async run(examiner) {
    const event: SampleEvent = { eventType: 'invoice.paid', body: `{"note":"${'x'.repeat(HUGE)}"}` };
    const shot = await examiner.shot(event, { secret: 'not-the-secret-of-this-business' });
    return mustRefuse(examiner, [await examiner.send(shot)], {
      harm: FORGED,
      fix: 'Limit the body, 256 KiB is plenty, and answer 413.',
    });
  },
};

const rotation: Check = {
  id: 'accepts-each-secret',
  rule: 'authentication 3',
  title: 'accepts old and new secret while they are rotated',
  async run(examiner): Promise<Finding> {
    const [, ...others] = examiner.settings.secrets;
    if (others.length === 0) {
      return { verdict: 'unsure', replies: [], why: 'give --secret twice to have it examined', fix: '' };
    }
    const replies = [];
    for (const secret of others) {
      replies.push(await examiner.sendGood(await examiner.shot(await examiner.event('paid'), { secret })));
    }
    return mustAccept(replies, 'Verify with a list of secrets until the old one is no longer in use.');
  },
};

export const AUTHENTICATION: readonly Check[] = [
  rawBytes,
  ...FORGERIES.map(
    ({ id, title, change, ...rest }): Check => ({
      id,
      title,
      rule: 'authentication 3',
      async run(examiner) {
        const event = await examiner.event('paid');
        const shot = await examiner.shot(event, await change(examiner, event));
        return mustRefuse(examiner, [await examiner.send(shot)], rest);
      },
    }),
  ),
  oversized,
  rotation,
];
