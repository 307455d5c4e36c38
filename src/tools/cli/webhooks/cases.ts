// What `webhooks check` sends, as one table: the delivery, the expected response, the cause of another one, and the
// remedy.
import { LONG_WORK } from '../../sandbox/delivery/diagnose.ts';
import { FORGERIES, type Forgery } from '../../sandbox/delivery/forgeries.ts';
import type { EventKind } from './delivery.ts';

/** How a delivery differs from a genuine one. The deliveries of a case have one event, one time and one id. */
export interface Change extends Forgery {
  /** Milliseconds from the time of the case to the timestamp. */
  readonly ahead?: number;
  /** Replaces the timestamp after signing by the time of the case. */
  readonly isRestamped?: true;
  /** A timestamp that is signed as it is. */
  readonly timestamp?: string;
  readonly hasOtherId?: true;
  /** Another signature, made from the genuine one. */
  readonly signature?: (genuine: string) => string;
  /** Another body, signed. */
  readonly body?: (genuine: string) => string;
  /** Sends GET, without headers and body. */
  readonly isGet?: true;
}

export interface Case {
  readonly id: string;
  readonly title: string;
  /** `quick` looks at the responses of the cases before it and sends nothing. */
  readonly expected: 'accepted' | 'refused' | 'quick';
  /** What could happen otherwise. Empty for most of `accepted`, where the response shows the cause. */
  readonly cause: string;
  readonly remedy: string;
  /** The deliveries. One change for each further secret with `each secret`: without one the case is inconclusive. */
  readonly sends: readonly Change[] | 'each secret';
  /** Default: paid. */
  readonly kind?: EventKind;
  /** True: the interface does not ask for it, so another response is advice and no failure. */
  readonly isAdvice?: true;
  /** The earlier cases without which an accepted delivery shows nothing: the receiver may accept any. */
  readonly needs?: readonly string[];
  /** True: sends them at the same time. One of them may be refused as busy. */
  readonly isAtOnce?: true;
}

const MINUTE = 60_000;
export const SIGNATURE = 'X-Webhook-Signature';
export const TIMESTAMP = 'X-Webhook-Timestamp';

const FINAL = 'The service sends every final state: also answer 2xx where nothing is to do.';
const FULFIL = 'A delivery with `adjusted: true` is genuine: accept it, and give only what credited_usdt covers.';
const NO_OP =
  'Answer 2xx to an event that you have handled, and do nothing. After any other response the event comes again.';
const FORGED = 'anyone who knows the address can have orders fulfilled';
const VERIFY =
  'Verify the signature first, and answer 401 if it does not match. If the route uses the handler of this package, return the response of the handler.';
const STRICT = 'Compare the whole value in constant time. Decode nothing, or check the exact form first.';

/** One genuine delivery, or several. */
function accepted(id: string, title: string, remedy: string, rest: Partial<Case> = {}): Case {
  return { id, title, expected: 'accepted', cause: '', remedy, sends: [{}], ...rest };
}

/** A forgery. It differs from a genuine delivery in one thing, so that it shows which check is missing. */
function refused(id: string, title: string, change: Change, cause = FORGED, remedy = VERIFY): Case {
  return { id, title, expected: 'refused', cause, remedy, sends: [change] };
}

/** Changes a character in the middle, because the last one of base64 has spare bits. */
function withWrongCharacter(signature: string): string {
  const at = Math.floor(signature.length / 2);
  return signature.slice(0, at) + (signature[at] === 'a' ? 'b' : 'a') + signature.slice(at + 1);
}

/** The first one decides whether the others prove anything. */
const BASICS: readonly Case[] = [
  accepted(
    'accepts-paid',
    'accepts a paid invoice',
    'Verify HMAC-SHA256 of `{X-Webhook-Timestamp}.{raw body}` with the secret of this check, on the bytes as they arrived.',
  ),
  accepted('accepts-expired', 'accepts an expired invoice', FINAL, { kind: 'expired' }),
  accepted('accepts-canceled', 'accepts a canceled invoice', FINAL, { kind: 'canceled' }),
  accepted('accepts-fail', 'accepts a failed invoice', FINAL, { kind: 'fail' }),
  accepted(
    'accepts-charset',
    'accepts Content-Type with a charset',
    'Compare the media type only, without its parameters.',
    { sends: [{ headers: { 'Content-Type': 'application/json; charset=utf-8' } }] },
  ),
  accepted(
    'accepts-further-members',
    'accepts members it does not know',
    'Ignore members you do not know: the service may add some.',
    { sends: [{ body: (body) => `${body.slice(0, -1)},"risk_score":"0.10","note":"Größe 42 – naïve 支払い"}` }] },
  ),
  {
    id: 'answers-quickly',
    title: 'answers quickly',
    expected: 'quick',
    cause: 'After 15 s the service sends it again',
    remedy: LONG_WORK,
    sends: [],
  },
  accepted(
    'acknowledges-unknown-event',
    'acknowledges an event it does not know',
    'Answer 2xx to a genuine event that you do not handle, and report it. Otherwise it comes seven times.',
    {
      isAdvice: true,
      kind: 'canceled',
      sends: [{ body: (body) => body.replaceAll(/(invoice\.|")canceled"/g, '$1refunded"') }],
    },
  ),
  {
    ...refused('refuses-get', 'takes POST only', { isGet: true }),
    cause: 'GET is answered with 2xx, as if a delivery had arrived',
    remedy: 'Answer 405 to other methods.',
    isAdvice: true,
  },
];

const ADJUSTMENTS: readonly Case[] = [
  accepted('accepts-adjusted', 'accepts a payment below the order amount', FULFIL, { kind: 'adjusted' }),
  accepted('accepts-overpaid', 'accepts a payment above the order amount', FULFIL, { kind: 'overpaid' }),
];

const NOT_GENUINE: readonly Case[] = [
  refused('refuses-unsigned', 'refuses a delivery without signature headers', FORGERIES.unsigned.change),
  refused(
    'refuses-no-timestamp',
    'refuses a missing timestamp',
    { headers: { [TIMESTAMP]: undefined } },
    'a delivery without a time is accepted, so its age is not checked',
    'Refuse when one of the three X-Webhook headers is missing.',
  ),
  refused('refuses-wrong-signature', 'refuses a wrong signature', { signature: withWrongCharacter }),
  refused('refuses-wrong-secret', 'refuses a signature made with another secret', FORGERIES.stranger.change),
  refused(
    'refuses-tampered-body',
    'refuses a body changed after signing',
    FORGERIES.tampered.change,
    'amounts can be changed on the way',
    'Include every byte of the raw body in what you verify.',
  ),
  accepted(
    'accepts-raw-bytes',
    'verifies the raw bytes (spaces, escapes)',
    "Verify before parsing. Express: express.raw({ type: 'application/json' }) on this route. Others: docs/frameworks.md.",
    {
      needs: ['refuses-wrong-secret', 'refuses-tampered-body'],
      sends: [
        {
          body: (body) => `${JSON.stringify(JSON.parse(body), null, 2).replaceAll('success', '\\u0073uccess')}\n`,
        },
      ],
    },
  ),
  refused(
    'refuses-empty-signature',
    'refuses an empty signature',
    { signature: () => '' },
    'an empty value counts as equal',
    STRICT,
  ),
  refused(
    'refuses-cut-signature',
    'refuses the first half of a genuine signature',
    { signature: (genuine) => genuine.slice(0, genuine.length / 2) },
    'a signature can be guessed piece by piece',
    STRICT,
  ),
  refused(
    'refuses-old-timestamp',
    'refuses an old timestamp (10 minutes)',
    { ahead: -10 * MINUTE },
    'a recorded delivery can be replayed at any time',
    'Refuse a timestamp older than five minutes, after the signature has matched.',
  ),
  refused(
    'refuses-restamped-replay',
    'refuses an old delivery with a fresh timestamp',
    { ahead: -10 * MINUTE, isRestamped: true },
    'the timestamp is not part of what is verified, so a recorded delivery can be replayed',
    'Verify `{timestamp}.{raw body}`, not the body alone.',
  ),
  {
    ...refused('refuses-timestamp-that-is-none', 'refuses a signed timestamp that is not a time', {
      timestamp: 'soon',
    }),
    cause: 'a timestamp that cannot be read counts as fresh',
    remedy: 'Check the form of the timestamp: a comparison with NaN is never true, so nothing is too old.',
    isAdvice: true,
  },
  {
    ...refused('refuses-future-timestamp', 'refuses a timestamp one hour ahead', { ahead: 60 * MINUTE }),
    cause: 'such a delivery stays replayable for longer than your tolerance',
    remedy: 'Refuse a timestamp further ahead than your tolerance. The interface does not ask for it.',
    isAdvice: true,
  },
  refused(
    'refuses-oversized',
    'refuses two megabytes, unsigned',
    { ...FORGERIES.stranger.change, body: () => `{"note":"${'x'.repeat(2 * 1_048_576)}"}` },
    FORGED,
    'Limit the body, to 256 KiB for example, and answer 413.',
  ),
  accepted(
    'accepts-each-secret',
    'accepts old and new secret while they are rotated',
    'Verify with a list of secrets until the old one is no longer in use.',
    { cause: 'give --secret twice to check a rotation', sends: 'each secret' },
  ),
];

const REPEATS: readonly Case[] = [
  accepted('repeat-same', 'the same delivery again is acknowledged', NO_OP, { sends: [{}, {}] }),
  accepted('repeat-restamped', 'the same delivery, stamped and signed anew', NO_OP, {
    sends: [{}, { ahead: 2_000 }],
  }),
  accepted('repeat-other-id', 'the same event under another X-Webhook-Id', NO_OP, {
    sends: [{}, { hasOtherId: true }],
  }),
  accepted('repeat-at-once', 'the same delivery twice at once', NO_OP, { sends: [{}, {}], isAtOnce: true }),
  accepted(
    'still-alive',
    'accepts a genuine delivery after all this',
    'A forged delivery has broken the receiver: catch what a request throws.',
  ),
];

/** The rules and their cases in the order in which they run. */
export const RULES: readonly { readonly rule: string; readonly heading: string; readonly cases: readonly Case[] }[] = [
  { rule: 'receiver 2', heading: 'Takes POST with JSON, answers any 2xx quickly', cases: BASICS },
  { rule: 'receiver 4', heading: 'A paid invoice is not always paid in full', cases: ADJUSTMENTS },
  { rule: 'authentication 3', heading: 'Refuses what is not genuine, or too old', cases: NOT_GENUINE },
  { rule: 'receiver 3', heading: 'A repeat changes nothing', cases: REPEATS },
];

/** Questions to the reader about facts that cannot be seen from outside. */
export const QUESTIONS = [
  'Does an order wait for the webhook, and not for the return of the customer to success_url?',
  'Was each order of this check fulfilled exactly once? If your database does not know these orders, your endpoint should have refused them: throw if an UPDATE changes no row.',
  'If the process dies after it has answered 200, is the order fulfilled when it starts again?',
  'Does the customer of an adjusted payment get only what credited_usdt covers?',
  'Does the amount of an invoice come from your database, and never from the browser?',
  'Are signatures compared in constant time (timingSafeEqual, or verifyWebhook)?',
] as const;
