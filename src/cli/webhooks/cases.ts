import type { Dialect } from '../../sandbox/index.ts';
import { signWebhook } from '../../webhooks/verify/signature.ts';
import { type EventKind, type ReceiverRequest, type SampleEvent, sampleHeaders } from './delivery.ts';

// What `webhooks check` sends, as one table: the delivery, the expected answer, the cause of another one, and the remedy.

/** How a delivery differs from a genuine one. */
export interface Change {
  readonly secret?: string;
  /** Epoch milliseconds. */
  readonly timestamp?: number;
  readonly id?: string;
  /** Headers that replace the signed ones. Undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Another body, signed. */
  readonly body?: string;
  /** A body that is sent under the signature of the event. */
  readonly sentBody?: string;
  /** Sends GET, without headers and body. */
  readonly isGet?: true;
}

/** What a case needs for its deliveries. */
export interface Bench {
  readonly secrets: readonly string[];
  readonly dialect: Dialect;
  readonly now: () => number;
  /** The event of a new order. */
  event(kind: EventKind): Promise<SampleEvent>;
}

/** The rule that a case belongs to. Numbered ones are of the service interface. Each is one heading of the output. */
export const RULES = {
  'receiver 1': 'The webhook is the source of truth',
  'receiver 2': 'Takes POST with JSON, answers any 2xx quickly',
  'receiver 3': 'A repeat changes nothing',
  'receiver 4': 'A paid invoice is not always paid in full',
  'authentication 3': 'Refuses what is not genuine, or too old',
  secrecy: 'Tells no secret',
} as const;
export type Rule = keyof typeof RULES;

export interface Case {
  readonly id: string;
  readonly rule: Rule;
  readonly title: string;
  /** `quick` and `discreet` look at the answers of the other cases and send nothing. */
  readonly expected: 'accepted' | 'refused' | 'quick' | 'discreet';
  /** What could happen. For `accepted` the answer says the cause. */
  readonly cause?: string;
  readonly remedy: string;
  /** The rules do not ask for it: another answer is advice and no failure. */
  readonly isAdvice?: true;
  /** Default: paid. */
  readonly kind?: EventKind;
  /** The deliveries. Default: one that is genuine. No delivery makes the case inconclusive. */
  readonly changes?: (event: SampleEvent, bench: Bench) => readonly Change[] | Promise<readonly Change[]>;
  /** Sends them at the same time. One of them may be refused as busy. */
  readonly isAtOnce?: true;
}

/** A POST of this event, genuine except for the change. */
export async function requestOf(event: SampleEvent, change: Change, bench: Bench): Promise<ReceiverRequest> {
  const { secret = bench.secrets[0] ?? '', timestamp = bench.now(), id, headers = {}, isGet, sentBody } = change;
  if (isGet) return { method: 'GET', headers: {}, body: '' };
  const signed = { ...event, body: change.body ?? event.body };
  const all = { ...(await sampleHeaders(signed, secret, bench.dialect, timestamp, id)), ...headers };
  const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { method: 'POST', headers: Object.fromEntries(kept), body: sentBody ?? signed.body };
}

const MINUTE = 60_000;
const TWO_MEGABYTES = 2 * 1_048_576;
const OTHER_SECRET = 'not-the-secret-of-this-business';
const SIGNATURE = 'X-Webhook-Signature';
const TIMESTAMP = 'X-Webhook-Timestamp';

/** Replaces the signature of an event. Both requests have one timestamp, so that only the signature differs. */
const signatureBy =
  (alter: (genuine: string) => string, other?: 'of another event') =>
  async (event: SampleEvent, bench: Bench): Promise<readonly Change[]> => {
    const timestamp = Math.floor(bench.now() / MINUTE) * MINUTE;
    const signed = other === undefined ? event : await bench.event('paid');
    const { headers } = await requestOf(signed, { timestamp }, bench);
    return [{ timestamp, headers: { [SIGNATURE]: alter(headers[SIGNATURE] ?? '') } }];
  };

/** One event twice. The second delivery differs as given. */
const twice =
  (later: number, hasOtherId: boolean): NonNullable<Case['changes']> =>
  (_, { now }) => {
    const first = { id: crypto.randomUUID(), timestamp: now() };
    const id = hasOtherId ? crypto.randomUUID() : first.id;
    return [first, { id, timestamp: first.timestamp + later }];
  };

const FINAL = 'The service announces every final state: answer 2xx to those that need no work, too.';
const ADJUSTED = 'A delivery with `adjusted: true` is genuine: accept it, and fulfil against credited_usdt.';
const NO_OP = 'Answer 2xx to an event that you have handled, and do nothing: after any other answer it comes again.';
const FORGED = 'anyone who knows the address can have orders fulfilled';
const VERIFY = 'Verify the signature before anything else, and answer 401 when it does not match.';
const STRICT = 'Compare the whole value in constant time: decode nothing, or check its exact form first.';

const accepted = (rule: Rule, id: string, title: string, remedy: string, rest: Partial<Case> = {}): Case => ({
  id,
  rule,
  title,
  expected: 'accepted',
  remedy,
  ...rest,
});
/** A forgery. It differs from a genuine delivery in one thing, so that it shows which check is missing. */
const refused = (id: string, title: string, changes: NonNullable<Case['changes']>, rest: Partial<Case> = {}): Case => ({
  id,
  rule: 'authentication 3',
  title,
  expected: 'refused',
  cause: FORGED,
  remedy: VERIFY,
  changes,
  ...rest,
});

/** After all others, because any answer can hold a secret. */
export const DISCREET: Case = {
  id: 'keeps-secrets',
  rule: 'secrecy',
  title: 'no answer holds the secret or the expected signature',
  expected: 'discreet',
  cause: 'anyone can ask for it, and forge deliveries with it',
  remedy: 'Answer a refusal with a status and nothing else. Write the details into a log without the secret.',
};

/** All cases in the order in which they run. The first one decides what a refusal proves. */
export const CASES: readonly Case[] = [
  accepted(
    'receiver 2',
    'accepts-paid',
    'accepts a paid invoice',
    'Verify HMAC-SHA256 of `{X-Webhook-Timestamp}.{raw body}` with the secret of this check, on the bytes as they arrived.',
  ),
  accepted('receiver 2', 'accepts-expired', 'accepts an expired invoice', FINAL, { kind: 'expired' }),
  accepted('receiver 2', 'accepts-canceled', 'accepts a canceled invoice', FINAL, { kind: 'canceled' }),
  accepted('receiver 2', 'accepts-fail', 'accepts a failed invoice', FINAL, { kind: 'fail' }),
  accepted(
    'receiver 2',
    'accepts-charset',
    'accepts Content-Type with a charset',
    'Compare the media type only, without its parameters.',
    { changes: () => [{ headers: { 'Content-Type': 'application/json; charset=utf-8' } }] },
  ),
  accepted(
    'receiver 2',
    'accepts-further-members',
    'accepts members it does not know',
    'Ignore members you do not know: the service may add some.',
    { changes: ({ body }) => [{ body: `${body.slice(0, -1)},"risk_score":"0.10","note":"Größe 42 – naïve 支払い"}` }] },
  ),
  {
    id: 'answers-quickly',
    rule: 'receiver 2',
    title: 'answers quickly',
    expected: 'quick',
    cause: 'After 15 s the service sends it again',
    remedy: 'Store the event, answer 2xx, and do the work afterwards.',
  },
  accepted(
    'receiver 2',
    'acknowledges-unknown-event',
    'acknowledges an event it does not know',
    'Answer 2xx to a genuine event without a handler, and report it: otherwise it comes seven times.',
    {
      isAdvice: true,
      kind: 'canceled',
      changes: ({ body }) => [
        { body: body.replaceAll('invoice.canceled', 'invoice.refunded').replaceAll('"canceled"', '"refunded"') },
      ],
    },
  ),
  refused('refuses-get', 'takes POST only', () => [{ isGet: true }], {
    rule: 'receiver 2',
    cause: 'GET is answered with 2xx, as if a delivery had arrived',
    remedy: 'Answer 405 to other methods.',
    isAdvice: true,
  }),
  accepted('receiver 4', 'accepts-adjusted', 'accepts a payment below the order amount', ADJUSTED, {
    kind: 'adjusted',
  }),
  accepted('receiver 4', 'accepts-overpaid', 'accepts a payment above the order amount', ADJUSTED, {
    kind: 'overpaid',
  }),
  accepted(
    'authentication 3',
    'accepts-raw-bytes',
    'verifies the raw bytes (spaces, escapes)',
    "Verify before parsing. Express: express.raw({ type: 'application/json' }) on this route. Others: docs/webhooks.md.",
    {
      changes: ({ body }) => [
        { body: `${JSON.stringify(JSON.parse(body), null, 2).replaceAll('success', '\\u0073uccess')}\n` },
      ],
    },
  ),
  refused('refuses-unsigned', 'refuses a delivery without signature headers', () => [
    { headers: { [SIGNATURE]: undefined, [TIMESTAMP]: undefined, 'X-Webhook-Id': undefined } },
  ]),
  refused('refuses-no-timestamp', 'refuses a missing timestamp', () => [{ headers: { [TIMESTAMP]: undefined } }], {
    cause: 'a delivery without a time is accepted, so its age is not checked',
    remedy: 'Refuse when one of the three X-Webhook headers is missing.',
  }),
  refused(
    'refuses-wrong-signature',
    'refuses a wrong signature',
    signatureBy((signature) => {
      const at = Math.floor(signature.length / 2); // in the middle: the last character of base64 has spare bits
      return signature.slice(0, at) + (signature[at] === 'a' ? 'b' : 'a') + signature.slice(at + 1);
    }),
  ),
  refused('refuses-wrong-secret', 'refuses a signature made with another secret', () => [{ secret: OTHER_SECRET }]),
  refused(
    'refuses-other-body',
    'refuses the signature of another delivery',
    signatureBy((signature) => signature, 'of another event'),
    {
      cause: 'the signature is not compared with the body it came with',
      remedy: 'Sign the raw body of this request, and compare.',
    },
  ),
  refused(
    'refuses-tampered-body',
    'refuses a body changed after signing',
    ({ body }) => [{ sentBody: body.replace(/"amount":"[^"]*"/, '"amount":"999999.00"') }],
    { cause: 'amounts can be changed on the way', remedy: 'Include every byte of the raw body in what you verify.' },
  ),
  refused('refuses-malformed-signature', 'refuses a signature of another form', () => [
    { headers: { [SIGNATURE]: 'not-a-signature' } },
  ]),
  refused('refuses-empty-signature', 'refuses an empty signature', () => [{ headers: { [SIGNATURE]: '' } }], {
    cause: 'an empty value counts as equal',
    remedy: STRICT,
  }),
  refused(
    'refuses-cut-signature',
    'refuses the first half of a genuine signature',
    signatureBy((signature) => signature.slice(0, signature.length / 2)),
    { cause: 'a signature can be guessed piece by piece', remedy: STRICT },
  ),
  refused(
    'refuses-old-timestamp',
    'refuses an old timestamp (10 minutes)',
    (_, { now }) => [{ timestamp: now() - 10 * MINUTE }],
    {
      cause: 'a recorded delivery can be replayed at any time',
      remedy: 'Refuse a timestamp older than five minutes, after the signature has matched.',
    },
  ),
  refused(
    'refuses-restamped-replay',
    'refuses an old delivery with a fresh timestamp',
    async (event, bench) => {
      const { headers } = await requestOf(event, {}, bench);
      return [{ timestamp: bench.now() - 10 * MINUTE, headers: { [TIMESTAMP]: headers[TIMESTAMP] } }];
    },
    {
      cause: 'the timestamp is not part of what is verified, so a recorded delivery can be replayed',
      remedy: 'Verify `{timestamp}.{raw body}`, not the body alone.',
    },
  ),
  refused(
    'refuses-timestamp-that-is-none',
    'refuses a signed timestamp that is not a time',
    async ({ body }, { secrets }) => [
      { headers: { ...(await signWebhook(body, secrets[0] ?? '', { timestamp: 'soon' })) } },
    ],
    {
      cause: 'a timestamp that cannot be read counts as fresh',
      remedy: 'Check the form of the timestamp: a comparison with NaN is never true, so nothing is too old.',
      isAdvice: true,
    },
  ),
  refused(
    'refuses-future-timestamp',
    'refuses a timestamp one hour ahead',
    (_, { now }) => [{ timestamp: now() + 60 * MINUTE }],
    {
      cause: 'such a delivery stays replayable for longer than your tolerance',
      remedy: 'Refuse a timestamp further ahead than your tolerance. The interface does not ask for it.',
      isAdvice: true,
    },
  ),
  refused(
    'refuses-oversized',
    'refuses two megabytes, unsigned',
    () => [{ secret: OTHER_SECRET, body: `{"note":"${'x'.repeat(TWO_MEGABYTES)}"}` }],
    { remedy: 'Limit the body, to 256 KiB for example, and answer 413.' },
  ),
  accepted(
    'authentication 3',
    'accepts-each-secret',
    'accepts old and new secret while they are rotated',
    'Verify with a list of secrets until the old one is no longer in use.',
    {
      cause: 'give --secret twice to check a rotation',
      changes: (_, { secrets }) => secrets.slice(1).map((secret) => ({ secret })),
    },
  ),
  accepted('receiver 3', 'repeat-same', 'the same delivery again is acknowledged', NO_OP, { changes: twice(0, false) }),
  accepted('receiver 3', 'repeat-restamped', 'the same delivery, stamped and signed anew', NO_OP, {
    changes: twice(2_000, false),
  }),
  accepted('receiver 3', 'repeat-other-id', 'the same event under another X-Webhook-Id', NO_OP, {
    changes: twice(0, true),
  }),
  accepted('receiver 3', 'repeat-at-once', 'the same delivery twice at once', NO_OP, {
    changes: twice(0, false),
    isAtOnce: true,
  }),
  accepted(
    'receiver 3',
    'still-alive',
    'accepts a genuine delivery after all this',
    'A forged delivery has broken the receiver: catch what a request throws.',
  ),
  DISCREET,
];

/** Questions to the reader about facts that cannot be seen from outside. */
export const QUESTIONS: readonly { readonly rule: Rule; readonly question: string }[] = [
  {
    rule: 'receiver 1',
    question: 'Does an order wait for the webhook, and not for the return of the customer to success_url?',
  },
  { rule: 'receiver 3', question: 'Was each order of this check fulfilled once, and none twice?' },
  {
    rule: 'receiver 2',
    question: 'If the process dies after it has answered 200, is the order fulfilled when it starts again?',
  },
  {
    rule: 'receiver 4',
    question: 'Is an adjusted payment fulfilled against credited_usdt, and not as if paid in full?',
  },
  {
    rule: 'authentication 3',
    question: 'Are signatures compared in constant time (timingSafeEqual, or verifyWebhook)?',
  },
];
